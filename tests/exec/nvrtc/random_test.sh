# Random CUDA kernels in all ways of execution: checked, unchecked, and translated to C. scripts/random_kernels writes as many as one likes.
. tests/shell/check.bash
command -v nvcc >/dev/null || { echo "skipped: no nvcc"; exit 77; }
# A library with the sanitizers in it needs a program that has them.
! sanitized || { echo "skipped: built with sanitizers"; exit 77; }
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache"
holds "a program is written" "$source_dir/scripts/random_kernels" 1 20 random.cu
"$source_dir/scripts/random_kernels" 1 20 again.cu
holds "a seed's program is the same again" cmp random.cu again.cu
built() { nvcc -w -std=c++17 -arch=sm_90 "$1.cu" -o "$1" 2>log; check $? "nvcc: $(head -5 log)"; }
built random
# right WHAT ARGUMENT...
right() {
  local what=$1; shift
  expect 0 '' --exec -q "$@" -- ./random
  holds "$what: $(cat stdout)" grep -qx right stdout
}
right "checked"
right "unchecked, interpreted" --launches 0 --no-native
ROUNDS=10 right "unchecked, while they are translated" --launches 0
translated=$(find cache -name '*.entry' | wc -l)
[ "$translated" -gt 0 ]; check $? "nothing was translated"
ROUNDS=3 right "translated before" --launches 0
# A wrong evaluation is seen: in this one sums begin with 1.
"$source_dir/scripts/random_kernels" 5 6 other.cu
holds "the other one sums" grep -q 'summed(O' other.cu
sed '/static uint32_t summed/,/^}/s/out = 0;/out = 1;/' other.cu >wrong.cu
built wrong
expect 1 '' --exec -q --launches 0 -- ./wrong
holds "a wrong result is seen" grep -qx wrong stdout
verdict exec_random
