# Transposes of thin and of small matrices, of each size of element: correct at full and odd sizes, with gaps and without, and
# as many wavefronts as predicted, with the layout and without.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR=$tmp/cache
"$KGEN" --doctor >doctor 2>&1
grep -qi 'nvrtc.*none\|no NVRTC' doctor && { echo "judge_thin: skipped: no NVRTC"; exit 77; }

# spec KERNEL DTYPE ROWS COLS BATCH [PARAMS]
spec() {
  printf 'version: 1\nname: %s_%s_%sx%s\nkernel: %s\ndtype: %s\nproblem: {rows: %s, cols: %s, batch: %s}\nparams: {%s}\n' \
    "$1" "$2" "$3" "$4" "$1" "$2" "$3" "$4" "$5" "${6:-}" >"$1_$2_$3x$4.yaml"
}
spec transpose_skinny u8 3 1000000 1
spec transpose_skinny u8 1000000 4 1
spec transpose_skinny u8 1 100000 1
spec transpose_skinny f16 33 77777 1
spec transpose_skinny f16 100000 64 1
spec transpose_skinny f16 10 5000 3 'row_bytes: 512'
spec transpose_skinny f32 3 100000 1
spec transpose_skinny f32 100000 6 1 'vector: 1'
spec transpose_skinny f64 1000 17 5
spec transpose_skinny c128 64 100000 1
spec transpose_small u8 5 7 1000
spec transpose_small u8 31 33 100
spec transpose_small f16 32 32 100
spec transpose_small f32 8 8 1000
spec transpose_small f64 64 3 100
spec transpose_small c128 16 16 100
# A layout whose XOR also changes the row keeps vectors whole.
printf 'version: 1\nkernel: transpose\ndtype: f16\ntile: [32, 32]\nblock: [32]\nparams: {vector: 8}\n' >row_and_column.yaml
exits 0 --run --device emulator --json --no-wisdom ./*.yaml
python3 - >told 2>&1 <<'E2'
import json
specs = json.load(open("stdout"))["specs"]
assert len(specs) == 17, len(specs)
for s in specs:
    for run in s["run"], s["run"]["control"]:
        counts = run["wavefronts"]
        assert run["correct"], s["name"]
        for kind in "load", "store":
            assert counts["predicted_" + kind] == counts["measured_" + kind] > 0, (s["name"], counts)
E2
check $? "$(tail -1 told)"

expect 3 'a matrix must have at most 16384 elements' --dry-run --no-wisdom <(printf 'version: 1\nname: a\nkernel: transpose_small\nproblem: {rows: 200, cols: 100}\n')
expect 3 "'side' is 65, but must be 1 to 64" --dry-run --no-wisdom <(printf 'version: 1\nname: a\nkernel: transpose_skinny\nparams: {side: 65}\n')

verdict judge_thin
