// Shared memory that nothing wrote. The first half is correct: what is read there reaches nothing. In the second half it
// does: the line that reads it carries the comment FAULT and the kernel's name.

#define FULL 0xffffffffu

// Only lane 0 uses its sum, of the 8 words that were written.
extern "C" __global__ void partial_sum(const int *in, int *out) {
  __shared__ int part[32];
  const int t = threadIdx.x;
  if (t < 8) part[t] = in[t];
  __syncwarp();
  int sum = part[t];
  for (int s = 4; s > 0; s /= 2) sum += __shfl_down_sync(FULL, sum, s);
  if (t == 0) out[0] = sum;
}

struct Fields {
  unsigned a : 5, b : 11, c : 16;
};

extern "C" __global__ void bit_fields(const int *in, int *out) {
  __shared__ volatile Fields fields[64];
  const int t = threadIdx.x;
  fields[t].a = in[t];
  fields[t].b = in[t] + 1;
  out[t] = fields[t].a + fields[t].b;
}

// A tile of which half is filled is copied whole.
extern "C" __global__ void copied_unused(const int *in, int *out) {
  __shared__ int4 from[32], to[32];
  const int t = threadIdx.x;
  if (t < 16) from[t] = reinterpret_cast<const int4 *>(in)[t];
  __syncthreads();
  to[t ^ 1] = from[t];
  __syncthreads();
  if (t < 16) out[t] = to[t].x;
}

extern "C" __global__ void selected(const int *in, int *out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t < 40) tile[t] = in[t];
  __syncthreads();
  const int value = tile[t];
  out[t] = t < 40 ? value : -1;
}

// As merges do that read the word behind their part: it is compared, and the answer is not asked for.
extern "C" __global__ void compared_unused(const int *in, int *out) {
  __shared__ int keys[65];
  const int t = threadIdx.x;
  keys[t] = in[t];
  __syncthreads();
  const int own = keys[t], next = keys[t + 1];
  const bool less = (t + 1 < 64) & (own < next);
  out[t] = less;
}

extern "C" __global__ void three_of_four_bytes(const int *in, int *out) {
  __shared__ uchar4 tile[64];
  const int t = threadIdx.x;
  tile[t].x = in[t];
  tile[t].y = in[t] + 1;
  tile[t].z = in[t] + 2;
  __syncthreads();
  const uchar4 v = tile[t ^ 1];
  out[t] = v.x + v.y * 256 + v.z * 65536;
}

__device__ __noinline__ int first_of(int a, int b) { return a + 0 * b; }

extern "C" __global__ void called_unused(const int *in, int *out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t < 32) tile[t] = in[t];
  __syncthreads();
  const int a = first_of(tile[t & 31], tile[63 - (t & 31)]);
  out[t] = a;
}

// Rows 8 to 15 of A are not there: neither are those of the product that is stored.
extern "C" __global__ void half_a_product(const int *in, float *out) {
  __shared__ __align__(16) unsigned short a[16][24], b[16][24];
  const int lane = threadIdx.x;
  for (int k = lane; k < 256; k += 32) {
    if (k < 128) a[k / 16][k % 16] = 0x3c00;
    b[k / 16][k % 16] = (unsigned short)(in[k] & 0x3fff);
  }
  __syncwarp();
  unsigned fa[4], fb[4];
  unsigned at = (unsigned)__cvta_generic_to_shared(&a[lane % 16][lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(at) : "memory");
  at = (unsigned)__cvta_generic_to_shared(&b[lane % 16][lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3]) : "r"(at) : "memory");
  float c[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  out[lane / 4 * 16 + lane % 4 * 2] = c[0] + c[1];
}

// Lane 0 adds up those that take part.
extern "C" __global__ void half_a_warp(const int *in, int *out) {
  const int t = threadIdx.x;
  int sum = in[t];
  if (t < 16) {
    for (int s = 8; s > 0; s /= 2) sum += __shfl_down_sync(0xffff, sum, s);
    if (t == 0) out[0] = sum;
  }
}

// --- it matters ---

extern "C" __global__ void shuffled_outside(const int *in, int *out) {
  const int t = threadIdx.x;
  if (t < 16) out[t] = __shfl_down_sync(0xffff, in[t], 8); // FAULT shuffled_outside
}

extern "C" __global__ void goes_out(const int *in, int *out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t != 17) tile[t] = in[t];
  __syncthreads();
  const int value = tile[t]; // FAULT goes_out
  out[t] = 2 * value + 1;
}

extern "C" __global__ void decides(const int *in, int *out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t != 17) tile[t] = in[t];
  __syncthreads();
  const int value = tile[t]; // FAULT decides
  if (value > 5) atomicAdd(&out[0], 1);
}

extern "C" __global__ void decides_by_equality(const int *in, int *out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t != 17) tile[t] = in[t];
  __syncthreads();
  const int value = tile[t]; // FAULT decides_by_equality
  if (value == 123456) atomicAdd(&out[0], 1);
}

extern "C" __global__ void addresses(const int *in, int *out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t != 17) tile[t] = in[t] & 63;
  __syncthreads();
  out[t] = in[tile[t] & 63]; // FAULT addresses
}

// Thread 37 reads it, and all of its warp get it.
extern "C" __global__ void shuffled(const int *in, int *out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t != 37) tile[t] = in[t];
  __syncthreads();
  const int value = tile[t]; // FAULT shuffled
  out[t] = __shfl_sync(FULL, value, 5);
}

extern "C" __global__ void copied_first(const int *in, int *out) {
  __shared__ int from[64], to[64];
  const int t = threadIdx.x;
  if (t != 17) from[t] = in[t];
  __syncthreads();
  to[63 - t] = from[t]; // FAULT copied_first
  __syncthreads();
  out[t] = to[t];
}

extern "C" __global__ void wide_sum(const int *in, int *out) {
  __shared__ int part[32];
  const int t = threadIdx.x;
  if (t < 8) part[t] = in[t];
  __syncwarp();
  int sum = part[t]; // FAULT wide_sum
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(FULL, sum, s);
  if (t == 0) out[0] = sum;
}

__device__ __noinline__ int sum_of(int a, int b) { return a + b; }

extern "C" __global__ void called(const int *in, int *out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t != 17) tile[t] = in[t];
  __syncthreads();
  out[t] = sum_of(tile[t], in[t]); // FAULT called
}

extern "C" __global__ void counted(const int *in, int *out) {
  __shared__ int bins[64];
  const int t = threadIdx.x;
  if (t != 17) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[t] & 63], 1); // FAULT counted
  __syncthreads();
  out[t] = bins[t];
}

extern "C" __global__ void voted(const int *in, int *out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t != 17) tile[t] = in[t];
  __syncthreads();
  const int value = tile[t]; // FAULT voted
  const unsigned ballot = __ballot_sync(FULL, value > 3);
  out[t] = __popc(ballot);
}
