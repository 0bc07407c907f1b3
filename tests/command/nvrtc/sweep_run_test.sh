# The pad sweep of a transpose on the emulator: correct everywhere, counted as predicted.
set -uo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
export KGEN_CACHE_DIR="${KGEN_TEST_CACHE:-$tmp/cache}"
"$KGEN" --sweep pad=0..8 --run --device emulator --json specs/transpose_f32.yaml >"$tmp/json" 2>"$tmp/err"
code=$?
if grep -q 'without the CUDA Toolkit\|NVRTC cannot be used' "$tmp/err"; then echo skipped; exit 77; fi
[ $code = 0 ] || { cat "$tmp/err"; echo "exit $code"; exit 1; }
python3 - "$tmp/json" <<'E2' || exit 1
import json, sys
runs = [c["run"] for c in json.load(open(sys.argv[1]))["sweep"]]
assert all(r["correct"] and "control" not in r and "time_ms" not in r for r in runs), runs
counts = [r["wavefronts"] for r in runs]
assert all(w["measured_" + op] == w["predicted_" + op] for w in counts for op in ("load", "store")), counts
free = counts[1]["measured_load"]
assert [w["measured_load"] / free for w in counts] == [32, 1, 2, 1, 4, 1, 2, 1, 8, 1], counts
assert {w["measured_store"] for w in counts} == {counts[0]["measured_store"]}, counts
E2

# A wrong kernel is exit 1, and named by what the sweep sets.
cp -r templates "$tmp/templates"
sed -i 's/= in\[e\]/= in[e + 1]/' "$tmp/templates/copy.cu"
"$KGEN" --templates "$tmp/templates" --sweep pad=0,4 --run --device emulator -q specs/copy_f32.yaml 2>"$tmp/err"
code=$?
[ $code = 1 ] && grep -q '^kgen: copy_f32 pad=4: ' "$tmp/err" || { cat "$tmp/err"; echo "exit $code"; exit 1; }
echo "sweep on the emulator: all as predicted"
