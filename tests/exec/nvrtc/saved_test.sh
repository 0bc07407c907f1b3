# A launch of the documentation's example, saved and repeated by kgen lint. docs_commands runs what the pages show.
. tests/shell/check.bash
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
command -v nvcc >/dev/null || { echo "no nvcc"; exit 77; }
# A library with the sanitizers in it needs a program that has them.
! sanitized || { echo "skipped: built with sanitizers"; exit 77; }
PATH=$(dirname "$KGEN"):$PATH
cp -r "$source_dir/docs" .
holds "the example compiles" nvcc -g -lineinfo -arch=sm_90 docs/examples/row_sums_fixed.cu -o row_sums

# A launch of it, saved: the report names the source once, and quotes its lines.
kgen exec -q --error-exit 0 --save saved ./row_sums >/dev/null 2>&1
kgen lint saved/0001-* >repeated 2>&1
holds "the file is named once: $(cat repeated)" test "$(grep -c '^  .*row_sums_fixed.cu:$' repeated)" = 1
holds "its lines are quoted" grep -q '^ *[0-9]*  .*sum += tile' repeated
holds "the kernel is not named twice" sh -c '! grep -q "^  launch " repeated'
verdict saved_test
