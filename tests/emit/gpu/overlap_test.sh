# Launches that start before the one before has ended wait for what it writes and for what it reads.
. tests/shell/check.bash
"$KGEN" -q --device cuda --run --dry-run "$source_dir"/specs/gemm_wgmma_f16_1024.yaml >log 2>&1
code=$?
if [ $code = 77 ]; then echo "skipped: no GPU"; exit 77; fi
check $code "exit $code: $(cat log)"
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || { echo "skipped: no nvcc"; exit 77; }
"$KGEN" -q -o . "$source_dir"/specs/gemm_wgmma_f16_1024.yaml >log || { cat log; exit 1; }
"$nvcc" -std=c++17 -arch=sm_90a "$source_dir"/tests/emit/gpu/overlap.cu gemm_wgmma_f16_1024.cu -o overlap || exit 1
for launches in 1 2 501; do holds "$launches launches of it" ./overlap 1024 $launches; done
verdict emit_overlap
