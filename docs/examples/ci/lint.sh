#!/usr/bin/env bash
# Lints the kernels of a repository: a line each at the end of this file. Exit 1 if one of them is worse than its baseline in
# ci/NAME.json, or has none yet. `ci/lint.sh --renew` writes the baselines instead; a kernel that cannot be judged keeps its own.
set -uo pipefail
cd "$(dirname "$0")/.."
renew=${1:-} failed=0
mkdir -p sarif

lint() { # lint NAME ARGUMENT...: what stands after kgen lint
  local name=$1; shift
  if [ "$renew" = --renew ]; then
    local report
    report=$(kgen lint "$@" --json)
    if [ $? -le 1 ]; then echo "$report" >"ci/$name.json"; else failed=1; fi # 1: judged, and it has findings
    return
  fi
  kgen lint "$@" --baseline "ci/$name.json" --sarif "sarif/$name.sarif" --markdown >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}" || failed=1
}

lint transpose src/transpose.cu --kernel transpose --grid 2,2 --block 32,8 --arg buf:16384 --arg buf:16384 --arg i32:64

exit $failed
