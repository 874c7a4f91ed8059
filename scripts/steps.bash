# Steps with their times, for the scripts that source this file. It prints and keeps logs; it changes nothing.
# A caller sets `log_folder` before its first step.

aprx_root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

note() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }

die() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  shift
  (($# == 0)) || printf '  %s\n' "$@" >&2
  exit 1
}

# How many compilations the memory carries: 1.5 GB each, since kernel files are large.
build_jobs() {
  local cores by_memory
  cores=$(nproc)
  by_memory=$(awk '/^MemAvailable/ { print int($2 / 1500000) }' /proc/meminfo)
  ((by_memory >= 1)) || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

# configure_and_build PRESET [CMAKE-OPTION…]: progress on standard output, the lines of the build tool.
configure_and_build() {
  local preset=$1
  shift
  note "configure build/$preset"
  cmake --preset "$preset" --log-level=WARNING "$@" >"$log_folder/configure-$preset.log" 2>&1 || {
    tail -n 40 "$log_folder/configure-$preset.log" >&2
    die "configuring build/$preset failed (the lines above; all of them: $log_folder/configure-$preset.log)"
  }
  note "build build/$preset with $(build_jobs) jobs"
  NINJA_STATUS='[%f/%t, %e s] ' cmake --build --preset "$preset" --parallel "$(build_jobs)" ||
    die "building build/$preset failed (see the lines above)"
}
