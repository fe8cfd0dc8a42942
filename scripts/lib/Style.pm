package Style;
# The checks of scripts/check_style, one function a rule. Each takes a file
# record {path, text, code, functions} and reports through complain().
use strict;
use warnings;
use Exporter 'import';
use Sources qw(line_of call_arguments is_product);
our @EXPORT_OK = qw(complain complaints load_allowances check_text check_cpp
  check_tests check_headers check_class_names branches_of one_armed_in);

my $file_lines_max = 400;
my $function_lines_max = 60;
my %columns_max = (cpp => 80, hpp => 80, sql => 80);
my $columns_max_elsewhere = 100;
# An actor without an allowance of its own may branch this often.
my $branches_default = 4;

my @complaints;
sub complain { push @complaints, join(': ', @_) }
sub complaints { return @complaints }

my %allowed;
sub load_allowances {
  my ($text) = @_;
  for (grep { !/^(#|\s*$)/ } split /\n/, $text) {
    if (/^(branches|clock|print|sleep|what) (\S+)(?: (\d+))? \| \S/) { $allowed{$1}{$2} = $3 // 1 }
    else { complain('scripts/style_allowances', "not understood: $_") }
  }
}

# A path that ends in a slash allows a whole folder.
sub allowance {
  my ($check, $path) = @_;
  for my $key (keys %{$allowed{$check} // {}}) {
    return $allowed{$check}{$key}
      if $key eq $path || ($key =~ m{/$} && index($path, $key) == 0);
  }
  return undef;
}

# Reports each match of $pattern in the code of $file.
sub forbid {
  my ($file, $pattern, $message) = @_;
  while ($file->{code} =~ /$pattern/g) {
    complain("$file->{path}:" . line_of($file->{code}, $-[0]), $message);
  }
}

# Rules for every text file. The patterns are spelt in two halves so that this
# file keeps them itself.
my $marks = join '|', map { join '', @$_ } ['TO', 'DO'], ['FIX', 'ME'], ['X', 'XX'], ['HA', 'CK'];
my $machine_paths = qr{(?:^|[\s"'=(:])/(?:home/\w|ro{2}t/|wor{1}k/|Users/\w)};
my $registries = join '|', map { join '\.', @$_ } ['registry', 'npmjs'], ['deb', 'debian'],
  ['pypi', 'org'], ['proxy', 'golang'];

sub check_text {
  my ($file) = @_;
  my ($extension) = $file->{path} =~ /\.(\w+)$/;
  my $columns = $columns_max{$extension // ''} // $columns_max_elsewhere;
  my $prose = ($extension // '') =~ /^(md|json|ya?ml)$/ || $file->{path} eq 'LICENSE';
  my $number = 0;
  for my $line (split /\n/, $file->{text}) {
    my $at = "$file->{path}:" . ++$number;
    complain($at, "longer than $columns columns") if !$prose && length $line > $columns;
    complain($at, 'a left-over mark') if $line =~ /\b(?:$marks)\b/;
    complain($at, 'a path of one machine') if $line =~ $machine_paths;
    complain($at, 'the host name of a registry') if $line =~ /$registries/;
    complain($at, 'white space at the end') if $line =~ /[ \t]$/ && !$prose;
  }
}

sub check_sizes {
  my ($file) = @_;
  my $lines = $file->{text} =~ tr/\n//;
  complain($file->{path}, "$lines lines, more than $file_lines_max")
    if $lines > $file_lines_max;
  for my $function (@{$file->{functions}}) {
    my $length = $function->{last} - $function->{first} + 1;
    complain("$file->{path}:$function->{first}",
      "a function of $length lines, more than $function_lines_max")
      if $length > $function_lines_max;
  }
}

sub check_calls {
  my ($file) = @_;
  my $path = $file->{path};
  forbid($file, qr{\b(?:sleep_for|sleep_until|usleep|nanosleep|sleep)\s*\(},
    'waits by sleeping; wait for what must happen')
    unless defined allowance('sleep', $path);
  forbid($file, qr{\bcaf\s*::\s*infinite\b}, 'a wait without end');
  forbid($file, qr{\b(?:system_clock|steady_clock|high_resolution_clock)\s*::\s*now\s*\(},
    'reads a clock outside the seams')
    unless defined allowance('clock', $path);
  forbid($file, qr{(?<![.>\w])(?:clock_gettime|gettimeofday|time)\s*\(\s*(?:CLOCK|nullptr|0|&)},
    'reads a clock outside the seams')
    unless defined allowance('clock', $path);
  forbid($file, qr{\bstd\s*::\s*(?:cout|cerr|clog)\b|\b(?:f?printf|f?puts|putchar)\s*\(},
    'prints; the service logs instead')
    unless defined allowance('print', $path) || $path =~ m{^tests/};
  forbid($file, qr{[.>]what\s*\(\s*\)}, 'what() may show bound values and tokens')
    if $path =~ m{^persistence/} && !defined allowance('what', $path);
  forbid($file, qr{\bstd\s*::\s*random_device\b|\bs?rand\s*\(},
    'draws random numbers outside the seams')
    if $path =~ m{^(?:schema|actors)/};
  complain("$path:$_->{line}", ".$_->{name}() without an error continuation")
    for (one_armed_in($file->{code}));
}

# The continuations that were given no error handler (a CAF trap: a time-out
# then ends the asker).
sub one_armed_in {
  my ($code) = @_;
  my @found;
  while ($code =~ /\.\s*(then|await)\s*\(/g) {
    my ($name, $open) = ($1, $+[0] - 1);
    push @found, {line => line_of($code, $open), name => $name}
      if call_arguments($code, $open) < 2;
  }
  return @found;
}

sub branches_of {
  my ($code) = @_;
  return scalar(() = $code =~ /\b(?:if|switch)\s*(?:constexpr\s*)?\(/g);
}

sub check_branches {
  my ($file) = @_;
  return unless $file->{path} =~ m{^actors/[^/]+\.cpp$};
  my $count = branches_of($file->{code});
  my $allowed = allowance('branches', $file->{path}) // $branches_default;
  complain($file->{path},
    "$count branches, $allowed allowed: a decision belongs to actors/policy")
    if $count > $allowed;
}

sub check_cpp {
  my ($file) = @_;
  check_sizes($file);
  check_calls($file);
  check_branches($file);
}

# Rules for headers of the product: guarded, documented, used by somebody.
sub check_headers {
  my ($file, $included) = @_;
  return unless $file->{path} =~ /\.hpp$/;
  complain($file->{path}, 'no #pragma once') unless $file->{text} =~ /^#pragma once$/m;
  return unless is_product($file->{path});
  complain($file->{path}, 'included by nobody') unless $included->{$file->{path}};
  my @lines = split /\n/, $file->{text};
  for my $index (0 .. $#lines) {
    next unless $lines[$index] =~ /^(?:class|struct|enum class)\s+(\w+)(?![\w:])[^;<]*\{/;
    my ($name, $above) = ($1, $index - 1);
    $above-- while $above > 0 && $lines[$above] =~ /^template\b|^\s+\S.*>$/;
    complain("$file->{path}:" . ($index + 1), "$name has no /// comment")
      unless $above >= 0 && $lines[$above] =~ m{^///};
  }
}

my $asserts = qr/\b(?:CHECK|REQUIRE|WARN|FAIL)\w*\s*\(/;

# Every case must be able to fail: it asserts, or calls what does.
sub check_tests {
  my (@files) = @_;
  my %asserting;
  my @functions = map { @{$_->{functions}} } @files;
  my $grew = 1;
  while ($grew) {
    $grew = 0;
    for my $function (@functions) {
      my ($name) = $function->{head} =~ /([\w~]+)\s*\(/ or next;
      next if $asserting{$name} || $name =~ /^TEST_CASE/;
      $grew = $asserting{$name} = 1 if can_fail($function->{body}, \%asserting);
    }
  }
  for my $file (@files) { check_cases($file, \%asserting) }
}

sub can_fail {
  my ($body, $asserting) = @_;
  return 1 if $body =~ $asserts;
  while ($body =~ /\b(\w+)\s*(?:<[^;<>]*>\s*)?[({]/g) { return 1 if $asserting->{$1} }
  return 0;
}

sub check_cases {
  my ($file, $asserting) = @_;
  for my $function (@{$file->{functions}}) {
    next unless $function->{head} =~ /\bTEST_CASE\w*\s*\(/;
    complain("$file->{path}:$function->{first}", 'a case that cannot fail')
      unless can_fail($function->{body}, $asserting);
  }
  while ($file->{text} =~ /\b(?:TEST_CASE|TEST_CASE_FIXTURE|TEST_CASE_TEMPLATE)\s*\(/g) {
    my $from = $+[0];
    my $line = line_of($file->{text}, $from);
    my ($literals) = substr($file->{text}, $from) =~ /^[^"]*((?:"(?:[^"\\]|\\.)*"\s*)+)/;
    next unless defined $literals;
    my $name = join '', $literals =~ /"((?:[^"\\]|\\.)*)"/g;
    complain("$file->{path}:$line", "ctest cannot carry ';' in a name") if $name =~ /;/;
    complain("$file->{path}:$line", "a name is \"unit: a sentence\", not \"$name\"")
      unless $name =~ /^[^:]+: \S/;
  }
}

# Two classes of one name in one namespace are one to the linker, which may run
# the destructor of one on the other: no compiler tells.
sub check_class_names {
  my (@files) = @_;
  my %defined_in;
  for my $file (@files) {
    my (@scopes, @found);
    while ($file->{code} =~ /([^{};]*)([{};])/g) {
      my ($head, $mark) = ($1, $2);
      $head =~ s/\btemplate\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>//g;
      if ($mark eq '}') { pop @scopes }
      if ($mark eq '{') {
        my $names_all = !grep { !defined } @scopes;
        my ($space) = $head =~ /\bnamespace\s*([\w:]*)\s*$/;
        my ($class) = $head =~ /(?:^|\s)(?:class|struct|enum class)\s+(\w+)(?![\w:<])[^()=]*$/;
        push @found, join '::', @scopes, $class if defined $class && $names_all
          && !grep { $_ eq q() } @scopes;
        push @scopes, $space;
      }
    }
    for my $name (@found) {
      complain($file->{path}, "$name is the name of a class in $defined_in{$name}, too")
        if exists $defined_in{$name};
      $defined_in{$name} //= $file->{path};
    }
  }
}

1;
