#!/usr/bin/perl
# Makes the copies of product sources that hold the deliberate faults.
# usage: make.pl ROOT OUT          writes OUT/SOURCE for each source that has any
#        make.pl ROOT --sources    prints which those are, one a line
# Faults are in faults/NAME.txt: `# why`, the source, the lines that are there
# and the lines that take their place when the fault is active. A fault whose
# lines are not there any more fails the build of the faults, never the product.
use strict;
use warnings;
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use FindBin;

my ($root, $out) = @ARGV;
my %faults;
for my $path (sort glob "$FindBin::Bin/faults/*.txt") {
  my $text = read_text($path);
  my ($why, $source, $there, $instead) =
    $text =~ /\A((?:#[^\n]*\n)+)in (\S+)\n----\n(.*?)^----\n(.*)\z/ms
    or die "$path: not understood\n";
  my ($name) = basename($path) =~ /^(\w+)/;
  push @{$faults{$source}}, {name => $name, there => $there, instead => $instead};
}

if ($out eq '--sources') {
  print "$_\n" for sort keys %faults;
  exit 0;
}

sub read_text {
  my ($path) = @_;
  open(my $file, '<', $path) or die "$path: $!\n";
  local $/;
  return scalar <$file>;
}

# Both sides are statements, or both declare the same name: then the choice is
# within the initialiser.
sub chosen {
  my ($fault) = @_;
  my $asks = "::weir::sim::mutant(\"$fault->{name}\")";
  my ($there, $instead) = @{$fault}{qw(there instead)};
  for my $form (qr/\A(\s*WEIR_TRY\(auto \w+,\s*)(.*)(\);\n)\z/s,
    qr/\A(\s*(?:const )?auto \w+\s*=\s*)(.*)(;\n)\z/s) {
    next unless $there =~ $form;
    my ($before, $value, $behind) = ($1, $2, $3);
    $instead =~ $form or die "$fault->{name}: not of one form\n";
    return "$before$asks ? ($2) : ($value)$behind";
  }
  return "{\nif ($asks) {\n$instead} else {\n$there}\n}\n";
}

for my $source (sort keys %faults) {
  my $text = read_text("$root/$source");
  for my $fault (@{$faults{$source}}) {
    my $at = index($text, $fault->{there});
    die "$fault->{name}: these lines are not in $source:\n$fault->{there}" if $at < 0;
    die "$fault->{name}: these lines are twice in $source\n"
      if index($text, $fault->{there}, $at + 1) >= 0;
    substr($text, $at, length $fault->{there}) = chosen($fault);
  }
  $text = "#include \"tests/sim/mutants/active.hpp\"\n$text";
  my $to = "$out/$source";
  make_path(dirname($to));
  next if -e $to && read_text($to) eq $text;
  open(my $file, '>', $to) or die "$to: $!\n";
  print {$file} $text;
  close $file or die "$to: $!\n";
}
