# Sourced by the shell tests, which start in the source directory: provides a scratch directory and counted checks. No test
# depends on speed: ctest ends a hanging test after an hour. Without -e, because the tests inspect exit codes.
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

# sanitized: the build has sanitizers, which check code and not numbers. A test may then leave out runs of the same code with
# other data; the build without sanitizers has them.
sanitized() { grep -q '^KGEN_SANITIZE:BOOL=ON' "${KGEN_BUILD:?}/CMakeCache.txt"; }

# verdict NAME: the test's last command.
verdict() {
  echo "$1: $checks checks, $failures failed"
  [ $failures = 0 ]
}
