package Sources;
# What check_layers and check_style share: the files of a tree, and C++ text
# with its comments and literals blanked so that patterns meet code only.
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(files_below read_text write_text code_of line_of is_product
  functions_of call_arguments);

my @product = qw(schema persistence actors http);
my $left_out = qr{^(?:\.git|\.cache|node_modules|build.*|var)$};

# Paths below $root, relative, sorted; what is built or fetched is left out.
sub files_below {
  my ($root) = @_;
  my (@found, @pending);
  @pending = ('');
  while (defined(my $dir = shift @pending)) {
    opendir(my $handle, "$root/$dir") or die "$root/$dir: $!\n";
    for my $name (sort readdir $handle) {
      next if $name =~ /^\.{1,2}$/;
      my $path = $dir eq q() ? $name : "$dir/$name";
      next if -l "$root/$path" || -d _ && $name =~ $left_out;
      if (-d "$root/$path") { push @pending, $path }
      else { push @found, $path }
    }
    closedir $handle;
  }
  return sort @found;
}

sub read_text {
  my ($file) = @_;
  open(my $handle, '<:encoding(UTF-8)', $file) or die "$file: $!\n";
  local $/;
  my $text = <$handle>;
  return defined $text ? $text : '';
}

sub write_text {
  my ($file, $text) = @_;
  open(my $handle, '>:encoding(UTF-8)', $file) or die "$file: $!\n";
  print {$handle} $text;
  close $handle or die "$file: $!\n";
  return;
}

sub is_product {
  my ($path) = @_;
  my ($top) = split m{/}, $path;
  return scalar grep { $_ eq $top } @product;
}

# Blanks everything but line breaks.
sub blank {
  my ($text) = @_;
  $text =~ s/[^\n]/ /g;
  return $text;
}

# The quotes stay, so that an argument that is a literal still is one.
sub blank_inside {
  my ($text) = @_;
  return substr($text, 0, 1) . blank(substr($text, 1, -1)) . substr($text, -1);
}

# C++ without comments, literals and preprocessor lines; positions are kept.
sub code_of {
  my ($text) = @_;
  $text =~ s{
      (//[^\n]*|/\*.*?\*/)                         # comment
    | (R"([^\s()\\]*)\(.*?\)\3")                   # raw string
    | ((?<![0-9a-zA-Z_])(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
    | (^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)             # preprocessor
  }{
    defined $1 ? blank($1)
      : defined $2 ? 'R' . blank_inside(substr($2, 1))
      : defined $4 ? blank_inside($4)
      : blank($5)
  }gsemx;
  return $text;
}

sub line_of {
  my ($text, $position) = @_;
  return 1 + (substr($text, 0, $position) =~ tr/\n//);
}

# The functions defined in $code (as code_of gives it): a list of {first, last,
# head, body}. A lambda counts as part of the function it stands in.
sub functions_of {
  my ($code) = @_;
  my (@functions, @open);
  my ($head_from, $head) = (0, '');
  while ($code =~ /([{};])/g) {
    my ($mark, $at) = ($1, $-[1]);
    $head .= substr($code, $head_from, $at - $head_from);
    $head_from = $at + 1;
    if ($mark eq '{') {
      push @open, {kind => kind_of($head, $open[-1]), head => $head, at => $at};
      $head = '';
    } elsif ($mark eq '}') {
      my $block = pop @open or next;
      # An initialiser of a member is followed by the next one or by the body.
      if ($block->{kind} eq 'function' && substr($code, $at + 1) =~ /^\s*[,{]/) {
        $head = $block->{head} . '()';
        next;
      }
      $head = '';
      next unless $block->{kind} eq 'function';
      (my $signature = $block->{head}) =~ s/^\s+//;
      push @functions, {
        first => line_of($code, $block->{at} - length $signature),
        last => line_of($code, $at),
        head => $signature,
        from => $block->{at},
        body => substr($code, $block->{at}, $at - $block->{at} + 1),
      };
    } else {
      $head = '';
    }
  }
  return @functions;
}

# What the brace after $head opens: a container (namespace, type), a function,
# or something inside a function or an initialiser.
sub kind_of {
  my ($head, $around) = @_;
  return 'inside' if $around && $around->{kind} ne 'container';
  return 'container'
    if $head =~ /\b(namespace|class|struct|union|enum|extern)\b/ && $head !~ /\)\s*$/;
  return 'inside' if $head =~ /=\s*$/ || $head !~ /\)/;
  return 'function';
}

# The top-level arguments of the call whose opening parenthesis is at $open.
sub call_arguments {
  my ($code, $open) = @_;
  my ($depth, $current, @arguments) = (0, '');
  for my $at ($open .. length($code) - 1) {
    my $c = substr($code, $at, 1);
    $depth++ if $c =~ /[(\[{]/;
    $depth-- if $c =~ /[)\]}]/;
    last if $depth == 0;
    if ($c eq ',' && $depth == 1) { push @arguments, $current; $current = '' }
    elsif ($at > $open) { $current .= $c }
  }
  push @arguments, $current if $current =~ /\S/;
  return @arguments;
}

1;
