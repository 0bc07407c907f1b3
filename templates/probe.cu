// kgen --doctor compiles and launches this kernel, which is no family: a warp stores to shared
// memory and loads what its neighbours stored, one wavefront for each access.
extern "C" __global__ void probe(int *out) {
  __shared__ int tile[32];
  const int lane = static_cast<int>(threadIdx.x);
  tile[lane] = 3 * lane;
  __syncwarp();
  out[lane] = tile[lane ^ 1];
}
