#!/usr/bin/perl
# Plants breaks in the tables of rules and asks that scripts/check_rules names
# each. usage: rules.pl ROOT BUILD_DIR
use strict;
use warnings;
use utf8;
use File::Temp qw(tempdir);

my ($root, $build) = @ARGV;
my $folder = tempdir(CLEANUP => 1);
mkdir "$folder/docs";

sub read_docs {
  my ($name) = @_;
  open(my $in, '<:encoding(UTF-8)', "$root/docs/$name") or die "$name: $!\n";
  local $/;
  return scalar <$in>;
}

sub plant {
  my ($name, $text) = @_;
  open(my $out, '>:encoding(UTF-8)', "$folder/docs/$name") or die "$name: $!\n";
  print {$out} $text;
  close $out or die "$name: $!\n";
  return;
}

my $lane = read_docs('testing-lane.md');
my $by_number = read_docs('testing.md');

# [what is planted, file, its text, what has to be told]
my @plants = (
  ['a rule without a row', 'testing-lane.md', $lane =~ s/^\| R5: .*\n//mr,
    'R5 has no row'],
  ['a row without a test', 'testing-lane.md',
    $lane =~ s/^(\| R14: [^|]*\|)[^|]*\|/$1 reasoning |/mr, 'no test shows "R14: '],
  ['a test that is not there', 'testing-lane.md',
    $lane =~ s/`e2e: g01 …`/`e2e: g01 a name that nobody gave`/r,
    'there is no test `e2e: g01 a name that nobody gave`'],
  ['a behaviour without a row', 'testing.md', $by_number =~ s/^\| 20 \|.*\n//mr,
    '20 has no row'],
  ['a behaviour that nothing shows', 'testing.md',
    $by_number =~ s/^(\| )36( \|.*\n)/${1}36${2}${1}37${2}/mr,
    'no test begins with g37'],
);

my $failed = 0;
for my $plant (@plants) {
  my ($what, $name, $text, $told) = @$plant;
  plant('testing-lane.md', $lane);
  plant('testing.md', $by_number);
  plant($name, $text);
  open(my $out, '-|:encoding(UTF-8)', "$root/scripts/check_rules", $build, $folder)
    or die "check_rules: $!\n";
  my $said = do { local $/; <$out> };
  my $passed = close $out;
  my $ok = !$passed && index($said, $told) >= 0;
  print $ok ? 'ok ' : 'NOT FOUND ', "$what\n";
  $failed = 1 unless $ok;
}
exit $failed;
