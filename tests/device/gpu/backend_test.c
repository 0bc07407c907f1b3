/* SPDX-License-Identifier: MIT */
/* The GPU behind backend.h: launches, counters, guards, errors, times. */
#include "check.h"
#include "judge/binding.h"
#include "judge/measure.h"
#include "model/bank.h"

static const Spec spec = {.name = "probe", .symbol = "probe", .block = {32, 1, 1}};
static const Plan plan = {.spec = &spec};

static void *load(Device *d, const char *text, int64_t shared_bytes) {
  const Cache none = {0};
  const Rendered source = {.file = "probe.cu", .text = text};
  Text why = text_new(d->arena);
  Jit jit;
  const JitStatus s = jit_compile(d->arena, &none, JIT_CUBIN, d->arch, &plan, &source, &jit, &why);
  CHECK(s == JIT_OK, "%s", why.s);
  return s == JIT_OK ? d->backend->load(d, &jit, "probe", shared_bytes) : NULL;
}

static Launch launch_of(void *module, const void *const *args, unsigned shared_bytes) {
  return (Launch){.module = module,
                  .kernel = "probe",
                  .grid = {1, 1, 1},
                  .block = {32, 1, 1},
                  .shared_bytes = shared_bytes,
                  .args = args};
}

/* --- counters against the bank model: one store and one load of one warp, by stride --- */

static const char strided[] = "extern \"C\" __global__ void probe(float *out, int stride) {\n"
                              "  extern __shared__ float s[];\n"
                              "  const int i = threadIdx.x;\n"
                              "  s[i * stride] = (float)i;\n"
                              "  __syncthreads();\n"
                              "  out[i] = s[(31 - i) * stride];\n"
                              "}\n";

static int model(Op op, int stride) {
  const BankGeometry banks = {32, 4};
  int64_t address[WARP];
  for (int i = 0; i < WARP; i++) address[i] = (int64_t)i * stride * 4;
  return bank_cost(banks, op, 4, UINT32_MAX, address).wavefronts;
}

static bool count_stride(Device *d, void *module, uint64_t out, int stride) {
  const void *const args[] = {&out, &stride};
  const Launch l = launch_of(module, args, 32 * 64 * 4);
  Counters c;
  CHECK(d->backend->count(d, &l, &c), "stride %d: %s", stride, d->error.s);
  if (!c.known) {
    printf("counters not checked: %s\n", c.why_unknown ? c.why_unknown : "launch failed");
    return false;
  }
  CHECK(c.load == model(OP_LOAD, stride), "stride %d: %d load wavefronts, model %d", stride,
        (int)c.load, model(OP_LOAD, stride));
  CHECK(c.store == model(OP_STORE, stride), "stride %d: %d store wavefronts, model %d", stride,
        (int)c.store, model(OP_STORE, stride));
  return true;
}

static void test_counters(Device *d) {
  void *module = load(d, strided, 32 * 64 * 4);
  CHECK(module != NULL, "%s", d->error.s);
  const uint64_t out = d->backend->alloc(d, 32 * sizeof(float), "out");
  for (int stride = 1; module && stride <= 64; stride++)
    if (!count_stride(d, module, out, stride)) break;
  float got[32] = {0};
  CHECK(d->backend->download(d, got, out, sizeof got), "%s", d->error.s);
  for (int i = 0; i < 32; i++) CHECK(got[i] == (float)(31 - i), "out[%d] is %g", i, (double)got[i]);
  d->backend->release(d, out);
  if (module) d->backend->unload(d, module);
}

/* --- a kernel that writes past its output is caught by the guard --- */

static const char overrun[] = "extern \"C\" __global__ void probe(float *out, int at) {\n"
                              "  if (threadIdx.x == 0) out[at] = 1;\n"
                              "}\n";

static void test_guard(Device *d, void *module, int64_t at, bool caught) {
  Arena *a = arena_new();
  const BufferSpec buffer_spec = {.name = "out", .output = true, .dtype = dtype_find("f32")};
  const ArgSpec arg_spec[] = {{.type = "buffer", .buffer = 0}, {.type = "i32", .buffer = -1}};
  const ProblemSpec problem_spec = {
      .buffers = 1, .buffer = &buffer_spec, .args = 2, .arg = arg_spec};
  const Spec with_problem = {.name = "probe", .block = {32, 1, 1}, .problem = &problem_spec};
  Buffer buffer = {.spec = &buffer_spec, .count = 8, .bytes = 8 * sizeof(float)};
  ArgValue value[2] = {{0}, {.i32 = (int32_t)at}};
  Problem p = {
      .spec = &with_problem, .kernel = "probe", .buffer = &buffer, .arg = value, .grid = {1, 1, 1}};
  problem_fill(a, &p, false, 1);
  const float one = 1;
  if (!caught) memcpy(buffer.want + at * 4, &one, sizeof one);
  Bound b;
  Check check = {0};
  Text report = text_new(a);
  CHECK(bound_make(a, d, &p, module, 0, &b), "%s", d->error.s);
  CHECK(bound_upload(d, &b) && d->backend->launch(d, &b.launch), "%s", d->error.s);
  CHECK(bound_check(d, &b, &check, &report), "%s", d->error.s);
  CHECK(check.correct == !caught, "at %d: judged %d: %s", (int)at, check.correct, report.s);
  CHECK(!caught || strstr(report.s, "written"), "at %d: %s", (int)at, report.s);
  bound_free(d, &b);
  arena_free(a);
}

static void test_guards(Device *d) {
  void *module = load(d, overrun, 0);
  CHECK(module != NULL, "%s", d->error.s);
  if (!module) return;
  test_guard(d, module, 5, false);
  test_guard(d, module, 8, true);
  test_guard(d, module, -1, true);
  test_guard(d, module, 4000, true);
  d->backend->unload(d, module);
}

/* --- errors name the call --- */

static void test_errors(Device *d) {
  CHECK(load(d, strided, 1 << 20) == NULL, "1 MiB of shared memory was granted");
  CHECK(strstr(d->error.s, "cuKernelSetAttribute"), "error: %s", d->error.s);
  d->error = text_new(d->arena);
  CHECK(d->backend->alloc(d, (size_t)1 << 50, "huge") == 0, "1 PiB was granted");
  CHECK(strstr(d->error.s, "cuMemAlloc"), "error: %s", d->error.s);
  d->error = text_new(d->arena);
}

/* More than 48 KiB of shared memory has to be asked for, and then works. */
static void test_large_shared(Device *d) {
  enum { BYTES = 64 << 10 };
  void *module = load(d, strided, BYTES);
  const uint64_t out = d->backend->alloc(d, 32 * sizeof(float), "out");
  const int stride = BYTES / 4 / 32;
  const void *const args[] = {&out, &stride};
  const Launch l = launch_of(module, args, BYTES);
  CHECK(module && d->backend->launch(d, &l), "%s", d->error.s);
  d->backend->release(d, out);
  if (module) d->backend->unload(d, module);
}

/* A kernel with a tensor map as its parameter, for clusters of two blocks: each block loads its 8x8
 * box of a 13x16 tensor, zeros beyond the last column, and writes it with its rank. */
static const char boxes[] =
    "struct __align__(64) Map { char bytes[128]; };\n"
    "extern \"C\" __global__ void probe(int *out, const __grid_constant__ Map map) {\n"
    "  __shared__ __align__(128) int tile[64];\n"
    "  __shared__ unsigned long long bar;\n"
    "  const unsigned at = (unsigned)__cvta_generic_to_shared(tile);\n"
    "  const unsigned b = (unsigned)__cvta_generic_to_shared(&bar);\n"
    "  unsigned rank, count, done = 0;\n"
    "  asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
    "  asm(\"mov.u32 %0, %%cluster_nctarank;\" : \"=r\"(count));\n"
    "  if (threadIdx.x == 0) {\n"
    "    asm volatile(\"mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;\" :: \"r\"(b));\n"
    "    asm volatile(\"mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;\" :: \"r\"(b));\n"
    "    asm "
    "volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes\"\n"
    "                 \" [%0], [%1, {%2, %3}], [%4];\"\n"
    "                 :: \"r\"(at), \"l\"(&map), \"r\"(8 * (int)rank), \"r\"(1), \"r\"(b) : "
    "\"memory\");\n"
    "  }\n"
    "  __syncthreads();\n"
    "  while (!done)\n"
    "    asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;\"\n"
    "                 \" selp.u32 %0, 1, 0, p; }\" : \"=r\"(done) : \"r\"(b) : \"memory\");\n"
    "  for (int i = threadIdx.x; i < 64; i += 32) out[rank * 64 + i] = tile[i] * (int)count;\n"
    "}\n";

static void check_boxes(const int *got) {
  for (int i = 0; i < 128; i++) {
    const int col = i / 64 * 8 + i % 8, row = 1 + i % 64 / 8;
    const int want = col < 13 ? 2 * (row * 16 + col) : 0;
    CHECK(got[i] == want, "element %d is %d, not %d", i, got[i], want);
  }
}

static void test_tensor_map(Device *d) {
  if (strcmp(d->arch, "sm_90") < 0) return;
  static _Alignas(TENSOR_MAP_ALIGN) unsigned char bytes[TENSOR_MAP_BYTES];
  int in[16 * 16], got[128] = {0};
  for (int i = 0; i < 256; i++) in[i] = i;
  void *module = load(d, boxes, 0);
  const uint64_t out = d->backend->alloc(d, sizeof got, "out");
  TensorMap map = {.type = TENSOR_S32, .rank = 2, .dim = {13, 16}, .stride = {0, 64}};
  map.address = d->backend->alloc(d, sizeof in, "in");
  map.box[0] = map.box[1] = 8;
  map.step[0] = map.step[1] = 1;
  const void *const args[] = {&out, bytes};
  Launch l = launch_of(module, args, 0);
  l.grid[0] = l.cluster[0] = 2;
  l.cluster[1] = l.cluster[2] = 1;
  CHECK(module && d->backend->upload(d, map.address, in, sizeof in) &&
            d->backend->tensor_map_encode(d, &map, bytes) && d->backend->launch(d, &l) &&
            d->backend->download(d, got, out, sizeof got),
        "%s", d->error.s);
  check_boxes(got);
  map.box[0] = 3;
  CHECK(!d->backend->tensor_map_encode(d, &map, bytes), "a box row of 12 bytes was taken");
  d->error = text_new(d->arena);
  d->backend->release(d, out);
  d->backend->release(d, map.address);
  if (module) d->backend->unload(d, module);
}

static void test_time(Device *d) {
  enum { BYTES = 256 << 20 };
  const uint64_t from = d->backend->alloc(d, BYTES, "from"), to = d->backend->alloc(d, BYTES, "to");
  Timing t = {0};
  CHECK(from && to && measure_copy(d, to, from, BYTES, &t), "%s", d->error.s);
  const double gbps = 2.0 * BYTES / (t.median * 1e6);
  printf("copy of 256 MiB: %.4f ms, min %.4f, noise %.4f, %d samples, %.0f GB/s\n", t.median, t.min,
         t.noise, t.samples, gbps);
  CHECK(gbps > 10 && gbps < 20000, "%g GB/s", gbps);
  CHECK(t.min > 0 && t.min <= t.median && t.noise >= 0 && t.samples >= 5, "inconsistent");
  d->backend->release(d, from);
  d->backend->release(d, to);
}

int main(void) {
  Arena *a = arena_new();
  Text why = text_new(a);
  Device *d = backend_open(a, "cuda", &why);
  if (!d) return check_skip("gpu_backend", why.s);
  printf("on %s, %s\n", d->name, d->arch);
  test_counters(d);
  test_guards(d);
  test_errors(d);
  test_large_shared(d);
  test_tensor_map(d);
  test_time(d);
  backend_close(d);
  arena_free(a);
  return check_report("gpu_backend");
}
