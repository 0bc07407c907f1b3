# Two-dimensional blocks with as many threads as a kernel template's default: rejected, or correct on the emulator and counted as
# predicted.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"
mkdir shapes
for declaration in "$source_dir"/templates/*.yaml; do
  family=$(basename "$declaration" .yaml)
  printf 'version: 1\nkernel: %s\n' "$family" >own.yaml
  threads=$("$KGEN" own.yaml --dry-run --no-wisdom --json | python3 -c '
import json, math, sys
print(math.prod(json.load(sys.stdin)["specs"][0]["block"]))') || check 1 "$family alone"
  printf 'version: 1\nkernel: %s\nblock: [%d, 16]\n' "$family" $((threads / 16)) >"shapes/$family.yaml"
  "$KGEN" "shapes/$family.yaml" --dry-run --no-wisdom -q >stdout 2>stderr; code=$?
  check $((code != 0 && code != 3)) "$family: exit $code"
  [ $code = 0 ] || rm "shapes/$family.yaml"
done
for family in gemm_tma gemm_wgmma; do
  holds "$family, whose warpgroups are told by threadIdx.x, refuses them" test ! -e shapes/$family.yaml
done
holds "most families take them" test "$(ls shapes | wc -l)" -ge 10
"$KGEN" shapes --jit --run --device emulator --no-wisdom -o out >stdout 2>stderr; code=$?
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
check $code "exit $code: $(cat stderr)"
verdict judge_blocks
