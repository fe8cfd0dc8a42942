#!/usr/bin/perl
# Plants one break of a rule at a time into a small clean tree and asks that the
# checker names it: a check that finds nothing proves nothing.
# usage: planted.pl REPOSITORY check_layers|check_style
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);

my ($repository, $checker) = @ARGV;
my $passing = qq(#include "schema/thing.hpp"\n\nTEST_CASE("thing: it is") {\n)
  . qq(  CHECK(weir::thing() == 1);\n}\n);
my %clean = (
  'schema/thing.hpp' => "#pragma once\n\nnamespace weir {\n\nint thing();\n\n"
    . "} // namespace weir\n",
  'schema/thing.cpp' => qq(#include "schema/thing.hpp"\n\nnamespace weir {\n\n)
    . "int thing() {\n  return 1;\n}\n\n} // namespace weir\n",
  'tests/unit/schema/thing_test.cpp' => $passing,
  'scripts/style_allowances' => "clock http/ | it waits\n",
);
sub in_function { return "void f() {\n  $_[0]\n}\n" }
my $header = "#pragma once\n\n";

# Planted path => [text, what the checker must say].
my @layers = (
  ['schema/up.cpp', qq(#include "actors/a.hpp"\n), 'schema must not include actors',
    'actors/a.hpp', $header],
  ['actors/policy/up.cpp', qq(#include "actors/a.hpp"\n),
    'actors/policy must not include actors', 'actors/a.hpp', $header],
  ['persistence/up.cpp', qq(#include "actors/policy/p.hpp"\n),
    'persistence must not include actors/policy', 'actors/policy/p.hpp', $header],
  ['actors/down.cpp', qq(#include "persistence/sql/s.hpp"\n),
    'actors must not include persistence/sql', 'persistence/sql/s.hpp', $header],
  ['http/test.cpp', qq(#include "tests/t.hpp"\n), 'http must not include tests',
    'tests/t.hpp', $header],
  ['schema/climb.cpp', qq(#include "../actors/a.hpp"\n), 'the path climbs'],
  ['schema/none.cpp', qq(#include "none.hpp"\n), 'no such file'],
  ['schema/angle.cpp', "#include <schema/thing.hpp>\n", 'in angle brackets'],
  ['schema/caf.cpp', "#include <caf/all.hpp>\n", 'CAF does not belong here'],
  ['actors/policy/caf.cpp', "#include <caf/all.hpp>\n", 'CAF does not belong here'],
  ['actors/soci.cpp', "#include <soci/soci.h>\n", 'SOCI does not belong here'],
  ['persistence/soci.cpp', "#include <soci/soci.h>\n", 'SOCI does not belong here'],
  ['actors/beast.cpp', "#include <boost/beast.hpp>\n", 'Beast or Asio does not'],
  ['actors/policy/wait.cpp', "#include <thread>\n", 'a policy must not include thread'],
  ['http/two.cpp', qq(#include <caf/all.hpp>\n#include "http/b.hpp"\n),
    'one unit includes Beast or Asio .by http/b.hpp. and CAF', 'http/b.hpp',
    "${header}#include <boost/asio/io_context.hpp>\n"],
  (map { ["http/beast_$_.cpp", "#include <boost/beast.hpp>\n", 'more than 6 units',
      map { ("http/b$_.cpp", "#include <boost/beast.hpp>\n") } 1 .. 6] } 'seventh'),
);

my @style = (
  ['schema/long.cpp', '// ' . 'x' x 78 . "\n", 'longer than 80 columns'],
  ['schema/mark.cpp', '// TO' . "DO later\n", 'a left-over mark'],
  ['scripts/path', "cd /wor" . "k/tree\n", 'a path of one machine'],
  ['scripts/host', 'curl https://registry.npm' . "js.org\n", 'host name of a registry'],
  ['schema/space.cpp', "int x; \n", 'white space at the end'],
  ['schema/big.cpp', "int x;\n" x 401, '401 lines, more than 400'],
  ['schema/deep.cpp', in_function("int x;\n" x 60), 'a function of 6\d lines'],
  ['schema/member.cpp', "thing::thing() : a_{1}, b_{2} {\n" . "  int x;\n" x 60 . "}\n",
    'a function of 62 lines'],
  ['tests/unit/sleep_test.cpp', in_function('std::this_thread::sleep_for(1s);'), 'sleeping'],
  ['actors/wait.cpp', in_function('request(a, caf::infinite);'), 'a wait without end'],
  ['actors/clock.cpp', in_function('auto n = std::chrono::steady_clock::now();'),
    'reads a clock'],
  ['persistence/clock.cpp', in_function('clock_gettime(CLOCK_BOOTTIME, &t);'),
    'reads a clock'],
  ['schema/print.cpp', in_function('std::cout << 1;'), 'prints; the service logs'],
  ['schema/printf.cpp', in_function('std::printf("x");'), 'prints; the service logs'],
  ['persistence/sql/what.cpp', in_function('log(e.what());'), 'may show bound values'],
  ['actors/random.cpp', in_function('std::random_device d{};'), 'random numbers'],
  ['actors/then.cpp', in_function('r.then([](int a, int b) { use(a, b); });'),
    'without an error continuation'],
  ['actors/branch.cpp', in_function('if (a) b();' x 5), '5 branches, 4 allowed'],
  ['schema/guard.hpp', "int x();\n", 'no #pragma once'],
  ['schema/lonely.hpp', $header, 'included by nobody'],
  ['schema/bare.hpp', "${header}struct bare {\n};\n", 'bare has no ///'],
  ['schema/twin.cpp', "namespace weir {\nstruct twin {\n};\n} // namespace weir\n",
    'weir::twin is the name of a class in schema/other.cpp, too', 'schema/other.cpp',
    "namespace weir {\nclass twin final : thing {\n};\n} // namespace weir\n"],
  ['tests/unit/none_test.cpp', qq(TEST_CASE("a: case") {\n  f();\n}\n), 'cannot fail'],
  ['tests/unit/name_test.cpp', qq(TEST_CASE("a: one; two") {\n  CHECK(f());\n}\n),
    'ctest cannot carry'],
  ['tests/unit/unit_test.cpp', qq(TEST_CASE("no unit") {\n  CHECK(f());\n}\n),
    'a name is "unit: a sentence"'],
  ['docs/page.md', "[a](nowhere.md)
", 'a link to nothing'],
  ['docs/page.md', "# Here

[a](#there)
", 'a link to no heading'],
  ['actors/log.cpp', in_function('log_.warn("bridge fell over dest={}", dest);'),
    'does not tell of: bridge fell over
'],
  ['schema/page.cpp', "// See docs/nowhere.md
", 'names no page'],
  ['schema/format.cpp', "int  x ;\n", 'not as .clang-format says'],
  ['scripts/style_allowances', "clock http/\n", 'not understood'],
);

sub write_file {
  my ($root, $path, $text) = @_;
  make_path(dirname("$root/$path"));
  open(my $handle, '>', "$root/$path") or die "$path: $!\n";
  print {$handle} $text;
  close $handle or die "$path: $!\n";
}

sub run_on {
  my (%files) = @_;
  my $root = tempdir(CLEANUP => 1);
  write_file($root, $_, $files{$_}) for sort keys %files;
  write_file($root, '.clang-format', "BasedOnStyle: LLVM\n");
  my @quick = $checker eq 'check_style' && !grep({ /format/ } keys %files)
    ? ('--no-format') : ();
  my $output = `perl "$repository/scripts/$checker" @quick "$root" 2>&1`;
  return ($? >> 8, $output);
}

my $failures = 0;
sub expect {
  my ($holds, $what, $output) = @_;
  return if $holds;
  $failures++;
  print "not so: $what\n$output\n";
}

my ($status, $output) = run_on(%clean);
unless ($status == 0) {
  print "a clean tree does not pass:\n$output";
  exit 1;
}
my @planted = $checker eq 'check_layers' ? @layers : @style;
for my $case (@planted) {
  my ($path, $text, $message, %also) = @$case;
  ($status, $output) = run_on(%clean, %also, $path => $text);
  expect($status == 1 && $output =~ /$message/, "$path is caught by \"$message\"", $output);
}
printf "%s: %d breaks planted, %d missed\n", $checker, scalar @planted, $failures;
exit($failures ? 1 : 0);
