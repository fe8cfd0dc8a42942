# Sourced after common.sh: a real Synapse in a folder that can be run in a chroot.
# Debian sid's package with what it depends on, unpacked once into the build
# folder; nothing of it is installed.

synapse_folder=$build_dir/e2e-synapse
synapse_root=$synapse_folder/root

# The mirror that apt uses for Debian itself.
mirror() {
  local found
  found=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null |
    awk '$2 !~ /security/ { print $1; exit }')
  [ -n "$found" ] || die "apt's sources name no Debian mirror"
  echo "$found"
}

# Unpacks without configuring anything. The links and the two files are what a
# base system has and a chroot needs.
unpack_synapse() {
  local part=$synapse_root.part log=$synapse_folder/unpack.log name
  command -v mmdebstrap >/dev/null || "$root/scripts/setup" --soak
  say "unpacking Synapse from Debian sid"
  rm -rf "$part"
  mkdir -p "$synapse_folder"
  # A mirror may be a snapshot of the past, which is no fault here.
  mmdebstrap --variant=extract --include=matrix-synapse \
    --aptopt='APT::Install-Recommends "false"' \
    --aptopt='Acquire::Check-Valid-Until "false"' \
    --aptopt='Acquire::Check-Date "false"' \
    sid "$part" "$(mirror)" >"$log" 2>&1 </dev/null || {
    tail -n 20 "$log" >&2
    die "mmdebstrap could not unpack Synapse"
  }
  for name in bin sbin lib lib64; do
    [ -e "$part/$name" ] || ln -s "usr/$name" "$part/$name"
  done
  mkdir -p "$part"/{proc,dev,tmp,run,root,data}
  echo 'root:x:0:0:root:/root:/bin/sh' >"$part/etc/passwd"
  echo 'root:x:0:' >"$part/etc/group"
  rm -rf "$part"/usr/share/{doc,man,locale,info} "$synapse_root"
  mv "$part" "$synapse_root"
}

# Unpacks it unless that was done.
have_synapse_root() {
  [ "$(id -u)" = 0 ] || die "must be root, for the chroot"
  [ -d "$synapse_root" ] || unpack_synapse
  export WEIR_SYNAPSE_ROOT=$synapse_root
}
