# wmma on the emulator: right products, and the accesses that ptxas makes of each load and store (by the machine code of
# sm_90: LDSM.x4 for operands in shared memory, 4 and 8 bytes per lane for the rest).
. tests/shell/check.bash
lint=$source_dir/tests/lint/cases
"$KGEN" --lint "$lint/wmma.cu" >/dev/null 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
row=nvcuda::wmma::row_major col=nvcuda::wmma::col_major

product() { # TYPE LAYOUT-A LAYOUT-B SUM SUM-ROWS PITCH SHARED
  expect 0 '"findings": \[\]' --lint "$lint/wmma.cu" --kernel "product<$1, $2, $3, $4, $5, $6, $7>" --grid 1 --block 32 --arg buf:8192 --json
}
accesses() { # OP BYTES: instructions and wavefronts in the lines of loads and stores of matrices
  python3 -c "
import json
lines = [i for i, l in enumerate(open('$lint/wmma.cu'), 1) if '_matrix_sync' in l]
rows = [a for a in json.load(open('stdout'))['lint']['accesses'] if a['line'] in lines and (a['op'], a['bytes_per_lane']) == ('$1', $2)]
print(sum(a['instructions'] for a in rows), sum(a['wavefronts'] for a in rows))"
}

sanitized || for shared in true false; do
  product half $row $row float true 24 $shared
  product half $row $col float false 24 $shared
  product half $col $row half true 16 $shared
  product half $col $col half false 40 $shared
  product __nv_bfloat16 $row $col float true 24 $shared
  product __nv_bfloat16 $col $row float false 24 $shared
done

# Two operands by one ldmatrix.x4 each: free at a pitch of 48 bytes, 4 times as much at 128.
product half $row $row float true 24 true
check "$([ "$(accesses ldmatrix 16)" = '2 8' ]; echo $?)" "at 48 bytes: $(accesses ldmatrix 16)"
check "$([ "$(accesses load 8)" = '4 8' ]; echo $?)" "C by rows at 24 floats: $(accesses load 8)"
check "$([ "$(accesses store 8)" = '4 8' ]; echo $?)" "D by rows at 24 floats: $(accesses store 8)"
product half $row $row float false 64 true
check "$([ "$(accesses ldmatrix 16)" = '2 64' ]; echo $?)" "at 128 bytes: $(accesses ldmatrix 16)"
check "$([ "$(accesses store 4)" = '8 32' ]; echo $?)" "D by columns at 64 floats: $(accesses store 4)"

# --- wgmma: listed apart from what threads read ---
hopper=(--lint "$source_dir/tests/emu/cases/wgmma.cu" --arg buf:65536:zero --arg buf:16384:zero --grid 1)
expect 0 '^ *wgmma  .* 16 times: +512 wavefronts, never in conflict$' "${hopper[@]}" --arch sm_90a --kernel single_buffer --block 128
holds "the line of the products" sh -c "grep -B1 'wgmma  ' stdout | grep -q 'MULTIPLY(d, t);'"
holds "in all" grep -q '^16 wgmma, which read their operands in 512 wavefronts$' stdout
holds "those of threads" grep -q '^512 wavefronts, 0 of them conflicts' stdout
expect 0 . "${hopper[@]}" --arch sm_90a --kernel specialised --block 256 --json
holds "in JSON" python3 -c "import json; w = json.load(open('stdout'))['lint']['wgmma']; assert [(a['instructions'], a['wavefronts']) for a in w] == [(16, 512)], w"
expect 1 'in-flight: reads an accumulator of the wgmma at line' "${hopper[@]}" --arch sm_90a --kernel early_read --block 128
expect 5 'wgmma.fence.sync.aligned: exists on sm_90a alone, and this is PTX for sm_90 ' "${hopper[@]}" --kernel single_buffer --block 128
holds "what would do" grep -q 'hint: with --arch sm_90a it would be executed' stderr
verdict lint_wmma
