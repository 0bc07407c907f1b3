# Every shipped spec on the GPU: correct, measured wavefronts equal to the plan's, timed.
set -uo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
"$KGEN" --device cuda --run --json -o "$tmp/out" >"$tmp/json" 2>"$tmp/err"
code=$?
if [ $code = 77 ]; then echo "skipped: no GPU"; exit 77; fi
cat "$tmp/err"
[ $code = 0 ] || { echo "exit $code"; exit 1; }
grep -q '"correct": true' "$tmp/json" || { echo "nothing was run"; exit 1; }
if grep -q '"correct": false' "$tmp/json"; then echo "a result is wrong"; exit 1; fi
grep -q '"memcpy_ratio"' "$tmp/json" || { echo "nothing was timed"; exit 1; }
grep -q '"measured_load": [0-9]' "$tmp/json" || echo "counters were not available"
