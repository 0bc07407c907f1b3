# A kernel whose template declares `linear: true` gets a layout that moves bits, and is correct with it; without that it gets none.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"
cat >moves.yaml <<'E2'
version: 1
kernel: scan_rows
dtype: f32
tile: [512]
block: [256]
access:
  - {name: a, op: store, lanes: [0, 8, 9, 1, 68, 76, 77, 69, 24, 16, 17, 25, 92, 84, 85, 93, 10, 2, 3, 11, 78, 70, 71, 79, 18, 26, 27, 19, 86, 94, 95, 87]}
  - {name: b, op: load, lanes: [0, 64, 3, 67, 1, 65, 2, 66, 16, 80, 19, 83, 17, 81, 18, 82, 24, 88, 27, 91, 25, 89, 26, 90, 8, 72, 11, 75, 9, 73, 10, 74]}
  - {name: c, op: load, lanes: [0, 34, 0, 34, 65, 99, 65, 99, 36, 6, 36, 6, 101, 71, 101, 71, 64, 98, 64, 98, 1, 35, 1, 35, 100, 70, 100, 70, 37, 7, 37, 7]}
E2
# It is not the kernel's own accesses that the spec gives, so that the counts differ: exit code 1.
"$KGEN" run --device emulator --json moves.yaml -o out >run.json 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
holds "the kernel is correct with moved bits" python3 -c "
import json; s = json.load(open('run.json'))['specs'][0]
assert s['layout']['kind'] == 'linear' and len(s['layout']['matrix']) == 9, s['layout']
assert s['conflict_free'] and s['minimal'] and s['run']['correct'], s['run']"
cp -r "$KGEN_TEMPLATES" strict
sed -i '/^  linear: true/d' strict/scan_rows.yaml
expect 0 '' --dry-run --json --templates strict moves.yaml
holds "not without the declaration" python3 -c "
import json; s = json.load(open('stdout'))['specs'][0]
assert s['layout']['kind'] != 'linear' and not s['minimal'], s['layout']
assert 'other linear layouts were not searched' in s['certificate']['claim'], s['certificate']['claim']"
verdict linear
