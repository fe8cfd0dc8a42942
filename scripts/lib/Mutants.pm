package Mutants;
# The small changes that scripts/mutate makes to a source: operators, constants
# and conditions of C++, and what is between WHERE and the end of a statement in
# a text of SQL. Each mutant is {file, line, at, was, becomes}.
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(mutants_of apply all_in_one);
use Sources qw(code_of line_of functions_of);

# C++: what a match becomes. Spaces around an operator tell it from a pointer, a
# template's bracket or a sign.
my @in_code = (
  [qr/(?<= )<(?= )/, '<='],
  [qr/(?<= )<=(?= )/, '<'],
  [qr/(?<= )>(?= )/, '>='],
  [qr/(?<= )>=(?= )/, '>'],
  [qr/(?<= )==(?= )/, '!='],
  [qr/(?<= )!=(?= )/, '=='],
  [qr/(?<= )&&(?= )/, '||'],
  [qr/(?<= )\|\|(?= )/, '&&'],
  [qr/(?<= )\+(?= )/, '-'],
  [qr/(?<= )-(?= )/, '+'],
  [qr/(?<= )\*(?= )/, '/'],
  [qr/(?<= )\/(?= )/, '*'],
  [qr/(?<= )\+=(?= )/, '-='],
  [qr/(?<= )-=(?= )/, '+='],
  [qr/\+\+(?=\w)/, '--'],
  [qr/--(?=\w)/, '++'],
  [qr/\btrue\b/, 'false'],
  [qr/\bfalse\b/, 'true'],
  [qr/\bstd::min\b/, 'std::max'],
  [qr/\bstd::max\b/, 'std::min'],
  [qr/(?<=[ ({])!(?=\w)/, ''],
);

# SQL, after WHERE: a condition that is left out, turned or shifted.
my @in_where = (
  [qr/(?<= )<=(?= )/, '<'],
  [qr/(?<= )>=(?= )/, '>'],
  [qr/(?<= )<(?= )/, '<='],
  [qr/(?<= )>(?= )/, '>='],
  [qr/(?<= )=(?= )/, '<>'],
  [qr/(?<= )AND(?= )/, 'OR'],
  [qr/(?<= )OR(?= )/, 'AND'],
  [qr/\bIS NULL\b/, 'IS NOT NULL'],
  [qr/\bIS NOT NULL\b/, 'IS NULL'],
);

sub matches {
  my ($text, $rules, $add) = @_;
  for my $rule (@$rules) {
    my ($pattern, $becomes) = @$rule;
    while ($text =~ /$pattern/g) { $add->($-[0], $&, $becomes) }
  }
  return;
}

# A number becomes the next one; a mere zero or one decides most loops.
sub numbers {
  my ($code, $add) = @_;
  while ($code =~ /(?<![\w.'"])(\d[\d']*)(?![\w.'"])/g) {
    my ($at, $was) = ($-[1], $1);
    (my $plain = $was) =~ tr/'//d;
    next if $plain =~ /^0\d/;
    $add->($at, $was, $plain + 1);
  }
  return;
}

# Conditions of if and while, whole, turned round.
sub conditions {
  my ($code, $add) = @_;
  while ($code =~ /\b(?:if|while) \(/g) {
    my ($depth, $from) = (1, pos $code);
    my $at = $from;
    for (; $depth > 0 && $at < length $code; $at++) {
      my $c = substr $code, $at, 1;
      $depth += $c eq '(' ? 1 : $c eq ')' ? -1 : 0;
    }
    my $condition = substr $code, $from, $at - 1 - $from;
    # With a declaration in it, it cannot be put into brackets.
    next if $condition =~ /;|(?<![=!<>])=(?!=)|\btrue\b/ || $condition =~ /^!\w+$/;
    $add->($from, $condition, '__turned__');
  }
  return;
}

# The stretches of $text that are literals, as code_of blanks them.
sub where_clauses {
  my ($text, $code, $add) = @_;
  while ($text =~ /"((?:[^"\\\n]|\\.)*)"/g) {
    my ($from, $literal) = ($-[1], $1);
    next if substr($code, $from, length $literal) =~ /\S/;
    # What follows WHERE in the statement may stand on the lines below it.
    my $before = substr $text, 0, $from;
    my $in_where = $before =~ /"[^"\n]*WHERE(?:[^;{}]|"[^"\n]*")*\z/
      && substr($before, $-[0]) !~ /",\s*\n\s*"\w+",?\s*\z|\},/;
    my $start = $in_where ? 0 : index($literal, 'WHERE');
    next if $start < 0;
    matches(' ' . substr($literal, $start) . ' ', \@in_where, sub {
      my ($at, $was, $becomes) = @_;
      $add->($from + $start + $at - 1, $was, $becomes);
    });
  }
  return;
}

sub mutants_of {
  my ($file, $text) = @_;
  my @found;
  my $code = code_of($text);
  my $add = sub {
    my ($at, $was, $becomes) = @_;
    $becomes = "!(" . substr($text, $at, length $was) . ")" if $becomes eq '__turned__';
    push @found, {
      file => $file, at => $at, line => line_of($text, $at),
      was => substr($text, $at, length $was), becomes => $becomes,
    };
  };
  if ($file =~ m{^persistence/sql/}) {
    where_clauses($text, $code, $add);
  } else {
    matches($code, \@in_code, $add);
    numbers($code, $add);
    conditions($code, $add);
  }
  # A default that is overwritten before it is read decides nothing.
  @found = grep { !is_default($code, $_->{at}) } @found if $file =~ /\.hpp$/;
  return sort { $a->{at} <=> $b->{at} || $a->{becomes} cmp $b->{becomes} } @found;
}

# Whether a member is given its first value on the line of $at.
sub is_default {
  my ($code, $at) = @_;
  my $from = rindex($code, "\n", $at) + 1;
  my $line = substr $code, $from, index("$code\n", "\n", $at) - $from;
  return $line !~ /\b(?:constexpr|return|if|while)\b/;
}

sub apply {
  my ($text, $mutant) = @_;
  substr($text, $mutant->{at}, length $mutant->{was}) = $mutant->{becomes};
  return $text;
}

# The bodies of functions that run with the program: [from, length].
sub bodies_of {
  my ($text) = @_;
  return map { [$_->{from}, length $_->{body}] }
    grep { $_->{head} !~ /\bconst(?:expr|eval)\b/ } functions_of(code_of($text));
}

# Literals that stand side by side, where they are no constants: the same.
sub texts_of {
  my ($text) = @_;
  my $literal = qr/"(?:[^"\\\n]|\\.)*"/;
  my @found;
  while ($text =~ /$literal(?:\s*$literal)*/g) {
    my ($from, $length) = ($-[0], $+[0] - $-[0]);
    push @found, [$from, $length]
      unless substr($text, 0, $from) =~ /\b(?:constexpr|include)\b[^;{}]*\z/;
  }
  return @found;
}

# A text that holds @mutants all together, and those of them that it holds: what
# is asked is the environment's WEIR_MUTANT, the place of one in @mutants counted
# from 1. For each there is a copy of the body of its function or, of SQL, of the
# literals around it; what is in neither is left out. What the compiler says of
# the nth copy it says of a file "mutant-n".
sub all_in_one {
  my ($text, @mutants) = @_;
  my $is_sql = @mutants && $mutants[0]{file} =~ m{^persistence/sql/};
  my @parts = $is_sql ? texts_of($text) : bodies_of($text);
  my (@held, %cases);
  for my $number (1 .. @mutants) {
    my $mutant = $mutants[$number - 1];
    my ($part) = grep { $_->[0] < $mutant->{at} && $mutant->{at} < $_->[0] + $_->[1] } @parts;
    next unless $part;
    my $copy = apply(substr($text, $part->[0], $part->[1]),
      {%$mutant, at => $mutant->{at} - $part->[0]});
    $copy = qq(\n#line 1 "mutant-$number"\n$copy\n);
    $cases{$part->[0]} .= $is_sql
      ? "weir_mutant_number == $number ? $copy : "
      : "case $number: $copy break; ";
    push @held, $number;
  }
  for my $part (sort { $b->[0] <=> $a->[0] } @parts) {
    my $cases = $cases{$part->[0]} // next;
    my $body = substr $text, $part->[0], $part->[1];
    my $last = qq(\n#line 1 "source"\n);
    substr($text, $part->[0], $part->[1]) = $is_sql
      ? "($cases$last$body)"
      : "{ switch (weir_mutant_number) { $cases${last}default: $body } }";
  }
  return ("#include <cstdlib>\nint weir_mutant_number = std::getenv(\"WEIR_MUTANT\")"
    . " ? std::atoi(std::getenv(\"WEIR_MUTANT\")) : 0;\n$text", @held);
}

1;
