# Sourced by the other scripts; defines names and does nothing.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build_dir=${BUILD_DIR:-$root/build}
case $build_dir in /*) ;; *) build_dir=$PWD/$build_dir ;; esac

# Two compilers fit in the memory of a small machine: a Beast unit takes 1.3 GB.
jobs=${JOBS:-2}

# What is fetched once and kept between builds (a newer Node).
cache_dir=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
cache_dir=${cache_dir:-$root/.cache}/weir

# The oldest Node that the client tests run on, and the one that is fetched from
# npm where the system has none that is new enough.
node_major_min=20
node_version=20.20.2
node_dir=$cache_dir/node-$node_version

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

# Prints the folder of a Node that is new enough; fails when there is none.
node_bin_dir() {
  local folder candidate
  for folder in "$node_dir/bin" $(tr ':' ' ' <<<"$PATH"); do
    candidate=$folder/node
    [ -x "$candidate" ] || continue
    if [ "$("$candidate" -p 'parseInt(process.versions.node)' 2>/dev/null ||
      echo 0)" -ge $node_major_min ]; then
      echo "$folder"
      return 0
    fi
  done
  return 1
}
