package StyleProse;
# Checks on the pages: links lead somewhere, and every line that the log may show
# an operator is told in docs/operations.md.
use strict;
use warnings;
use Exporter 'import';
use Sources qw(line_of is_product);
use Style qw(complain);
our @EXPORT_OK = qw(check_links check_log_lines check_mentions);

# The anchors that a page offers: those of its headings, and named ones.
sub anchors_of {
  my ($text) = @_;
  my %anchors = map { $_ => 1 } $text =~ /<a id="([^"]+)">/g;
  for my $heading ($text =~ /^#+ +(.*?) *$/mg) {
    my $slug = lc $heading;
    $slug =~ s/[^\w\- ]//g;
    $slug =~ tr/ /-/;
    $anchors{$slug} = 1;
  }
  return \%anchors;
}

# Links between pages lead somewhere. $exists holds files and their folders.
sub check_links {
  my ($file, $exists, $texts) = @_;
  (my $prose = $file->{text}) =~ s/^```.*?^```//gms;
  my ($folder) = $file->{path} =~ m{^(.*)/};
  while ($prose =~ /\]\(([^)\s]+)\)/g) {
    my ($target, $anchor) = split /#/, $1, 2;
    next if $target =~ m{^\w+:};
    my @parts = ((defined $folder && $target ne '' ? split m{/}, $folder : ()),
      split m{/}, $target eq '' ? $file->{path} : $target);
    my @path;
    for (@parts) { $_ eq '..' ? pop @path : $_ ne '.' && push @path, $_ }
    my $path = join '/', @path;
    complain($file->{path}, "a link to nothing: $1") unless $exists->{$path};
    complain($file->{path}, "a link to no heading: $1")
      if defined $anchor && $texts->{$path} && !anchors_of($texts->{$path})->{$anchor};
  }
}

# A page that a source names is there.
sub check_mentions {
  my ($file, $exists) = @_;
  while ($file->{text} =~ m{\b(docs/[\w/.-]+\.md)\b}g) {
    my ($page, $line) = ($1, line_of($file->{text}, $-[0]));
    complain("$file->{path}:$line", "names no page: $page") unless $exists->{$page};
  }
}

# A warning or an error asks something of a person, so its phrase, which is the
# text before the first `key=`, stands in $operations.
sub check_log_lines {
  my ($file, $operations) = @_;
  while ($file->{text} =~ /\blog_?\.(?:warn|error)\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)/g) {
    my $line = line_of($file->{text}, $-[0]);
    my $text = join '', $1 =~ /"((?:[^"\\]|\\.)*)"/g;
    my ($phrase) = $text =~ /^(.*?)(?: \w+=|$)/;
    $phrase =~ s/ *\{\}.*//;
    complain("$file->{path}:$line", "docs/operations.md does not tell of: $phrase")
      if index($operations, "`$phrase`") < 0;
  }
}

1;
