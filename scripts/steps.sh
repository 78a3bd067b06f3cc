# Sourced by the scripts beside it: progress lines with elapsed seconds, details in a log file, the log's tail on failure.
#   step TEXT                  one line, "[ 12 s] TEXT"
#   run_step TEXT LOG CMD...   runs CMD with its output in LOG, shows that it is alive, prints the tail of LOG when it fails
# The clock starts with the outermost script, so that quickstart's lines count on through setup and build.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${KUMIKO_STARTED:=$(date +%s)}"
export KUMIKO_STARTED

# One compiler cache for all clones of the user; paths below the clone are hashed as relative ones.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

step() {
  printf '[%3d s] %s\n' "$(($(date +%s) - KUMIKO_STARTED))" "$*"
}

# What the last line of a log says about how far the work is: ninja's counter, or what apt is doing.
step_progress() {
  tail -c 4000 "$1" 2>/dev/null | tr '\r' '\n' |
    grep -E '^\[[0-9]+/[0-9]+\]|^(Get:|Unpacking|Setting up|--|I:) ?' | tail -n 1 |
    sed -E 's/^(\[[0-9]+\/[0-9]+\]).*/\1/; s/^(Unpacking|Setting up) ([^ ]+).*/\1 \2/; s/^Get:[^ ]* .*/downloading/; s/^-- .*/configuring/; s/^I: ([A-Za-z]+) .*/\1/' |
    cut -c 1-60
}

run_step() {
  local text=$1 log=$2 pid rc=0 waited=0 said
  shift 2
  mkdir -p "$(dirname "$log")"
  step "$text"
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  trap 'kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; exit 130' INT TERM
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    waited=$((waited + 1))
    if [ -t 1 ] && [ $((waited % 5)) -eq 0 ]; then
      printf '\r\033[K[%3d s]   %s' "$(($(date +%s) - KUMIKO_STARTED))" "$(step_progress "$log")"
    elif [ ! -t 1 ] && [ $((waited % 75)) -eq 0 ]; then
      said=$(step_progress "$log") || true
      step "  ${said:-still at it}"
    fi
  done
  [ -t 1 ] && printf '\r\033[K'
  wait "$pid" || rc=$?
  trap - INT TERM
  if [ "$rc" -ne 0 ]; then
    step "failed: $text (exit $rc); the end of $log:"
    tail -n 40 "$log" >&2
  fi
  return "$rc"
}

# configure PRESET: only when there is no build folder yet or the presets changed; ninja follows CMakeLists.txt by itself.
configure() {
  local build=$root/build/$1
  if [ -f "$build/build.ninja" ] && [ ! "$root/CMakePresets.json" -nt "$build/build.ninja" ]; then
    return 0
  fi
  (cd "$root" && run_step "configure: preset $1" "$root/build/logs/configure-$1.log" cmake --preset "$1") || return 1
  touch "$build/build.ninja"
}

# build_targets PRESET TARGET...: configures when needed, then builds.
build_targets() {
  local preset=$1
  shift
  configure "$preset" || return 1
  run_step "build: $* (preset $preset)" "$root/build/logs/build-$preset.log" ninja -C "$root/build/$preset" "$@"
}
