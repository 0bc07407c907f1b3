# The CuTe forms that headers name, pasted into a program against CUTLASS, give the offsets of the headers' functions at every
# coordinate. CUTLASS is in $CUTLASS_INCLUDE, or where scripts/install --tests puts it, or a checkout next to this one.
. tests/shell/check.bash
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
include=
for folder in "${CUTLASS_INCLUDE:-}" "$source_dir/build/cutlass/include" "$source_dir/../cutlass/include" /usr/local/cutlass/include; do
  if [ -n "$folder" ] && [ -f "$folder/cute/layout.hpp" ]; then include=$folder; break; fi
done
[ -x "$nvcc" ] || { echo "skipped: no nvcc"; exit 77; }
[ -n "$include" ] || { echo "skipped: no CUTLASS (scripts/install --tests fetches it)"; exit 77; }

# spec NAME DTYPE TILE LAYOUT AT: one access of a tile
spec() {
  printf 'version: 1\nkernel: none\ndtype: %s\ntile: %s\nlayout: %s\naccess:\n  - {at: %s}\n' "${@:2}" >"$1.yaml"
}
spec xor32 f32 '[32, 32]' xor '[lane, 0]'
spec pad32 f32 '[32, 32]' pad '[lane, 0]'
spec xor64 f32 '[64, 64]' xor '[lane, 3]'
spec pad24 f32 '[32, 24]' pad '[lane, 5]'
spec wide f64 '[32, 16]' xor '[lane, 0]'
spec bytes u8 '[32, 128]' xor '[lane, 0]'
spec halves f16 '[64, 64]' xor '[lane, 0]'
spec odd f32 '[7, 48]' auto '[lane % 7, 0]'
spec none f32 '[5, 9]' none '[lane % 5, lane / 5]'
spec one_none f32 '[500]' none '[lane]'
spec one_pad f32 '[1024]' pad '[32 * lane]'
spec one_xor f32 '[1024]' xor '[32 * lane]'
spec one_half f16 '[4096]' xor '[64 * lane]'
spec three_pad f32 '[3, 32, 32]' pad '[1, lane, 2]'
spec three_xor f32 '[3, 32, 32]' xor '[1, lane, 2]'
spec four_pad f16 '[2, 3, 32, 64]' pad '[1, 2, lane, 2]'
spec given_down f16 '[64, 64]' '{cute: [3, 3, 4]}' '[lane, 2]'
spec given_up f32 '[32, 32]' '{cute: [2, 1, -6]}' '[lane, 2]'
spec four_xor f16 '[2, 3, 32, 64]' xor '[1, 2, lane, 2]'
"$KGEN" -q -o out ./*.yaml "$source_dir"/specs/{operand_f16_128x32,stages_4,structs_3,conv_halo_34,lanes_33,tensor_core_xor}.yaml

# A loop over the coordinates of a header's function, as many as it has parameters.
compare() {
  local name=$1 form=$2 header=out/$1.h rank extents extent i at=
  rank=$(grep -o "${name}_offset(int [^)]*)" "$header" | head -1 | grep -o 'int ' | wc -l)
  extents=$(sed -n '1s/^[^[]*\[\([0-9, ]*\)\].*/\1/p' "$header" | tr -d ,)
  echo "{ const auto layout = $form;"
  i=0; for extent in $extents; do echo "for (int c$i = 0; c$i < $extent; c$i++)"; i=$((i + 1)); done
  at=$(for ((i = 0; i < rank; i++)); do echo -n "c$i, "; done); at=${at%, }
  echo "  { places++; wrong += static_cast<int>(layout($at)) != ${name}_offset($at); } }"
}
{
  echo '#include <cute/tensor.hpp>'
  for header in out/*.h; do echo "#include \"$header\""; done
  printf '#include <cstdio>\nusing namespace cute;\nint main() { int wrong = 0, places = 0;\n'
  for header in out/*.h; do
    name=$(basename "$header" .h)
    form=$(sed -n 's/^ \* CuTe: \(.*{})*\).*/\1/p' "$header")
    [ -z "$form" ] || compare "$name" "$form"
  done
  printf 'std::printf("%%d of %%d\\n", wrong, places); return wrong != 0; }\n'
} >main.cu
count=$(grep -c 'const auto layout' main.cu)
holds "20 layouts and more have a form" test "$count" -ge 20
"$nvcc" -std=c++17 -arch=sm_90 -I"$include" -I. main.cu -o main >log 2>&1; check $? "nvcc takes the forms: $(grep error log | head -3)"
holds "the same offsets" ./main
echo "$(./main) offsets differ, $count layouts"
verdict cutlass
