# Every shipped spec on the PTX emulator: correct, counted wavefronts equal to the plan's. With the sanitizers, which see code
# and not numbers, the first spec of each family. scripts/test keeps what was compiled in $KGEN_TEST_CACHE for the next build.
set -uo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
export KGEN_CACHE_DIR="${KGEN_TEST_CACHE:-$tmp/cache}"
specs=()
if grep -q '^KGEN_SANITIZE:BOOL=ON' "${KGEN_BUILD:?}/CMakeCache.txt"; then
  mapfile -t specs < <(find specs -name '*.yaml' | sort | xargs awk '$1 == "kernel:" && !seen[$2]++ {print FILENAME}')
  [ ${#specs[@]} -gt 10 ] || { echo "only ${#specs[@]} families"; exit 1; }
fi
"$KGEN" "${specs[@]}" --device emulator --jit --run --json -o "$tmp/out" >"$tmp/json" 2>"$tmp/err"
code=$?
cat "$tmp/err"
if grep -q 'without the CUDA Toolkit\|NVRTC cannot be used' "$tmp/err"; then echo skipped; exit 77; fi
[ $code = 0 ] || { echo "exit $code"; exit 1; }
grep -q '"correct": true' "$tmp/json" || { echo "nothing was run"; exit 1; }
if grep -q '"correct": false' "$tmp/json"; then echo "a result is wrong"; exit 1; fi
if grep -q '"measured_load": null' "$tmp/json"; then echo "something was not counted"; exit 1; fi
if grep -q '"gbps"' "$tmp/json"; then echo "an emulator has no bandwidth"; exit 1; fi
# sm_90 is the same GPUs as sm_90a, which wgmma needs: as sm_90 its kernel only trapped.
"$KGEN" specs/gemm_wgmma_f16_1024.yaml --arch sm_90 --device emulator --run -q --dry-run || { echo "--arch sm_90: exit $?"; exit 1; }
# The launch that is counted takes the tile: with one row of threads a short chunk was summed without it, and nothing counted.
echo '{version: 1, kernel: colsum, dtype: f32, params: {least: 4, vector: 1, blocks: 16}, block: [64]}' >"$tmp/flat.yaml"
"$KGEN" "$tmp/flat.yaml" --device emulator --run -q --dry-run || { echo "colsum of one row of threads: exit $?"; exit 1; }
# More blocks than a strip has chunks: of few columns, sums were stored behind the workspace's end.
echo '{version: 1, kernel: colsum, dtype: f32, params: {least: 1, vector: 1, chunk: 512, blocks: 600}, block: [16, 2]}' >"$tmp/slim.yaml"
"$KGEN" "$tmp/slim.yaml" --device emulator --run -q --dry-run || { echo "colsum of 600 blocks: exit $?"; exit 1; }
