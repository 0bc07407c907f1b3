// Shared and local memory that nothing wrote. The first half is correct: what is read there reaches nothing. In the second half it
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

// As merges do that read the word after their part: it is compared, and the answer is not asked for.
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

// Rows 8 to 15 of A are uninitialised, and so are these rows of the stored product.
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

// Reads only the four words that were written, out of eight.
extern "C" __global__ void local_half(const int *in, int *out) {
  int part[8];
  const int t = threadIdx.x;
  for (int i = 0; i < 4; i++) part[(in[t + i] + t) & 3] = in[i];
  part[(in[t] + 1) & 3] = part[(in[t] + 2) & 3] = part[(in[t] + 3) & 3] = part[in[t] & 3] = t;
  out[t] = part[in[t + 1] & 3];
}

// Padding between members is copied, too, also out of shared memory.
struct alignas(16) Padded {
  int a;
  char b;
  double c;
  float d;
};

extern "C" __global__ void local_padding(const int *in, Padded *out) {
  __shared__ Padded shared[64];
  Padded all[4];
  const int t = threadIdx.x;
  for (int i = 0; i < 4; i++) {
    Padded &p = all[(in[t] + i) & 3];
    p.a = i;
    p.b = static_cast<char>(t);
    p.c = in[t];
    p.d = in[i];
  }
  shared[t].a = shared[t].b = shared[t].c = shared[t].d = all[in[t] & 3].b;
  __syncthreads();
  if (t < 8) out[t] = all[in[t + 1] & 3];
  if (t >= 8 && t < 16) out[t] = shared[t ^ 1];
}

__device__ __noinline__ void put(int *to, int i, int value) { to[i & 7] = value; }

// Each call has a frame of its own, where an earlier one has been.
__device__ __noinline__ int sum_to(const int *in, int n) {
  int seen[8];
  for (int i = 0; i < 8; i++) put(seen, in[i], i + n);
  return n ? seen[in[n] & 7] + sum_to(in, n - 1) : 0;
}

extern "C" __global__ void local_frames(const int *in, int *out) {
  out[threadIdx.x] = sum_to(in, 3);
}

// Pointers that walk to an array's end, that are of either array, or that lie within one.
struct Halves {
  int low[4], high[4];
};

extern "C" __global__ void local_pointers(const int *in, int *out) {
  int a[8], b[8], *end = a + 8, rows[2][8];
  Halves h;
  const int t = threadIdx.x;
  for (int *p = a; p != end; p++) *p = in[p - a];
  for (int *p = b + 8; p-- != b;) *p = in[t + (p - b)];
  int *either = in[t] > 20 ? a + 2 : b + 4;
  for (int i = 0; i < 8; i++) {
    rows[0][in[i] & 7] = rows[1][in[i] & 7] = either[in[i] & 3];
    h.low[in[i] & 3] = i;
    h.high[in[i] & 3] = -i;
  }
  const int *middle = rows[1];
  out[t] = middle[(in[t] & 7) - 8] + h.low[(in[t] & 3) + 4] + end[-1 - (in[t] & 7)] + b[in[t] & 7];
}

// --- it matters ---

extern "C" __global__ void local_out(const int *in, int *out) {
  int part[8];
  const int t = threadIdx.x;
  for (int i = 0; i < 7; i++) part[in[i] & 7] = in[i];
  out[t] = part[in[t] & 7]; // FAULT local_out
}

extern "C" __global__ void local_decides(const int *in, int *out) {
  int part[8];
  const int t = threadIdx.x;
  for (int i = 0; i < 7; i++) part[in[i] & 7] = in[i];
  const int value = part[in[t] & 7]; // FAULT local_decides
  if (value > 5) atomicAdd(&out[0], 1);
}

extern "C" __global__ void local_addresses(const int *in, int *out) {
  int part[8];
  const int t = threadIdx.x;
  for (int i = 0; i < 7; i++) part[in[i] & 7] = in[i];
  out[t] = in[part[in[t] & 7] & 63]; // FAULT local_addresses
}

// The last of eight is what an earlier call left behind in another frame.
__device__ __noinline__ int last_of(const int *in, int n) {
  int seen[8];
  for (int i = 0; i < n; i++) put(seen, in[i], i);
  return seen[in[7] & 7]; // FAULT local_called
}

extern "C" __global__ void local_called(const int *in, int *out) {
  const int t = threadIdx.x;
  const int first = last_of(in, 8);
  out[t] = first + last_of(in, 7);
}

// The read of shared memory is the error, not the read of the local copy.
extern "C" __global__ void local_copy(const int *in, int *out) {
  __shared__ int tile[64];
  int part[4];
  const int t = threadIdx.x;
  if (t != 17) tile[t] = in[t];
  __syncthreads();
  for (int i = 0; i < 4; i++) part[in[i] & 3] = tile[(t + in[i]) & 63]; // FAULT local_copy
  out[t] = part[in[t & ~3] & 3];
}

extern "C" __global__ void local_printed(const int *in, int *out) {
  int part[8];
  const int t = threadIdx.x;
  for (int i = 0; i < 7; i++) part[in[i] & 7] = in[i];
  const int value = part[in[t] & 7]; // FAULT local_printed
  if (t == 7) printf("%d\n", value);
  if (t < 7) out[t] = value;
}

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
