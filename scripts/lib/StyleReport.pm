package StyleReport;
# The numbers behind a review of the style, as `scripts/check_style --report`
# prints them.
use strict;
use warnings;
use Exporter 'import';
use Sources qw(is_product);
use Style qw(branches_of one_armed_in);
our @EXPORT_OK = qw(print_report);

sub lines_of { return $_[0]{text} =~ tr/\n// }

# The value below which $share of the sorted values lie.
sub quantile {
  my ($share, @values) = @_;
  return 0 unless @values;
  @values = sort { $a <=> $b } @values;
  my $index = int($share * (@values - 1) + 0.5);
  return $values[$index];
}

sub total {
  my $sum = 0;
  $sum += $_ for @_;
  return $sum;
}

sub print_sizes {
  my ($what, @files) = @_;
  my @lines = map { lines_of($_) } @files;
  my $small = grep { $_ <= 400 } @lines;
  printf "%-34s %d files, median %d, p90 %d, max %d, %.0f%% of at most 400\n",
    "lines per file, $what", scalar @lines, quantile(0.5, @lines), quantile(0.9, @lines),
    quantile(1, @lines), @lines ? 100 * $small / @lines : 100;
}

sub print_longest_function {
  my @longest = (0, 'none');
  for my $file (@_) {
    for my $function (@{$file->{functions}}) {
      my $length = $function->{last} - $function->{first} + 1;
      @longest = ($length, "$file->{path}:$function->{first}") if $length > $longest[0];
    }
  }
  printf "%-34s %d lines (%s)\n", 'longest function', @longest;
}

# A source has a test when a test has its name or includes its header.
sub untested {
  my ($product, $tests) = @_;
  my %tested;
  for my $test (@$tests) {
    $tested{$1}++ if $test->{path} =~ m{([^/]+?)_test\.cpp$};
    $tested{$_}++ for $test->{text} =~ /#include "([^"]+)\.hpp"/g;
  }
  return grep {
    my ($stem) = $_->{path} =~ m{^(.*)\.cpp$};
    $stem && !$tested{$stem} && !$tested{($stem =~ m{([^/]+)$})[0]}
  } @$product;
}

sub print_report {
  my ($root, @cpp) = @_;
  my @product = grep { is_product($_->{path}) } @cpp;
  my @tests = grep { $_->{path} =~ m{^tests/} } @cpp;
  my @unit = grep { $_->{path} =~ m{^tests/(?:unit|conformance)/} } @tests;
  print_sizes('product', @product);
  print_sizes('tests', @tests);
  print_longest_function(@cpp);
  my ($layers) = `perl "$root/scripts/check_layers" "$root"` =~ /(\d+) breaks/;
  printf "%-34s %s\n", 'includes that break a layer', $layers // 'unknown';
  printf "%-34s %d\n", 'caf::infinite',
    total(map { scalar(() = $_->{code} =~ /\bcaf::infinite\b/g) } @product);
  printf "%-34s %d\n", '.then with one argument',
    total(map { scalar one_armed_in($_->{code}) } @product);
  my @branching = map { [branches_of($_->{code}), $_->{path}] }
    grep { $_->{path} =~ m{^actors/[^/]+\.cpp$} } @product;
  printf "%-34s %s\n", 'if and switch in actors/*.cpp',
    join(', ', map { "$_->[1] $_->[0]" } @branching) || 'none';
  my @bare = untested(\@product, \@tests);
  printf "%-34s %d%s\n", 'sources without a test', scalar @bare,
    @bare ? ' (' . join(' ', map { $_->{path} } @bare) . ')' : '';
  my $product_lines = total(map { lines_of($_) } @product);
  printf "%-34s %.2f unit and conformance, %.2f all\n", 'test-to-source line ratio',
    total(map { lines_of($_) } @unit) / ($product_lines || 1),
    total(map { lines_of($_) } @tests) / ($product_lines || 1);
}

1;
