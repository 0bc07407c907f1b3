# docs/reference/json.md names every key of kgen's reports, and no other: keys of real reports are in the page, and words that the
# page gives as keys are in the sources.
. tests/shell/check.bash
"$KGEN" --lint "$source_dir/tests/emu/cases/faults.cu" 2>&1 | grep -q 'NVRTC cannot be used' && { echo "skipped: no NVRTC"; exit 77; }
for name in specs tests templates; do ln -s "$source_dir/$name" .; done
unset KGEN_WISDOM # the measurements that come with kgen

report() { # report NAME ARGUMENT...: the command's JSON in NAME.json
  local name=$1; shift
  "$KGEN" "$@" --json >"$name.json" 2>/dev/null
  holds "a report of $*" python3 -m json.tool "$name.json"
}
report specs --dry-run specs/transpose_f32.yaml specs/gemm_f16_small.yaml specs/operand_wgmma_k_f16.yaml specs/given_rotated_f32.yaml specs/copy_async_f16.yaml specs/tensor_core_pad.yaml specs/conv2d_f32_16x16.yaml
report run --run --device emulator -q specs/banks_one.yaml
report sweep --sweep pad=0,1 specs/transpose_f32.yaml
report front --front specs/tensor_core_pad.yaml
launch=(--grid 2,2 --block 32,8 --arg buf:16384 --arg buf:16384 --arg i32:64)
report conflicts --lint tests/lint/cases/transpose.cu --kernel transpose "${launch[@]}"
report finding --lint tests/emu/cases/faults.cu --kernel race_missing_barrier --grid 1 --block 128 --arg buf:512 --arg buf:512
report same --same tests/lint/cases/same.cu:plain tests/lint/cases/same.cu:one --grid 1 --block 32,32 --arg in=buf:1024xf32 --arg out=buf:1024xf32
report error --dry-run nosuch.yaml
report pads --pads
report doctor --doctor
report version --version
report wisdom --wisdom

PAGE=$source_dir/docs/reference/json.md python3 - *.json >differ <<'PYTHON'
import json
import os
import re
import sys

FREE = {"set", "problem"}  # their keys are names of parameters
page = re.sub(r"^```.*?^```", "", open(os.environ["PAGE"]).read(), flags=re.M | re.S)
told = set(re.findall(r"`([a-z_0-9]+)`", page))


def walk(value, path):
    if isinstance(value, dict):
        for key, part in value.items():
            yield key, path
            if key not in FREE:
                yield from walk(part, f"{path}.{key}")
    elif isinstance(value, list):
        for part in value:
            yield from walk(part, path)


missing = {}
for name in sys.argv[1:]:
    for key, path in walk(json.load(open(name)), name[:-5]):
        if key not in told:
            missing.setdefault(key, path)
for key, path in sorted(missing.items()):
    print(f"docs/reference/json.md lacks `{key}`, of {path}")
PYTHON
check "$([ ! -s differ ]; echo $?)" "$(cat differ)"

# A key of the tables, in backticks in the first column, is written by some source.
sed -n '/^| `/s/^| \([^|]*\)|.*/\1/p' "$source_dir/docs/reference/json.md" | sed 's/ in .*//' | grep -o '`[a-z_0-9]*`' | tr -d '`' | sort -u >keys
while read -r key; do
  holds "some source writes $key" grep -rqF "\"$key\"" "$source_dir/gen" "$source_dir/runtime" --include='*.c' --include='*.h'
done <keys
holds "there are keys" test "$(wc -l <keys)" -ge 40
verdict json
