package MutantTrial;
# What becomes of mutants: those of a source are compiled together, each to be
# chosen as the program begins, and alone where that cannot be; they are linked
# into the test programs in place of what they were made from, and these are run.
# The programs are built once, as they are; all else is in a worker's folder.
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(prepare trial judge programs_of);
use Digest::SHA qw(sha1_hex);
use JSON::PP qw(decode_json);
use Mutants qw(apply all_in_one);
use Sources qw(read_text write_text);

# A precompiled header takes as long as three units without one.
my $worth_a_header = 3;
my $memory_kib_max = 6_000_000;
# Beside what the processor may do, for one that waits for ever.
my $wall_seconds_max = 1_800;
my $seconds_max = 60;

my ($root, $build, %flags_of, %includers_of, %link_of);

# The programs that are asked about a source, the quickest first, and which of
# their cases: those nearest to it, by the name of their file, before the rest.
# A memory store notices nothing of SQL, and PostgreSQL is asked last.
sub stages_of {
  my ($file, $quick) = @_;
  my ($word) = $file =~ m{/([a-z]+)[^/]*$};
  $word =~ s/s$//;
  my ($near, $far) = ("'--source-file=*/$word*'", "'--source-file-exclude=*/$word*'");
  if ($file =~ m{^persistence/sql/}) {
    my $here = "'--test-case-exclude=*<memory>,*<PostgreSQL>'";
    my $there = "'--test-case=*<PostgreSQL>'";
    return (['store_tests', "$near $here"], ['store_tests', "$far $here"]) if $quick;
    return (['store_tests', "$near $here"], ['operation_tests', "$near $here"],
      ['store_tests', "$far $here"], ['operation_tests', "$far $here"],
      ['store_tests', "$near $there"], ['store_tests', "$far $there"],
      ['operation_tests', $there]);
  }
  my @tests = reaching($file);
  my @plain = grep { !/_property_/ } @tests;
  my @stages = map { ['policy_tests', "'--source-file=" . join(',', map { "*/$_" } @$_) . q(')] }
    grep { @$_ } [grep { /^$word/ } @plain], [grep { !/^$word/ } @plain],
    [grep { /_property_/ } @tests];
  return @stages if $quick || $file =~ /\.hpp$/;
  return (@stages, ['operation_tests', "'--test-case-exclude=*<SQLite>,*<PostgreSQL>'"],
    ['actor_tests', '']);
}

# Those programs. Of others than the policies' own no unit is compiled anew that
# includes a header.
sub programs_of {
  my ($file, $quick) = @_;
  return $quick ? 'store_tests' : qw(store_tests operation_tests)
    if $file =~ m{^persistence/sql/};
  return $quick || $file =~ /\.hpp$/
    ? 'policy_tests' : qw(policy_tests operation_tests actor_tests);
}

sub output_of {
  my ($command) = @_;
  my $text = `$command`;
  die "$command: failed\n" if $? != 0;
  return $text;
}

# Builds the test programs and reads how their units are compiled.
sub prepare {
  my @programs;
  ($root, $build, @programs) = @_;
  my %wanted = map { $_ => 1 } @programs;
  @programs = sort keys %wanted;
  system("$root/scripts/build", @programs) == 0 or die "the tests do not build\n";
  for (@{decode_json(read_text("$build/compile_commands.json"))}) {
    my ($flags, $object, $source) = $_->{command} =~ /^(.*) -o (\S+) -c (\S+)$/ or next;
    $flags_of{$object} = {flags => "$flags -O0 -g0 -w", source => $source};
  }
  for my $program (@programs) {
    my @steps = split /\n/, output_of("ninja -C '$build' -t commands tests/$program");
    my ($objects, $libraries) = $steps[-1] =~ /^: && (.*) -o \S+ (.*?) && /
      or die "$program: not linked as was expected\n";
    $link_of{$program} = {objects => $objects, libraries => $libraries};
  }
  read_includers();
  return;
}

# The sources of tests that can reach a policy: those that include its header, or
# that of another policy that can.
sub reaching {
  my ($file) = @_;
  my %headers = ($file =~ s/\.cpp$/.hpp/r => 1);
  my %tests;
  my @pending = keys %headers;
  while (defined(my $header = shift @pending)) {
    for my $object (@{$includers_of{$header} // []}) {
      $tests{$1} = 1 if $object =~ m{^tests/.*/(\w+\.cpp)\.o$};
      my $own = $object =~ m{/(actors/policy/\w+)\.cpp\.o$} ? "$1.hpp" : next;
      push @pending, $own unless $headers{$own}++;
    }
  }
  return sort keys %tests;
}

# Which units of the policies and of their tests include a header.
sub read_includers {
  my $object = '';
  for (split /\n/, output_of("ninja -C '$build' -t deps")) {
    if (m{^((?:CMakeFiles/weir_policy|tests/CMakeFiles/policy_tests)\.dir/\S+): }) {
      $object = $1;
    } elsif (/^\S/) {
      $object = '';
    } elsif ($object && m{\b(actors/policy/\w+\.hpp)$}) {
      push @{$includers_of{$1}}, $object;
    }
  }
  return;
}

# What a worker needs: its folder, and that the programs pass as they are.
sub trial {
  my ($folder) = @_;
  system('mkdir', '-p', "$folder/shadow") == 0 or die "$folder: cannot be made\n";
  return {folder => $folder, seconds => {}, headers => {}};
}

sub run_quietly {
  my ($command, $log) = @_;
  return system('bash', '-c', "exec >'$log' 2>&1 </dev/null; cd '$build' && $command") == 0;
}

# A precompiled header for units with these flags that include these lines.
sub header_for {
  my ($trial, $flags, $lines) = @_;
  my $header = "$trial->{folder}/" . sha1_hex($flags, @$lines) . '.hpp';
  unless ($trial->{headers}{$header}++) {
    write_text($header, join('', map { "$_\n" } @$lines));
    run_quietly("$flags -x c++-header '$header' -o '$header.gch'", "$trial->{folder}/log")
      or die "a header does not compile, see $trial->{folder}/log\n";
  }
  return "-include '$header'";
}

sub included_by {
  my (@sources) = @_;
  my %seen;
  return grep { !$seen{$_}++ } map { read_text($_) =~ /^(#include .*)$/mg } @sources;
}

# How the unit of a source that is not a header is compiled, up to its output.
sub unit_of {
  my ($trial, $file, $text, $how_many) = @_;
  my $layer = $file =~ m{^persistence/} ? 'weir_persistence' : 'weir_policy';
  my $object = "CMakeFiles/$layer.dir/$file.o";
  my $flags = $flags_of{$object}{flags} or die "$file: in no library\n";
  write_text("$trial->{folder}/mutant.cpp", $text);
  $flags .= ' ' . header_for($trial, $flags, [included_by("$root/$file")])
    if $how_many >= $worth_a_header;
  return {object => $object, command => "$flags -c '$trial->{folder}/mutant.cpp'"};
}

# The same of each unit of the policies and of their tests that includes a header.
sub units_with {
  my ($trial, $file, $text) = @_;
  my $shadow = "$trial->{folder}/shadow";
  run_quietly("rm -rf '$shadow' && mkdir -p '$shadow/actors/policy'", '/dev/null');
  write_text("$shadow/$file", $text);
  my @objects = @{$includers_of{$file} // []};
  return map {
    my ($flags, $source) = @{$flags_of{$_}}{qw(flags source)};
    # What cannot lead to the header itself.
    my @like = map { $_->{source} } grep { $_->{flags} eq $flags } @flags_of{@objects};
    my $include = header_for($trial, $flags,
      [grep { /<|"schema\// } included_by(@like)]);
    (my $command = $flags) =~ s/^(\S+)/$1 -I'$shadow'/;
    {object => $_, command => "$command $include -c '$source'"}
  } @objects;
}

# Links $program with the objects in @$units in place of its own; those of a
# library come before it, so that its member is not taken.
sub link_program {
  my ($trial, $program, $units, $to) = @_;
  my ($objects, $libraries) = @{$link_of{$program} // die "$program: not built\n"}
    {qw(objects libraries)};
  for (@$units) {
    $objects =~ s/(?<= )\Q$_->{object}\E(?= |$)/$_->{made}/ or $objects .= " $_->{made}";
  }
  run_quietly("$objects -s -o '$to' $libraries", "$trial->{folder}/log")
    or die "$program: does not link, see $trial->{folder}/log\n";
  return;
}

sub run_program {
  my ($trial, $program, $cases, $seconds, $number) = @_;
  return run_quietly("ulimit -v $memory_kib_max -t $seconds;"
    . " WEIR_MUTANT=$number timeout -k 5 $wall_seconds_max"
    . " '$program' $cases --abort-after=1 --no-version", "$trial->{folder}/log");
}

# What a stage may take of the processor: a mutant may make a loop endless. The
# tests of policies are short enough to be measured stage by stage.
sub seconds_for {
  my ($trial, $program, $cases) = @_;
  my $is_short = $program eq 'policy_tests';
  return $trial->{seconds}{$is_short ? $cases : $program} //= do {
    my $before = (times)[2] + (times)[3];
    run_program($trial, "tests/$program", $cases, $wall_seconds_max, 0)
      or die "$program $cases: fails without a mutant, see $trial->{folder}/log\n";
    $is_short ? 2 + int(5 * ((times)[2] + (times)[3] - $before)) : $seconds_max;
  };
}

# Compiles units; whether all of them could be.
sub made {
  my ($trial, @units) = @_;
  for my $at (0 .. $#units) {
    $units[$at]{made} = "$trial->{folder}/$at.o";
    run_quietly("$units[$at]{command} -o '$units[$at]{made}'", "$trial->{folder}/log")
      or return 0;
  }
  return 1;
}

# What becomes of mutant $number of those that these units hold, 0 if it is the
# only one: survived or the program that noticed it. $linked: what is linked.
sub verdict_of {
  my ($trial, $file, $number, $units, $linked, $quick) = @_;
  for (stages_of($file, $quick)) {
    my ($program, $cases) = @$_;
    my $to = "$trial->{folder}/$program";
    link_program($trial, $program, $units, $to) unless $linked->{$program}++;
    my $seconds = seconds_for($trial, $program, $cases);
    run_program($trial, $to, $cases, $seconds, $number) or return $program;
  }
  return 'survived';
}

# Those of @$mutants, by their numbers from 1, that can be compiled together, and
# the unit of them. The compiler names those that it does not take.
sub together {
  my ($trial, $file, $text, $mutants) = @_;
  my @numbers = 1 .. @$mutants;
  for (1 .. 4) {
    my ($all, @held) = all_in_one($text, map { $mutants->[$_ - 1] } @numbers);
    my @units = unit_of($trial, $file, $all, $worth_a_header);
    my @held_numbers = map { $numbers[$_ - 1] } @held;
    return (\@units, \@held_numbers, \@held) if made($trial, @units);
    my %refused = map { $_ => 1 } read_text("$trial->{folder}/log") =~ /\bmutant-(\d+):/g;
    last unless %refused;
    @numbers = map { $numbers[$_ - 1] } grep { !$refused{$_} } @held;
  }
  return ([], [], []);
}

# Judges @$mutants of one file and says of each as it becomes known. $quick: by
# the first program alone, and without PostgreSQL.
sub judge {
  my ($trial, $file, $text, $mutants, $say, $quick) = @_;
  my %done;
  if ($file !~ /\.hpp$/ && @$mutants >= $worth_a_header) {
    my ($units, $numbers, $cases) = together($trial, $file, $text, $mutants);
    my %linked;
    for my $at (0 .. $#$numbers) {
      my $number = $numbers->[$at];
      $done{$number} = 1;
      $say->($mutants->[$number - 1],
        verdict_of($trial, $file, $cases->[$at], $units, \%linked, $quick));
    }
  }
  for my $number (grep { !$done{$_} } 1 .. @$mutants) {
    my $mutant = $mutants->[$number - 1];
    my $changed = apply($text, $mutant);
    my @units = $file =~ /\.hpp$/
      ? units_with($trial, $file, $changed)
      : unit_of($trial, $file, $changed, scalar @$mutants);
    $say->($mutant, made($trial, @units)
      ? verdict_of($trial, $file, 0, \@units, {}, $quick)
      : 'invalid');
  }
  return;
}

1;
