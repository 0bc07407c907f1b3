/* SPDX-License-Identifier: MIT */
/* Random kernels leave the same memory, findings and counts when translated to C as when
 * interpreted, with AVX-512 vectors and, every other one, with AVX2, by warps with all lanes and
 * with some. native_fuzz SEED: the two kernels from that seed on; native_fuzz SEED SECONDS: many,
 * with many sizes; native_fuzz SEED 0: one of these, with its text. */
#include <inttypes.h>
#include <stdlib.h>

#include "check.h"
#include "device/clock.h"
#include "device/native_compiler.h"
#include "device/native_flow.h"

enum {
  STATEMENTS = 60,
  LAUNCHES = 5,
  MANY_LAUNCHES = 20,
  MOST_BLOCK = 128,
  MOST_THREADS = 3 * MOST_BLOCK
};

typedef struct {
  uint8_t out[OUT_BYTES], state[MOST_THREADS * STATE_BYTES];
} Memory;

typedef struct {
  Compiler *compiler;
  EmuMemory *memory;
  EmuModule *module;
  uint64_t in, out, state;
  uint64_t structure[8];
  uint32_t grid, block;
} Case;

/* Warp instructions of all that was compared, and how many launches. */
typedef struct {
  uint64_t all, translated, partly;
  int launches, ended; /* number of launches ended by a fault */
} Sum;

static EmuResult *launch(const Case *c, const EmuTranslator *translator, const Memory *before,
                         Memory *after) {
  const void *args[] = {&c->in, &c->out, &c->state, c->structure};
  const EmuLaunch l = {.kernel = "k",
                       .grid = {c->grid, 1, 1},
                       .block = {c->block, 1, 1},
                       .dynamic_shared = SHARED_BYTES,
                       .args = args,
                       .threads = 1,
                       .max_steps = 1 << 20,
                       .unchecked = true,
                       .translator = translator};
  emu_copy_in(c->memory, c->out, before->out, sizeof before->out);
  emu_copy_in(c->memory, c->state, before->state, sizeof before->state);
  EmuResult *r = emu_launch(c->module, &l);
  emu_copy_out(c->memory, after->out, c->out, sizeof after->out);
  emu_copy_out(c->memory, after->state, c->state, sizeof after->state);
  return r;
}

static long first_difference(const Memory *a, const Memory *b) {
  const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
  for (size_t i = 0; i < sizeof *a; i++)
    if (x[i] != y[i]) return (long)i;
  return -1;
}

static void check_same(uint64_t seed, int i, const EmuResult *a, const EmuResult *b, long at) {
  CHECK(!a->error[0] && !b->error[0], "seed %" PRIu64 ": %s", seed, a->error);
  if (at >= OUT_BYTES)
    CHECK(false, "seed %" PRIu64 ", launch %d: thread %ld, word %ld", seed, i,
          (at - OUT_BYTES) / STATE_BYTES, (at - OUT_BYTES) % STATE_BYTES / 8);
  else
    CHECK(at < 0, "seed %" PRIu64 ", launch %d: byte %ld of the output", seed, i, at);
  CHECK(a->findings == b->findings && a->stopped == b->stopped &&
            a->illegal_address == b->illegal_address,
        "seed %" PRIu64 ", launch %d: %d findings, %d interpreted", seed, i, b->findings,
        a->findings);
  for (int k = 0; k < a->findings && k < b->findings; k++) {
    CHECK_STR(b->finding[k].message, a->finding[k].message);
    CHECK(a->finding[k].ptx_line == b->finding[k].ptx_line &&
              a->finding[k].count == b->finding[k].count,
          "seed %" PRIu64 ": another place", seed);
  }
  CHECK(a->lane_instructions == b->lane_instructions &&
            a->warp_instructions == b->warp_instructions,
        "seed %" PRIu64 ", launch %d: %" PRIu64 " lane instructions, %" PRIu64 " interpreted", seed,
        i, b->lane_instructions, a->lane_instructions);
}

/* Memory that both begin with. */
static Memory *random_memory(Gen *g) {
  Memory *m = malloc(sizeof *m);
  for (size_t i = 0; i < sizeof *m / 4; i++) ((uint32_t *)(void *)m)[i] = values_word(&g->state);
  return m;
}

/* Whole warps, one that is not, two and a part; most of 1 to 70 threads. */
static uint32_t block_of(Gen *g, int launch) {
  static const uint32_t blocks[] = {32, 20, MOST_BLOCK};
  return launch < 3 ? blocks[launch] : 1 + (uint32_t)gen_pick(g, 70);
}

static void compare(Case *c, uint64_t seed, int i, Sum *sum) {
  Gen g = {.state = seed * 77 + (uint64_t)i};
  const EmuTranslator translator = {
      .ask = compiler_ask, .take = compiler_take, .context = c->compiler};
  c->block = block_of(&g, i);
  c->grid = 1 + (uint32_t)i % 3;
  for (int k = 0; k < 8; k++)
    c->structure[k] = (uint64_t)values_word(&g.state) << 32 | values_word(&g.state);
  Memory *before = random_memory(&g), *want = random_memory(&g), *got = random_memory(&g);
  EmuResult *a = launch(c, NULL, before, want), *b = launch(c, &translator, before, got);
  check_same(seed, i, a, b, first_difference(want, got));
  sum->all += b->warp_instructions;
  sum->translated += b->translated;
  sum->partly += b->translated_partly;
  sum->launches++;
  sum->ended += b->stopped;
  emu_result_free(a);
  emu_result_free(b);
  free(before);
  free(want);
  free(got);
}

static bool load(Case *c, const char *ptx, uint64_t seed) {
  int errors;
  c->module = emu_load(c->memory, ptx, strlen(ptx));
  const EmuError *e = emu_errors(c->module, &errors);
  for (int i = 0; i < errors; i++)
    CHECK(false, "seed %" PRIu64 ", line %d: %s", seed, e[i].ptx_line, e[i].message);
  return errors == 0;
}

static void test_kernel(Compiler *compiler, uint64_t seed, int statements, int launches, bool show,
                        Sum *sum) {
  Arena *a = arena_new();
  Gen g = {.state = seed};
  uint32_t in[IN_BYTES / 4];
  const char *ptx = gen_kernel(a, seed, statements);
  if (show) puts(ptx);
  for (size_t i = 0; i < IN_BYTES / 4; i++) in[i] = values_word(&g.state);
  Case c = {.compiler = compiler, .memory = emu_memory_new()};
  if (load(&c, ptx, seed)) {
    c.in = emu_alloc(c.memory, IN_BYTES, "in");
    c.out = emu_alloc(c.memory, OUT_BYTES, "out");
    c.state = emu_alloc(c.memory, MOST_THREADS * STATE_BYTES, "state");
    emu_copy_in(c.memory, c.in, in, IN_BYTES);
    for (int i = 0; i < launches; i++) compare(&c, seed, i, sum);
  }
  emu_unload(c.module);
  emu_memory_free(c.memory);
  arena_free(a);
}

int main(int argc, char **argv) {
  const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 4;
  const double seconds = argc > 2 ? atof(argv[2]) : -1, began = clock_ms();
  Compiler c[2];
  Sum sum = {0};
  const bool narrow = compiler_open(&c[1], 1), wide = compiler_open(&c[0], 2);
  if (!narrow) return check_skip("native_fuzz_test", "neither AVX2 nor a compiler");
  uint64_t seed = first;
  do {
    const int statements = argc > 2 ? 20 + (int)(seed * 7 % 150) : STATEMENTS;
    test_kernel(&c[!wide || seed % 2], seed, statements, argc > 2 ? MANY_LAUNCHES : LAUNCHES,
                seconds == 0, &sum);
  } while (seed++, seconds < 0 ? seed < first + 2 : clock_ms() - began < seconds * 1000);
  if (argc > 1)
    printf("%" PRIu64 " kernels, %d launches, %d ended by a fault; of %" PRIu64
           " warp instructions %" PRIu64 " translated, %" PRIu64 " of these by some lanes\n",
           seed - first, sum.launches, sum.ended, sum.all, sum.translated, sum.partly);
  for (int i = !wide; i < 2; i++) {
    CHECK(c[i].failed == 0, "the compiler fails %d times", c[i].failed);
    compiler_close(&c[i]);
  }
  return check_report("native_fuzz_test");
}
