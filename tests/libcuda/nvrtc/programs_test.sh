# Programs that nvcc builds run on libcuda.so.1 as they are: two units with relocatable code, the runtime static and shared, PTX
# compressed and not; one that holds machine code alone is told how to build.
. tests/shell/check.bash
! grep -q '^KGEN_SANITIZE:BOOL=ON' "${KGEN_BUILD:?}/CMakeCache.txt" || { echo "skipped: the sanitizers must be loaded first"; exit 77; }
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || { echo "skipped: no nvcc"; exit 77; }
here=$source_dir/tests/libcuda/nvrtc
libraries=$(dirname "$(dirname "$nvcc")")/lib64

run() { LD_LIBRARY_PATH=$KGEN_BUILD/exec:$libraries "$@" >out 2>err; }
built() { "$nvcc" -w "$@" >log 2>&1 || { cat log; exit 1; }; }

built -gencode arch=compute_90,code=compute_90 -rdc=true "$here/program.cu" "$here/far.cu" -o linked
holds "two units, the runtime static" run ./linked
holds "it prints what the kernel printed, once: $(cat out err)" test "$(cat out)" = "printed by 0"

echo '__global__ void k(int *p) { *p = 7; }
int main() { int *p, v = 0; cudaMalloc(&p, 4); k<<<1, 1>>>(p); cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost); return v != 7; }' >small.cu
built -cudart shared -Xfatbin --compress-mode=none -arch=sm_90 small.cu -o small
holds "the runtime shared, machine code beside PTX" run ./small
built -gencode arch=compute_90,code=sm_90 small.cu -o machine
holds "machine code alone is refused" sh -c "! LD_LIBRARY_PATH=$KGEN_BUILD/exec ./machine 2>err"
holds "and says how to build" grep -q 'code=compute_90' err
verdict libcuda_programs
