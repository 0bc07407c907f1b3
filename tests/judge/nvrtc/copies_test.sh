# cp.async on the PTX emulator: no stores, and what the plan says of both kinds of copies; --lint shows them.
. tests/shell/check.bash
export KGEN_CACHE_DIR="${KGEN_TEST_CACHE:-$PWD/cache}"
cp "$source_dir"/tests/judge/gpu/exact/gemm_copies.yaml ca.yaml
sed 's/bypass: 0/bypass: 1/; s/gemm_copies/gemm_past_l1/' ca.yaml >cg.yaml
"$KGEN" --device emulator --run --json --dry-run ca.yaml cg.yaml >run.json 2>err
code=$?
if grep -q 'NVRTC cannot be used' err; then echo "skipped: no NVRTC"; exit 77; fi
check $code "exit $code: $(cat err)"
holds "copies are counted apart, and as predicted" python3 - <<'PYTHON'
import json
ca, cg = (s["run"]["wavefronts"] for s in json.load(open("run.json"))["specs"])
for count in ca, cg:
    assert count["predicted_store"] == count["measured_store"] == 0, count
    assert count["predicted_copy"] == count["measured_copy"] > 0, count
    assert count["predicted_wgmma"] == count["measured_wgmma"] == 0, count
assert ca["measured_copy"] > cg["measured_copy"], (ca, cg) # eight source lines a group are 8 to .ca
PYTHON
# Threads without a piece, or with one less than others, of which a tile at the matrix's edge has some, too; and tiles that
# begin within a line of 128 bytes, of which a launch that is counted has one.
printf 'version: 1\nkernel: gemm\nname: ragged_f16\ndtype: f16\nparams: {block_m: 192, block_n: 48, block_k: 96, stages: 3, warps_m: 4, warps_n: 1, trans_a: 1}\n' >ragged_f16.yaml
printf 'version: 1\nkernel: gemm_f32\nname: ragged_f32\nparams: {block_m: 128, block_n: 64, block_k: 24, trans_a: 1}\n' >ragged_f32.yaml
expect 0 '^ragged_f32 +yes' --device emulator --run --dry-run ragged_*.yaml "$source_dir"/tests/judge/gpu/exact/gemm_*idle_copies.yaml
# transpose_odd of the other widths, whose words hold one element or two.
for dtype in f16 f32 f64 c128; do
  printf 'version: 1\nkernel: transpose_odd\nname: odd_%s\ndtype: %s\n' $dtype $dtype >odd_$dtype.yaml
done
sed -i '$a tile: [32, 8, 32]\nblock: [128]\nparams: {vector: 8, band: 2}' odd_f16.yaml
sed 's/odd_f16/odd_u8/; s/f16/u8/; s/8, band: 2/16, band: 1/; s/32, 8, 32/32, 16, 64/' odd_f16.yaml >odd_u8.yaml
# A block of one warp has a default of blocks_per_sm, too.
printf 'version: 1\nkernel: transpose_odd\nname: odd_warp\ndtype: u8\ntile: [32, 8, 8]\nblock: [32]\n' >odd_warp.yaml
expect 0 '^odd_f64 +yes' --device emulator --run --dry-run odd_warp.yaml odd_u8.yaml odd_f16.yaml odd_f32.yaml odd_f64.yaml odd_c128.yaml
# Small images are filtered by tiles, large ones by warps that walk, in a kernel each: here from 4,200 outputs
# on, which one of the checked sizes has. What is reported is of the first kernel: the other one of 3x3 is empty.
printf 'version: 1\nkernel: conv2d\nname: conv2d_both\ndtype: f32\nparams: {radius: 3, walk_from: 4200}\n' >both.yaml
expect 0 '^conv2d_both +1120 +1120 ' --device emulator --run --dry-run both.yaml
expect 0 '^conv2d_f32 +[0-9][0-9] ' --jit --device emulator --dry-run "$source_dir/specs/conv2d_f32.yaml"
# Iterations with more rows than the filter has: the rows of the last iteration complete as many outputs.
printf 'version: 1\nkernel: conv2d\nname: conv2d_turns\ndtype: f32\nparams: {radius: 3, strip: 0, ring: 16, turn: 8, rounds: 3}\n' >turns.yaml
expect 0 '^conv2d_turns +yes' --device emulator --run --dry-run turns.yaml
# Chunks of one row: the checked sizes have a row less than a chunk at most where one is left.
printf 'version: 1\nkernel: colsum\nname: colsum_rows\ndtype: f32\nparams: {chunk: 1, least: 1, blocks: 16}\n' >rows.yaml
expect 0 '^colsum_rows +yes' --device emulator --run --dry-run rows.yaml
# Tiles that the TMA loads, for mma.sync, in the forms that no spec has: transposed, bf16, f32 sums, two blocks an SM.
product() { printf 'version: 1\nkernel: gemm_tma\nname: tma_%s\n%s\nparams: {%s, %s}\n' "$1" "$2" "$small" "$3" >"tma_$1.yaml"; }
small='block_m: 64, block_n: 128, stages: 3, warps_n: 2'
product nt 'dtype: f16' 'trans_b: 1'
product tn 'tiles: {a: {dtype: bf16}, b: {dtype: bf16}, c: {dtype: f32}}' 'trans_a: 1'
product tt 'dtype: bf16' 'trans_a: 1, trans_b: 1, blocks_per_sm: 2'
# Several tiles of C and several rounds of the ring per block.
small="$small, blocks: 1"
product turns 'dtype: f16' 'band: 1'
product turns_tn 'dtype: bf16' 'trans_a: 1'
# Threads that do not divide an SM's registers, or three consumers: what these acquire must be in the block's pool.
small='block_n: 256, stages: 2, buffers: 1'
product pool 'dtype: f16' 'block_m: 128, warps_m: 4'
product pool_two 'dtype: f16' 'block_m: 64, blocks_per_sm: 2'
printf 'version: 1\nkernel: gemm_wgmma\nname: wgmma_three\ndtype: f16\nparams: {block_m: 192, block_n: 64, stages: 2, consumers: 3, cluster: 1}\n' >three.yaml
expect 0 '^tma_tt +yes' --device emulator --run --dry-run tma_*.yaml three.yaml
cat >copy.cu <<'CUDA'
extern "C" __global__ void copy_rows(const uint4 *from) {
  __shared__ uint4 tile[32 * 9];
  const unsigned row = threadIdx.x / 8, to = __cvta_generic_to_shared(&tile[row * 9 + threadIdx.x % 8]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
               "l"(__cvta_generic_to_global(from + row * 64 + threadIdx.x % 8)));
  asm volatile("cp.async.wait_all;");
}
CUDA
expect 0 'shared cp_async 16-byte lanes, *1 times: *10 wavefronts, ideal 4' \
  --lint copy.cu --kernel copy_rows --grid 1 --block 32 --arg buf:65536
expect 0 '"op": "cp_async"' --lint copy.cu --kernel copy_rows --grid 1 --block 32 --arg buf:65536 --json
verdict judge_copies
