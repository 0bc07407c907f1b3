# --schedules of a program: the launch is repeated, and the program continues with the memory that the first run left.
. tests/shell/check.bash
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
command -v nvcc >/dev/null || { echo "skipped: no nvcc"; exit 77; }
# A library with the sanitizers in it needs a program that has them.
! sanitized || { echo "skipped: built with sanitizers"; exit 77; }
cat >orders.cu <<'CU'
#include <cstdio>
__global__ void winner(int *out, int clean) {
  if (threadIdx.x % 32) return;
  if (clean) atomicAdd(out, 1);
  else atomicExch(out, threadIdx.x + 1);
}
int main(int count, char **) {
  int *out, result;
  cudaMalloc(&out, 4);
  cudaMemset(out, 0, 4);
  winner<<<4, 64>>>(out, count > 1);
  winner<<<4, 64>>>(out, count > 1);
  cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", result);
  return cudaFree(out) != 0;
}
CU
nvcc -w -lineinfo -cudart shared -arch=sm_90 -o orders orders.cu || exit 1
expect 0 '' --exec --no-leaks -- ./orders
expect 1 'schedule: the output depends on the order of warps and blocks' --exec --no-leaks --schedules 10 -- ./orders
expect 0 '^16$' --exec --no-leaks --schedules 10 -- ./orders clean
verdict exec_schedules
