# Sourced by the shell tests, which start in the source folder: a scratch folder to work in, and counted checks.
# No test depends on speed: what hangs is ended by ctest, after an hour. Not -e: what a command exits with is what the tests look at.
set -uo pipefail
source_dir=$PWD
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp" || exit
checks=0 failures=0

# check PASSED WHY: counts one check; PASSED is an exit code.
check() {
  checks=$((checks + 1))
  [ "$1" = 0 ] && return
  failures=$((failures + 1))
  echo "$2"
}

# expect CODE PATTERN ARGUMENT...: kgen's exit code, and a line of stdout or stderr that matches, unless PATTERN is empty.
# Its stdout and stderr stay in files of those names.
expect() {
  local want=$1 pattern=$2 got=0; shift 2
  "$KGEN" "$@" >stdout 2>stderr || got=$?
  [ $got = "$want" ] && { [ -z "$pattern" ] || grep -Eqh -- "$pattern" stdout stderr; }
  check $? "exit $got, want $want and /$pattern/: $*
$(head -5 stderr)"
}

# exits CODE ARGUMENT...: kgen's exit code alone.
exits() { expect "$1" '' "${@:2}"; }

# holds WHAT COMMAND...: the command succeeds.
holds() {
  local what=$1; shift
  "$@" >/dev/null 2>&1
  check $? "failed: $what"
}

# sanitized: the build has sanitizers, which see code and not numbers. Then a test may leave out what runs the same code once
# more with other data: the build without them checks that.
sanitized() { grep -q '^KGEN_SANITIZE:BOOL=ON' "${KGEN_BUILD:?}/CMakeCache.txt"; }

# verdict NAME: the test's last command.
verdict() {
  echo "$1: $checks checks, $failures failed"
  [ $failures = 0 ]
}
