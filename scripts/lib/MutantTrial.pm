package MutantTrial;
# What becomes of a mutant: it is compiled alone, linked into the test programs
# in place of what it was made from, and they are run. The programs are built
# once, as they are; all that a mutant makes is in the folder of its worker.
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(prepare trial judge programs_of);
use Digest::SHA qw(sha1_hex);
use JSON::PP qw(decode_json);
use Sources qw(read_text write_text);

# A precompiled header takes as long as three units without one.
my $worth_a_header = 3;
my $memory_kib_max = 6_000_000;
# Beside what the processor may do, for one that waits for ever.
my $wall_seconds_max = 300;

my ($root, $build, %flags_of, %includers_of, %link_of);

# The programs that are asked about a source, the quickest first, and which of
# their cases: those nearest to it, by the name of their file, before the rest.
# A memory store notices nothing of SQL, and PostgreSQL is asked last.
sub stages_of {
  my ($file) = @_;
  my ($word) = $file =~ m{/([a-z]+)[^/]*$};
  $word =~ s/s$//;
  my ($near, $far) = ("'--source-file=*/$word*'", "'--source-file-exclude=*/$word*'");
  if ($file =~ m{^persistence/sql/}) {
    my $here = "'--test-case-exclude=*<memory>,*<PostgreSQL>'";
    my $there = "'--test-case=*<PostgreSQL>'";
    return (['store_tests', "$near $here"], ['operation_tests', "$near $here"],
      ['store_tests', "$far $here"], ['operation_tests', "$far $here"],
      ['store_tests', "$near $there"], ['store_tests', "$far $there"],
      ['operation_tests', $there]);
  }
  my @stages = (['policy_tests', $near], ['policy_tests', $far]);
  # Of the other programs no unit is compiled anew that includes a header.
  return @stages if $file =~ /\.hpp$/;
  return (@stages, ['operation_tests', "'--test-case-exclude=*<SQLite>,*<PostgreSQL>'"],
    ['actor_tests', '']);
}

sub programs_of {
  my ($file, $most) = @_;
  my %seen;
  my @programs = grep { !$seen{$_}++ } map { $_->[0] } stages_of($file);
  return splice @programs, 0, $most;
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

# Which units of the policies and of their tests include a header.
sub read_includers {
  my $object = '';
  for (split /\n/, output_of("ninja -C '$build' -t deps")) {
    if (/^(\S+): /) {
      $object = $1 =~ m{^(?:CMakeFiles/weir_policy|tests/CMakeFiles/policy_tests)\.dir/} ? $1 : '';
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

# The units that a mutant changes: how each is compiled, up to its output.
sub units_of {
  my ($trial, $mutant, $text, $how_many) = @_;
  my $file = $mutant->{file};
  if ($file !~ /\.hpp$/) {
    my $layer = $file =~ m{^persistence/} ? 'weir_persistence' : 'weir_policy';
    my $object = "CMakeFiles/$layer.dir/$file.o";
    my $flags = $flags_of{$object}{flags} or die "$file: in no library\n";
    write_text("$trial->{folder}/mutant.cpp", $text);
    $flags .= ' ' . header_for($trial, $flags, [included_by("$root/$file")])
      if $how_many >= $worth_a_header;
    return {object => $object, command => "$flags -c '$trial->{folder}/mutant.cpp'"};
  }
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
  my ($objects, $libraries) = @{$link_of{$program}}{qw(objects libraries)};
  for (@$units) {
    $objects =~ s/(?<= )\Q$_->{object}\E(?= |$)/$_->{made}/ or $objects .= " $_->{made}";
  }
  return run_quietly("$objects -s -o '$to' $libraries", "$trial->{folder}/log");
}

sub run_program {
  my ($trial, $program, $cases, $seconds) = @_;
  return run_quietly("ulimit -v $memory_kib_max -t $seconds; timeout -k 5 $wall_seconds_max"
    . " '$program' $cases --abort-after=1 --no-version", "$trial->{folder}/log");
}

# What a stage may take of the processor: a mutant may make a loop endless.
sub seconds_for {
  my ($trial, $program, $cases) = @_;
  return $trial->{seconds}{"$program $cases"} //= do {
    my $before = (times)[2] + (times)[3];
    run_program($trial, "tests/$program", $cases, $wall_seconds_max)
      or die "$program $cases: fails without a mutant, see $trial->{folder}/log\n";
    2 + int(5 * ((times)[2] + (times)[3] - $before));
  };
}

# Of a mutant with its text, one of $how_many of its file: invalid, survived or
# the program that noticed it. @programs: those that may be asked.
sub judge {
  my ($trial, $mutant, $text, $how_many, @programs) = @_;
  my @units = units_of($trial, $mutant, $text, $how_many);
  for my $at (0 .. $#units) {
    $units[$at]{made} = "$trial->{folder}/$at.o";
    run_quietly("$units[$at]{command} -o '$units[$at]{made}'", "$trial->{folder}/log")
      or return 'invalid';
  }
  my %linked;
  for (stages_of($mutant->{file})) {
    my ($program, $cases) = @$_;
    next unless grep { $_ eq $program } @programs;
    my $to = "$trial->{folder}/$program";
    $linked{$program}++ || link_program($trial, $program, \@units, $to)
      or return 'invalid';
    run_program($trial, $to, $cases, seconds_for($trial, $program, $cases))
      or return $program;
  }
  return 'survived';
}

1;
