/* SPDX-License-Identifier: MIT */
/* sums_test.c: the kernels that add, on the PTX emulator, with inputs chosen to hurt: cancellation,
 * absorption, drift and a wide range of magnitudes. Each result must be within the bound that
 * follows from the kernel's order of additions, and that bound must be tight enough to notice a
 * lost element. */
#include <math.h>
#include <sched.h>

#include "device/jit.h"
#include "judge/binding.h"
#include "judge/family.h"
#include "shipped.h"

#include "check.h"

static const char *const specs[] = {
    "reduce_modulo",
    "reduce_interleaved",
    "reduce_sequential",
    "reduce_f32",
    "scan_rows_hillis_steele",
    "scan_rows_blelloch",
    "scan_rows_blelloch_pad",
    "scan_f32",
    "rowsum_f32",
    "colsum_f32",
};

/* --- inputs: element i of `count`, with a new random number --- */

static float cancelling(int64_t i, int64_t count, uint32_t random) {
  const float pair = ldexpf((float)(random >> 8), 10); /* equal for 2 i and 2 i + 1 */
  if (i == count / 2) return 0x1p-20f;
  return i % 2 ? -pair : pair;
}

static float absorbing(int64_t i, int64_t count, uint32_t random) {
  (void)count;
  (void)random;
  return i == 0 ? 0x1p24f : 1;
}

static float drifting(int64_t i, int64_t count, uint32_t random) {
  (void)i;
  (void)count;
  (void)random;
  return 0.1f;
}

static float ranging(int64_t i, int64_t count, uint32_t random) {
  (void)i;
  (void)count;
  const float magnitude = ldexpf(1 + (float)(random & 0xffff) * 0x1p-16f, (int)(random >> 26) - 32);
  return random >> 25 & 1 ? -magnitude : magnitude;
}

static float growing(int64_t i, int64_t count, uint32_t random) {
  (void)random;
  return (float)(i + 1) / (float)count;
}

static const struct {
  const char *name;
  float (*element)(int64_t i, int64_t count, uint32_t random);
} inputs[] = {
    {"cancelling", cancelling}, {"absorbing", absorbing}, {"drifting", drifting},
    {"ranging", ranging},       {"growing", growing},
};
enum { INPUTS = sizeof inputs / sizeof *inputs, DRIFTING = 2 };

static void fill(const Problem *p, int input) {
  const Buffer *in = problem_buffer(p, "in");
  uint32_t random = 1;
  for (int64_t i = 0; i < in->count; i++) {
    if (i % 2 == 0) random = random * 1664525 + 1013904223;
    const float f = inputs[input].element(i, in->count, random);
    memcpy(in->in + (size_t)i * sizeof f, &f, sizeof f);
  }
}

/* --- one kernel --- */

typedef struct {
  const Plan *plan;
  void *module;
} Kernel;

/* A shipped spec's kernel on the device; false with *why set if there is no NVRTC. */
static bool load(Arena *a, Device *d, const char *name, Kernel *k, Text *why) {
  k->plan = shipped_plan(a, arena_printf(a, "%s/%s.yaml", SPEC_DIR, name), NULL);
  if (!k->plan) die("no plan of %s", name);
  const Rendered source = shipped_render(a, k->plan);
  const Cache none = {0};
  Jit jit;
  const JitStatus status =
      jit_compile(a, &none, d->backend->form, "sm_90", k->plan, &source, &jit, why);
  if (status == JIT_UNUSABLE) return false;
  if (status == JIT_REJECTED) die("%s: %s", name, why->s);
  k->module = d->backend->load(d, &jit, name, k->plan->shared_bytes);
  if (!k->module) die("%s: %s", name, d->error.s);
  return true;
}

static Problem make_problem(Arena *a, const Plan *plan, const int64_t *extents) {
  Problem p;
  if (!problem_make(a, diag_new(a), plan->spec, extents, &p))
    die("no problem of %s", plan->spec->name);
  problem_fill(a, &p, false, 1);
  return p;
}

/* Launches the kernel on what the problem's buffers hold, and checks all of them. */
static void check_launch(Arena *a, Device *d, const Kernel *k, const Problem *p, const char *what) {
  Bound b;
  Check check = {0};
  Text report = text_new(a);
  family_find(k->plan->spec->kernel)->reference(a, p);
  const bool made = bound_make(a, d, p, k->module, (unsigned)k->plan->shared_bytes, &b);
  CHECK(made && bound_upload(d, &b) && d->backend->launch(d, &b.launch) &&
            bound_check(d, &b, &check, &report),
        "%s, %s: %s", k->plan->spec->name, what, d->error.s);
  CHECK(check.correct, "%s, %s: %s", k->plan->spec->name, what, report.s);
  CHECK(d->findings.len == 0, "%s, %s: %s", k->plan->spec->name, what, d->findings.s);
  if (made) bound_free(d, &b);
}

static bool check_spec(Arena *a, Device *d, const char *name, Text *why) {
  Kernel k;
  if (!load(a, d, name, &k, why)) return false;
  const ProblemSpec *spec = k.plan->spec->problem;
  for (int input = 0; input < INPUTS; input++) {
    const Problem p = make_problem(a, k.plan, spec->check[spec->checks - 1]);
    fill(&p, input);
    check_launch(a, d, &k, &p, inputs[input].name);
    const Buffer *out = problem_buffer(&p, "out");
    for (int64_t i = 0; input == DRIFTING && i < out->count; i++)
      CHECK(out->bound[i] < 0.1, "%s: element %d may be off by %g", name, (int)i, out->bound[i]);
  }
  d->backend->unload(d, k.module);
  return true;
}

/* --- looking back --- */

/* The sum of tile i, as the scan publishes it: its bits, and above them the launch times 4 and 1,
 * or 2 if it is the sum to the tile's end. */
static uint64_t published(const Buffer *in, int64_t tile, int64_t i) {
  uint32_t sum = 0;
  for (int64_t e = i * tile; e < (i + 1) * tile; e++) {
    uint32_t element;
    memcpy(&element, in->in + (size_t)e * sizeof element, sizeof element);
    sum += element;
  }
  return (uint64_t)(i == 0 ? 2 : 1) << 32 | sum;
}

/* The emulator finishes every block before the next, so that a tile finds all it needs one step
 * back. Here the first block takes the last tile of a launch whose other tiles have published no
 * more than their own sums, and looks back over three windows; the other blocks are the next
 * launch. */
static bool check_look_back(Arena *a, Device *d, Text *why) {
  enum { TILES = 70 };
  Kernel k;
  if (!load(a, d, "scan_i32", &k, why)) return false;
  const int64_t tile = k.plan->spec->problem->exact[0] / 3, count = TILES * tile + 5;
  const Problem p = make_problem(a, k.plan, &count);
  const Buffer *in = problem_buffer(&p, "in"), *workspace = problem_buffer(&p, "workspace");
  const uint64_t taken = TILES;
  memcpy(workspace->in, &taken, sizeof taken);
  for (int64_t i = 0; i < TILES; i++) {
    const uint64_t word = published(in, tile, i);
    memcpy(workspace->in + (size_t)(1 + i) * sizeof word, &word, sizeof word);
  }
  check_launch(a, d, &k, &p, "three windows back");
  d->backend->unload(d, k.module);
  return true;
}

/* Leaves this process one processor, so that the emulator runs blocks one after the other: two
 * launches never overlap on a GPU, but the two that check_look_back puts into one would. */
static void use_one_processor(void) {
  cpu_set_t all, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  sched_setaffinity(0, sizeof one, &one);
}

int main(void) {
  use_one_processor();
  Arena *a = arena_new();
  Text why = text_new(a);
  Device *d = backend_open(a, "emulator", &why);
  bool ran = d && check_look_back(a, d, &why);
  for (size_t i = 0; ran && i < sizeof specs / sizeof *specs; i++)
    ran = check_spec(a, d, specs[i], &why);
  if (d) backend_close(d);
  const int status = ran ? check_report("sums_nvrtc") : check_skip("sums_nvrtc", why.s);
  arena_free(a);
  return status;
}
