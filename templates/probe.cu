// kgen --doctor compiles and launches this: a warp stores to shared memory and loads what its
// neighbours stored, one wavefront each. It is no family.
extern "C" __global__ void probe(int *out) {
  __shared__ int tile[32];
  const int lane = static_cast<int>(threadIdx.x);
  tile[lane] = 3 * lane;
  __syncwarp();
  out[lane] = tile[lane ^ 1];
}
