#!/usr/bin/perl
# Which changes scripts/mutate makes of a text, and how it counts those that
# nobody noticed: a tool that changes nothing, or excuses all, proves nothing.
# usage: mutants.pl REPOSITORY
use strict;
use warnings;
use File::Temp qw(tempdir);

my ($repository) = @ARGV;
unshift @INC, "$repository/scripts/lib";
require MutantReport;
require Mutants;
require Sources;

my @failed;

sub same {
  my ($what, $is, $should) = @_;
  push @failed, "$what:\n  is     $is\n  should $should" if $is ne $should;
  return;
}

# Each line before and after, of all mutants of a text.
sub changes_of {
  my ($file, $text) = @_;
  return join ', ', map { "$_->{line} $_->{was} -> $_->{becomes}" }
    Mutants::mutants_of($file, $text);
}

my $source = 'actors/policy/a.cpp';
same('operators', changes_of($source, "x = a < b && !c;\n"),
  '1 < -> <=, 1 && -> ||, 1 ! -> ');
same('brackets are no operators', changes_of($source, "vector<a> b{c->d, &e, *f};\n"), '');
same('numbers', changes_of($source, "x = 5'000;\n"), "1 5'000 -> 5001");
same('conditions', changes_of($source, "if (a.b())\n  c();\n"), '1 a.b() -> !(a.b())');
same('comments and literals', changes_of($source, "// a < 1\nx = \"a < 1\";\n"), '');
same('a default of a member', changes_of('actors/policy/a.hpp', "int x = 1;\n"), '');
same('a constant of a header', changes_of('actors/policy/a.hpp', "constexpr int x = 7;\n"),
  '1 7 -> 8');
my $sql = qq(  "SELECT a = b FROM t"\n  " WHERE c = 1 AND d IS NULL",\n);
same('what follows WHERE', changes_of('persistence/sql/a.cpp', $sql),
  '2 = -> <>, 2 AND -> OR, 2 IS NULL -> IS NOT NULL');

my $text = "if (a)\n  return true;\nreturn true;\n";
my @mutants = Mutants::mutants_of($source, $text);
same('applied', Mutants::apply($text, $mutants[0]), "if (!(a))\n  return true;\nreturn true;\n");
my $function = "int f() {\n  return 7 + g;\n}\nint h = 9;\n";
my ($together, @held)
  = Mutants::all_in_one($function, Mutants::mutants_of($source, $function));
same('together: all but what is outside of functions', "@held", '1 2');
same('together: each is a case', join(', ', $together =~ /(case \d|default|return .*?;)/g),
  'case 1, return 8 + g;, case 2, return 7 - g;, default, return 7 + g;');
my $query = "x y{\n" . $sql . "};\n" . $sql =~ s/^ /constexpr z =/r;
my @of_sql = Mutants::mutants_of('persistence/sql/a.cpp', $query);
($together, @held) = Mutants::all_in_one($query, @of_sql);
same('together: texts that are no constants', "@held", '1 2 3');
same('together: each has its text', join(', ', $together =~ /(== \d|c [<>=]+ 1 \w+)/g),
  '== 1, c <> 1 AND, == 2, c = 1 OR, == 3, c = 1 AND, c = 1 AND, c = 1 AND');
my $folder = tempdir(CLEANUP => 1);
my $entry = "$source\n- return true;\n+ return false;\nNobody asks.\n";
Sources::write_text("$folder/survivors", "# What it is.\n\n$entry");

sub summary {
  my (@verdicts) = @_;
  return MutantReport::summary_of(\@mutants, \@verdicts, {$source => $text},
    MutantReport::known_survivors("$folder/survivors"));
}

my $all = summary(qw(policy_tests actor_tests invalid));
same('all are noticed', "$all->{share} $all->{unexplained}", '1 0');
my $one = summary(qw(policy_tests survived policy_tests));
same('one is explained', $one->{unexplained}, 0);
my $both = summary(qw(policy_tests survived survived));
same('a reason is for one of two', $both->{unexplained}, 1);
same('the share of those that compile', summary(qw(invalid survived policy_tests))->{share}, 0.5);
same('an unexplained one is told', (grep { /NOT EXPLAINED/ } @{$both->{lines}}) . '', '1');

same('what is not tried is told', (split /\n/,
  MutantReport::table_of(\@mutants, ['invalid', 'policy_tests']))[-1],
  "| $source | 3 | 1 | 1 | 1 | 0 |");

die join("\n", @failed) . "\n" if @failed;
print "all is as it should be\n";
