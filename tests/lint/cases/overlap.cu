// Kernels that begin before the launch before them has ended. Each rule has a broken kernel and its clean twin.
typedef unsigned u32;

#define TWINS(name, ...)                                                                                \
  extern "C" __global__ void name##_broken(__VA_ARGS__) { name<false>(data, out); }                     \
  extern "C" __global__ void name##_clean(__VA_ARGS__) { name<true>(data, out); }
#define PAIR(name) TWINS(name, int *data, int *out)

__device__ int here() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ void trigger() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ void wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// --- launches before ---

extern "C" __global__ void writes(int *data, int *out) {
  trigger();
  data[here()] = here();
}

extern "C" __global__ void reads(int *data, int *out) {
  trigger();
  out[here()] = data[here()];
}

extern "C" __global__ void writes_first(int *data, int *out) {
  data[here()] = here();
  trigger();
}

extern "C" __global__ void updates(int *data, int *out) {
  trigger();
  atomicAdd(&data[0], 1);
}

extern "C" __global__ void has_no_trigger(int *data, int *out) { data[here()] = here(); }

// --- launches after ---

template <bool clean> __device__ void never_waits(int *data, int *out) {
  if (clean) wait();
  out[here()] = data[here()] + 1; // NEVER
}
PAIR(never_waits)

template <bool clean> __device__ void waits_late(int *data, int *out) {
  if (clean) wait();
  const int value = data[here()];
  if (!clean) wait();
  out[here()] = value;
}
PAIR(waits_late)

template <bool clean> __device__ void overwrites(int *data, int *out) {
  if (clean) wait();
  data[here()] = 7;
}
PAIR(overwrites)

// One thread waits; the others synchronise with it, or do not.
template <bool clean> __device__ void one_thread_waits(int *data, int *out) {
  if (threadIdx.x == 0) wait();
  if (clean) __syncthreads();
  out[here()] = data[here()];
}
PAIR(one_thread_waits)

template <bool clean> __device__ void in_a_loop(int *data, int *out) {
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    if (i == (clean ? 0 : 1)) wait();
    sum += data[here()];
  }
  out[here()] = sum;
}
PAIR(in_a_loop)

// A bulk copy of the producer warp.
template <bool clean> __device__ void copies(int *data, int *out) {
  __shared__ alignas(16) int tile[64];
  __shared__ unsigned long long bar;
  const u32 at = (u32)__cvta_generic_to_shared(tile), flag = (u32)__cvta_generic_to_shared(&bar);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(flag) : "memory");
    if (clean) wait();
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(flag) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(at),
                 "l"(data + blockIdx.x * 64), "r"(flag) : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p; A%=: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra A%=; }" ::"r"(flag)
               : "memory");
  out[here()] = tile[threadIdx.x];
}
PAIR(copies)

// Atomic updates of both launches do not race with each other.
template <bool clean> __device__ void counts(int *data, int *out) {
  if (clean) atomicAdd(&data[0], 1);
  else out[here()] = data[0];
}
PAIR(counts)

// --- a launch between ---

// Touches nothing of the first launch. Its end implies the end of that one only if it waits.
template <bool clean> __device__ void between(int *data, int *out) {
  trigger();
  if (clean) wait();
  out[here()] = 1;
}
PAIR(between)

// Dependents begin at the trigger: the first launch has ended then only if the wait comes before it.
template <bool clean> __device__ void triggers_early(int *data, int *out) {
  if (clean) wait();
  trigger();
  if (!clean) wait();
  out[here()] = 1;
}
PAIR(triggers_early)
