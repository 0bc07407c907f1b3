# Programs built by nvcc run on libcuda.so.1 unmodified: two units with relocatable code; static and shared runtime; PTX
# compressed and not. A program with machine code only gets a message that says how to build it; it runs if PTX was left in the
# machine code.
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

# Its launches may start early, each one before the last has ended, and wait for it.
cat >small.cu <<'END'
__global__ void step(int *p) {
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  *p = 3 * *p + 1;
}
int main() {
  int *p, v = 0;
  cudaLaunchAttribute early = {cudaLaunchAttributeProgrammaticStreamSerialization};
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {1, 1, 0, nullptr, &early, 1};
  if (cudaMalloc(&p, 4) || cudaMemset(p, 0, 4)) return 1;
  for (int i = 0; i < 4; i++)
    if (cudaLaunchKernelEx(&config, step, p)) return 2;
  if (cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost) || cudaFree(p)) return 3;
  return v != 40;
}
END
built -cudart shared -Xfatbin --compress-mode=none -arch=sm_90 small.cu -o small
holds "the runtime shared, machine code beside PTX: $(cat out err)" run ./small
holds "judged" "$KGEN" --exec -q -- ./small

# A template's kernel is launched through a stub of a stub.
echo 'template <int N> __global__ void put(int *p) { p[threadIdx.x] = N; }
static void launch(int *p) { put<3><<<1, 64>>>(p); }
int main() { int *p; return cudaMalloc(&p, 128) || (launch(p), cudaDeviceSynchronize()) || cudaFree(p); }' >stubs.cu
for level in -O0 -O3; do
  built -g $level -arch=sm_90 stubs.cu -o stubs
  "$KGEN" --exec -- ./stubs >out 2>err
  holds "the place of a launch, $level: $(grep launched err)" grep -Eq 'launched from (main|launch\(int\*\)) at stubs.cu:2$' err
done
built -gencode arch=compute_90,code=sm_90 small.cu -o machine
holds "machine code alone is refused" sh -c "! LD_LIBRARY_PATH=$KGEN_BUILD/exec ./machine 2>err"
holds "and says how to build" grep -q 'code=compute_90,' err
built -gencode arch=compute_90a,code=sm_90a small.cu -o machine
holds "of sm_90a alone, too" sh -c "! LD_LIBRARY_PATH=$KGEN_BUILD/exec ./machine 2>err"
holds "it is named" grep -q 'machine code alone, of sm_90a$' err
holds "and so is its PTX" grep -q 'arch=compute_90a,code=compute_90a,' err
built -gencode arch=compute_90,code=sm_90 -rdc=true "$here/program.cu" "$here/far.cu" -o machine
holds "two units of machine code alone" sh -c "! LD_LIBRARY_PATH=$KGEN_BUILD/exec ./machine 2>err"
holds "are one reason" grep -q 'it holds machine code alone, of sm_90$' err

# For one architecture number, architecture-specific PTX takes precedence: no other has wgmma.
cat >own.cu <<'END'
__global__ void tell(int *p) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  *p = 1;
#endif
}
int main() {
  int *p, own = 0;
  if (cudaMalloc(&p, 4) || cudaMemset(p, 0, 4)) return 1;
  tell<<<1, 1>>>(p);
  return cudaMemcpy(&own, p, 4, cudaMemcpyDeviceToHost) || cudaFree(p) || own != 1;
}
END
built -gencode arch=compute_90,code=compute_90 -gencode arch=compute_90a,code=compute_90a own.cu -o own
holds "compute_90a before compute_90" run ./own

# Machine code: of NVRTC, to which kgen --exec adds line information, and of nvcc; registers are those that it says.
cc -I"$libraries/../include" "$here/cubin.c" -L"$KGEN_BUILD/exec" -L"$libraries" -lnvrtc -l:libcuda.so.1 -o cubin
export LD_LIBRARY_PATH=$libraries
holds "NVRTC's cubin is refused by itself" sh -c "! LD_LIBRARY_PATH=$KGEN_BUILD/exec:$libraries ./cubin >out 2>err"
holds "and says what to ask of NVRTC" grep -q 'generate-line-info' err
holds "NVRTC's cubin runs" "$KGEN" --exec -q --launches 0 -- ./cubin
holds "with PTX asked of NVRTC" test "$("$KGEN" --exec -q --launches 0 -- ./cubin)" = "7 8 1024 launched 0"
echo 'extern "C" __global__ void k(int *p) {
  int v[100];
  for (int i = 0; i < 100; i++) v[i] = p[i];
  __syncthreads();
  for (int i = 0; i < 100; i++) p[i] = v[i] * v[99 - i];
}' >wide.cu
built -arch=sm_90 -cubin -lineinfo -maxrregcount=128 -Xptxas -v wide.cu -o wide.cubin
registers=$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' log)
run ./cubin wide.cubin
holds "the registers of machine code, $registers: $(cat out)" test "$(cut -d' ' -f2 out)" = "$registers"
holds "a block that has too few of them is refused" grep -q ' launched 701$' out
built -arch=sm_90a -cubin wide.cu -o own.cubin
holds "nvcc's cubin alone is refused" sh -c "! LD_LIBRARY_PATH=$KGEN_BUILD/exec ./cubin own.cubin >out 2>err"
holds "it is named: $(cat err)" grep -q 'machine code alone (a cubin of sm_90a)$' err
holds "and so is its PTX" grep -q 'arch=compute_90a,code=compute_90a,' err
verdict libcuda_programs
