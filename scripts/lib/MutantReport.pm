package MutantReport;
# What scripts/mutate says at its end: how many changes were noticed, and each
# that was not, with its reason from tests/mutation/survivors.
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(in_words is_explained summary_of table_of known_survivors);
use Mutants qw(apply);
use Sources qw(read_text);

sub in_words {
  my ($mutant) = @_;
  my $words = "$mutant->{file}:$mutant->{line}: $mutant->{was} -> $mutant->{becomes}";
  $words =~ s/\s+/ /g;
  return $words;
}

# The line before and after, without indentation.
sub change_of {
  my ($text, $mutant) = @_;
  my $line = sub {
    my ($of) = @_;
    my $from = rindex($of, "\n", $mutant->{at}) + 1;
    my $rest = substr $of, $from, index("$of\n", "\n", $mutant->{at}) - $from;
    $rest =~ s/^\s+|\s+$//g;
    return $rest;
  };
  return '- ' . $line->($text) . "\n+ " . $line->(apply($text, $mutant));
}

# Those that are known to survive: for a path, a line before and a line after
# the reasons, one for each place in the file where they are.
sub known_survivors {
  my ($file) = @_;
  my %known;
  for my $entry (split /\n\n+/, read_text($file)) {
    next if $entry =~ /^#/;
    my ($path, $was, $becomes, @why) = split /\n/, $entry;
    die "$file: an entry is a path, a line, its mutant and a reason:\n$entry\n"
      unless @why && $was =~ /^- / && $becomes =~ /^\+ /;
    push @{$known{"$path\n$was\n$becomes"}}, join ' ', map { s/^\s+//r } @why;
  }
  return %known;
}

sub is_explained {
  my ($mutant, $text, $known) = @_;
  return exists $known->{"$mutant->{file}\n" . change_of($text, $mutant)};
}

# Of verdicts that are in the order of @$mutants: {share, unexplained, text,
# lines}, text for a reader and lines for each survivor.
sub summary_of {
  my ($mutants, $verdicts, $text_of, %known) = @_;
  my (%count, @lines);
  my ($survived, $unexplained) = (0, 0);
  for my $at (0 .. $#$mutants) {
    my $mutant = $mutants->[$at];
    $count{$verdicts->[$at]}++;
    next unless $verdicts->[$at] eq 'survived';
    my $change = change_of($text_of->{$mutant->{file}}, $mutant);
    my $why = shift @{$known{"$mutant->{file}\n$change"} // []};
    $survived++;
    $unexplained++ unless defined $why;
    push @lines, "$mutant->{file}:$mutant->{line}\n$change\n  "
      . ($why // 'NOT EXPLAINED in tests/mutation/survivors') . "\n";
  }
  my $tried = @$mutants - ($count{invalid} // 0);
  my $share = $tried ? 1 - $survived / $tried : 0;
  my $text = sprintf "%d mutants, %d do not compile, %d noticed (%.1f %%), "
    . "%d survived, %d of them not explained\n", scalar @$mutants, $count{invalid} // 0,
    $tried - $survived, 100 * $share, $survived, $unexplained;
  my $by = join ', ', map { "$_ $count{$_}" } grep { /_tests$/ } sort keys %count;
  return {share => $share, unexplained => $unexplained, lines => \@lines,
    text => $text . "noticed by: $by\n"};
}

# What became of the mutants of each file; a verdict that is not there was not
# tried.
sub table_of {
  my ($mutants, $verdicts) = @_;
  my (%count, @files);
  for my $at (0 .. $#$mutants) {
    my $file = $mutants->[$at]{file};
    push @files, $file unless $count{$file};
    my $verdict = $verdicts->[$at] // 'not tried';
    $verdict = 'noticed' if $verdict =~ /_tests$/;
    $count{$file}{$_}++ for 'all', $verdict;
  }
  my @kinds = ('all', 'not tried', 'invalid', 'noticed', 'survived');
  my @rows = map {
    my $of = $count{$_};
    join ' | ', "| $_", (map { $of->{$_} // 0 } @kinds), ''
  } @files;
  return join "\n", '| source | mutants | not tried | do not compile | noticed | survived |',
    '|---|---|---|---|---|---|', map { s/ $//r } @rows;
}

1;
