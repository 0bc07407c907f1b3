// A chain of products: each multiplies what the one before wrote, and writes what that one read.
// One factor is a permutation, so that f16 is exact.
#include <cstdio>
#include <cstdlib>
#include <vector>
extern "C" cudaError_t gemm_wgmma_f16_1024_launch(unsigned short *c, const unsigned short *a,
                                                  const unsigned short *b, int m, int n, int k,
                                                  long long c_pitch, long long a_pitch,
                                                  long long b_pitch, cudaStream_t stream);

int main(int, char **argv) {
  const int n = std::atoi(argv[1]), launches = std::atoi(argv[2]);
  const size_t bytes = sizeof(unsigned short) * n * n;
  std::vector<unsigned short> in(n * n), shift(n * n), out(n * n);
  for (int i = 0; i < n * n; i++) in[i] = 0x3c00 + i * 2654435761u % 1021; // 1 to 2
  for (int i = 0; i < n; i++) shift[i * n + (i + 1) % n] = 0x3c00;
  unsigned short *x[2], *b;
  cudaStream_t stream;
  if (cudaMalloc(&x[0], bytes) || cudaMalloc(&x[1], bytes) || cudaMalloc(&b, bytes) ||
      cudaStreamCreate(&stream))
    return 77;
  cudaMemcpy(x[0], in.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, shift.data(), bytes, cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
  for (int i = 0; i < launches; i++)
    if (gemm_wgmma_f16_1024_launch(x[1 - i % 2], x[i % 2], b, n, n, n, n, n, n, stream)) return 2;
  if (cudaStreamSynchronize(stream) ||
      cudaMemcpy(out.data(), x[launches % 2], bytes, cudaMemcpyDeviceToHost))
    return 3;
  int wrong = 0;
  for (int row = 0; row < n; row++)
    for (int col = 0; col < n; col++)
      wrong += out[row * n + (col + launches) % n] != in[row * n + col];
  cudaFree(x[0]), cudaFree(x[1]), cudaFree(b), cudaStreamDestroy(stream);
  std::printf("%d of %d elements are wrong\n", wrong, n * n);
  return wrong != 0;
}
