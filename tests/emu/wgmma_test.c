/* SPDX-License-Identifier: MIT */
/*
 * wgmma of the emulator against a plain triple loop, for every type, shape, layout and form of its
 * operands, which are laid out here by the ISA's own figures: one warpgroup, one instruction.
 */
#include <math.h>

#include "emu/arith_exact.h"
#include "emu/arith_sweep.h"
#include "emu/emu_run.h"

enum {
  M = 64,
  MAX_N = 256,
  MAX_K = 256,
  THREADS = 128,
  SHARED = 49152,
  MAX_REGS = 128,
  A_REGS = 4
};

/* The kernel's input: descriptors, A's registers, the accumulators, an image of shared memory. */
typedef struct {
  uint64_t a, b;
  uint32_t a_reg[THREADS][A_REGS];
  uint32_t d[THREADS][MAX_REGS];
  uint8_t image[SHARED];
} Input;

typedef struct {
  const char *name; /* the part of the instruction after "wgmma.mma_async.sync.aligned." */
  unsigned n, k, bits;
  ArithType a, b, d; /* ARITH_PRED: single bits */
  const char *tail;  /* operands after the descriptors */
  bool a_in_registers, a_by_mn, b_by_mn, adds;
  int sign;
  unsigned mode_a, mode_b; /* swizzle: 0 none, 1 128 B, 2 64 B, 3 32 B */
} Case;

/* --- the kernel --- */

static const char head[] =
    ".version 8.4\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b32 %d<128>; .reg .b32 %a<4>; .reg .b64 %x<16>;\n"
    ".shared .align 1024 .b8 tile[49152];\n"
    "mov.u32 %r0, %tid.x; ld.param.u64 %x0, [in]; ld.param.u64 %x1, [out];\n"
    "ld.global.u64 %x2, [%x0]; ld.global.u64 %x3, [%x0+8];\n"
    "mad.wide.u32 %x4, %r0, 16, %x0; mad.wide.u32 %x5, %r0, 512, %x0;\n"
    "mad.wide.u32 %x6, %r0, 512, %x1; mad.wide.u32 %x7, %r0, 16, %x0;\n"
    "ld.global.b32 %a0, [%x4+16]; ld.global.b32 %a1, [%x4+20];\n"
    "ld.global.b32 %a2, [%x4+24]; ld.global.b32 %a3, [%x4+28];\n"
    "mov.u32 %r1, tile; shl.b32 %r2, %r0, 4; add.u32 %r1, %r1, %r2; mov.u32 %r3, 0;\n"
    "loop: ld.global.v2.u64 {%x8, %x9}, [%x7+67600]; st.shared.v2.u64 [%r1], {%x8, %x9};\n"
    "add.u64 %x7, %x7, 2048; add.u32 %r1, %r1, 2048; add.u32 %r3, %r3, 2048;\n"
    "setp.lt.u32 %p0, %r3, 49152; @%p0 bra loop;\n"
    "fence.proxy.async; bar.sync 0;\n"
    "setp.eq.u32 %p1, %r0, %r0; setp.ne.u32 %p2, %r0, %r0;\n";

static void put_list(Text *t, const char *name, unsigned count) {
  for (unsigned i = 0; i < count; i++) text_printf(t, "%s%%%s%u", i ? ", " : "{", name, i);
  text_puts(t, "}");
}

static const char *ptx_of(Arena *a, const Case *c, unsigned regs) {
  Text t = text_new(a);
  text_puts(&t, head);
  for (unsigned i = 0; i < regs; i++)
    text_printf(&t, "ld.global.b32 %%d%u, [%%x5+%u];\n", i, 2064 + 4 * i);
  text_puts(&t, "wgmma.fence.sync.aligned;\n");
  text_printf(&t, "wgmma.mma_async.sync.aligned.%s ", c->name);
  put_list(&t, "d", regs);
  text_puts(&t, ", ");
  if (c->a_in_registers)
    put_list(&t, "a", A_REGS);
  else
    text_puts(&t, "%x2");
  text_printf(&t, ", %%x3, %s;\n", c->tail);
  text_puts(&t, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
  for (unsigned i = 0; i < regs; i++)
    text_printf(&t, "st.global.b32 [%%x6+%u], %%d%u;\n", 4 * i, i);
  text_puts(&t, "ret;\n}\n");
  return t.s;
}

/* --- matrices --- */

typedef struct {
  double a[M][MAX_K], b[MAX_N][MAX_K], d[M][MAX_N];
} Matrices;

static uint64_t bits_of(ArithType type, double x) {
  static const struct {
    ArithType type;
    const ExactFormat *format;
  } kFormats[] = {{ARITH_F16, &kExactF16},
                  {ARITH_BF16, &kExactBf16},
                  {ARITH_TF32, &kExactTf32},
                  {ARITH_F32, &kExactF32},
                  {ARITH_E5M2, &kExactE5m2}};
  /* e4m3 of small halves: 1.mmm * 2^(e - 7). */
  if (type == ARITH_E4M3) {
    int e = 0;
    if (x == 0) return 0;
    const double m = frexp(fabs(x), &e);
    return (x < 0 ? 0x80u : 0) | (unsigned)(e - 1 + 7) << 3 | (unsigned)((m * 2 - 1) * 8);
  }
  for (unsigned i = 0; i < sizeof kFormats / sizeof kFormats[0]; i++)
    if (kFormats[i].type == type) {
      const Exact e = exact_make((ExactWide)(fabs(x) * 1024), -10, x < 0);
      return exact_round(kFormats[i].format, &e, EXACT_RN);
    }
  return sweep_low((uint64_t)(int64_t)x, type == ARITH_PRED ? 1 : arith_bits(type));
}

/* Returns small multiples of 1/2: every sum is exact in every format here, whatever its order and
 * however many bits are kept. */
static double small(uint64_t *random, ArithType type) {
  const int n = (int)(sweep_random(random) % 9);
  if (type == ARITH_PRED) return n & 1;
  if (type == ARITH_U8) return n * 31;
  if (type == ARITH_S8) return n * 15 - 60;
  return type == ARITH_S32 ? (n - 4) * 1000 : (n - 4) * 0.5;
}

static void fill(const Case *c, Matrices *x) {
  uint64_t random = 11;
  for (unsigned i = 0; i < M; i++)
    for (unsigned k = 0; k < c->k; k++) x->a[i][k] = small(&random, c->a);
  for (unsigned j = 0; j < c->n; j++)
    for (unsigned k = 0; k < c->k; k++) x->b[j][k] = small(&random, c->b);
  for (unsigned i = 0; i < M; i++)
    for (unsigned j = 0; j < c->n; j++) x->d[i][j] = small(&random, c->d);
  if (strstr(c->name, "satfinite")) x->d[3][5] = INT32_MAX, x->d[40][2] = INT32_MIN;
}

static uint32_t expected(const Case *c, const Matrices *x, unsigned i, unsigned j) {
  double sum = 0;
  for (unsigned k = 0; k < c->k; k++) sum += x->a[i][k] * x->b[j][k];
  sum = c->sign * sum + (c->adds ? x->d[i][j] : 0);
  if (strstr(c->name, "satfinite")) sum = fmin(fmax(sum, INT32_MIN), INT32_MAX);
  if (c->d == ARITH_S32) return (uint32_t)(int64_t)sum;
  return (uint32_t)bits_of(c->d, sum);
}

/* --- layouts: the ISA's figures of shared memory and of registers --- */

/* K-major, no swizzle: core matrices of 8 rows by 16 bytes; with one, rows of 32, 64, 128 bytes. */
typedef struct {
  unsigned leading, stride;
} Offsets;

static Offsets offsets_of(unsigned mode, bool by_mn, unsigned lines) {
  const unsigned width = mode == 0 ? 16 : 256u >> mode;
  if (mode == 0) return by_mn ? (Offsets){lines / 8 * 128, 128} : (Offsets){lines / 8 * 128, 128};
  if (!by_mn) return (Offsets){16, 8 * width};
  return (Offsets){16 * width, 8 * width}; /* two groups of 8 k, then the next lines */
}

static unsigned place(unsigned mode, bool by_mn, Offsets o, unsigned line, unsigned byte_of_k,
                      unsigned size) {
  const unsigned width = mode == 0 ? 16 : 256u >> mode, k = byte_of_k / size;
  unsigned at;
  if (!by_mn && mode == 0)
    at = line / 8 * o.stride + byte_of_k / 16 * o.leading + line % 8 * 16 + byte_of_k % 16;
  else if (!by_mn)
    at = line / 8 * o.stride + line % 8 * width + byte_of_k;
  else if (mode == 0)
    at = line / 8 * o.stride + k / 8 * o.leading + k % 8 * 16 + line % 8 * size + byte_of_k % size;
  else
    at = line / (width / size) * o.leading + k / 8 * o.stride + k % 8 * width +
         line % (width / size) * size + byte_of_k % size;
  return mode == 0 ? at : at ^ ((at >> 7 & (width / 16 - 1)) << 4);
}

static uint64_t descriptor(unsigned mode, Offsets o, unsigned start) {
  return start >> 4 | (uint64_t)(o.leading >> 4) << 16 | (uint64_t)(o.stride >> 4) << 32 |
         (uint64_t)mode << 62;
}

static void put_bits(uint8_t *to, unsigned bits, unsigned at, uint64_t value) {
  if (bits == 1) {
    to[0] = (uint8_t)(to[0] | value << at % 8);
    return;
  }
  memcpy(to, &value, bits / 8);
}

static void store(const Case *c, ArithType type, const double *value, unsigned lines, bool by_mn,
                  unsigned mode, unsigned start, uint8_t *image) {
  const Offsets o = offsets_of(mode, by_mn, lines);
  const unsigned size = c->bits < 8 ? 1 : c->bits / 8;
  for (unsigned line = 0; line < lines; line++)
    for (unsigned k = 0; k < c->k; k++) {
      const unsigned byte = k * c->bits / 8;
      put_bits(image + start + place(mode, by_mn, o, line, byte, size), c->bits, k,
               bits_of(type, value[line * MAX_K + k]));
    }
}

/* Stores A in registers: row lane / 4 (+ 8), 4 bytes at lane % 4 (+ 16), warp by warp. */
static void store_registers(const Case *c, const Matrices *x, Input *in) {
  for (unsigned thread = 0; thread < THREADS; thread++)
    for (unsigned r = 0; r < A_REGS; r++)
      for (unsigned e = 0; e < 32 / c->bits; e++) {
        const unsigned lane = thread % 32, row = thread / 32 * 16 + lane / 4 + r % 2 * 8;
        const unsigned k = (lane % 4 * 4 + r / 2 * 16) * 8 / c->bits + e;
        in->a_reg[thread][r] |= (uint32_t)(bits_of(c->a, x->a[row][k]) << (c->bits * e));
      }
}

/* The register of an element of the accumulators. Register i of f32 or s32 holds row lane / 4 + 8 *
 * (i / 2 % 2), column 8 * (i / 4) + 2 * (lane % 4) + i % 2; in f16 two neighbours share one. */
static uint32_t *accumulator(const Case *c, uint32_t (*d)[MAX_REGS], unsigned thread, unsigned i,
                             unsigned *row, unsigned *column) {
  const unsigned lane = thread % 32;
  *row = thread / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
  *column = i / 4 * 8 + lane % 4 * 2 + i % 2;
  return &d[thread][c->d == ARITH_F16 ? i / 2 : i];
}

static void store_accumulators(const Case *c, const Matrices *x, Input *in) {
  for (unsigned thread = 0; thread < THREADS; thread++)
    for (unsigned i = 0; i < c->n / 2; i++) {
      unsigned row, column;
      uint32_t *reg = accumulator(c, in->d, thread, i, &row, &column);
      const uint32_t bits = (uint32_t)bits_of(c->d, x->d[row][column]);
      *reg = c->d == ARITH_F16 ? *reg | bits << (i % 2 * 16) : bits;
    }
}

/* --- running --- */

static uint64_t run_case(const Case *c) {
  static Input in;
  static Matrices x;
  static uint32_t out[THREADS][MAX_REGS];
  Arena *arena = arena_new();
  const unsigned regs = c->d == ARITH_F16 ? c->n / 4 : c->n / 2;
  memset(&in, 0, sizeof in);
  memset(out, 0, sizeof out);
  fill(c, &x);
  in.a = descriptor(c->mode_a, offsets_of(c->mode_a, c->a_by_mn, M), 0);
  in.b = descriptor(c->mode_b, offsets_of(c->mode_b, c->b_by_mn, c->n), 8192);
  store(c, c->a, x.a[0], M, c->a_by_mn, c->mode_a, 0, in.image);
  store(c, c->b, x.b[0], c->n, c->b_by_mn, c->mode_b, 8192, in.image);
  store_registers(c, &x, &in);
  store_accumulators(c, &x, &in);
  const char *ptx = ptx_of(arena, c, regs);
  Machine m = machine_open(ptx, strlen(ptx));
  int errors;
  uint64_t wavefronts = 0;
  emu_errors(m.module, &errors);
  if (!errors) {
    const Run run = {"k", 1, THREADS, &in, sizeof in, out, sizeof out, 0, 0, 1, 0};
    EmuResult *r = machine_run(&m, &run);
    check_clean(r, c->name);
    wavefronts = r->wgmma.wavefronts;
    emu_result_free(r);
  }
  int wrong = 0;
  for (unsigned thread = 0; thread < THREADS && !errors; thread++)
    for (unsigned i = 0; i < c->n / 2; i++) {
      unsigned row, column;
      uint32_t got = *accumulator(c, out, thread, i, &row, &column);
      if (c->d == ARITH_F16) got = got >> (i % 2 * 16) & 0xffff;
      wrong += got != expected(c, &x, row, column);
    }
  CHECK(wrong == 0, "%s: modes %u, %u, majors %d, %d: %d of %u elements differ", c->name, c->mode_a,
        c->mode_b, c->a_by_mn, c->b_by_mn, wrong, M * c->n);
  machine_close(&m);
  arena_free(arena);
  return wavefronts;
}

/* --- the cases --- */

#define FLOAT(NAME, N, K, BITS, A, B, D) NAME, N, K, BITS, ARITH_##A, ARITH_##B, ARITH_##D

static const Case types[] = {
    {FLOAT("m64n16k16.f32.f16.f16", 16, 16, 16, F16, F16, F32), "%p1, 1, 1, 0, 0", .adds = true,
     .sign = 1},
    {FLOAT("m64n24k16.f16.f16.f16", 24, 16, 16, F16, F16, F16), "%p1, 1, 1, 0, 0", .adds = true,
     .sign = 1},
    {FLOAT("m64n40k16.f32.bf16.bf16", 40, 16, 16, BF16, BF16, F32), "!%p1, -1, 1, 0, 0",
     .sign = -1},
    {FLOAT("m64n8k8.f32.tf32.tf32", 8, 8, 32, TF32, TF32, F32), "1, 1, 1", .adds = true, .sign = 1},
    {FLOAT("m64n16k32.f32.e5m2.e5m2", 16, 32, 8, E5M2, E5M2, F32), "%p1, 1, -1", .adds = true,
     .sign = -1},
    {FLOAT("m64n32k32.f32.e4m3.e5m2", 32, 32, 8, E4M3, E5M2, F32), "%p1, -1, -1", .adds = true,
     .sign = 1},
    {FLOAT("m64n32k32.f32.e5m2.e4m3", 32, 32, 8, E5M2, E4M3, F32), "0, 1, 1", .sign = 1},
    {FLOAT("m64n16k32.f16.e4m3.e4m3", 16, 32, 8, E4M3, E4M3, F16), "%p1, 1, 1", .adds = true,
     .sign = 1},
    {FLOAT("m64n24k32.s32.s8.s8", 24, 32, 8, S8, S8, S32), "%p1", .adds = true, .sign = 1},
    {FLOAT("m64n16k32.s32.u8.s8", 16, 32, 8, U8, S8, S32), "%p2", .sign = 1},
    {FLOAT("m64n16k32.s32.s8.u8.satfinite", 16, 32, 8, S8, U8, S32), "1", .adds = true, .sign = 1},
    {FLOAT("m64n16k32.satfinite.s32.u8.u8", 16, 32, 8, U8, U8, S32), "1", .adds = true, .sign = 1},
    {FLOAT("m64n16k256.s32.b1.b1.and.popc", 16, 256, 1, PRED, PRED, S32), "1", .adds = true,
     .sign = 1},
};

/* Every type with A in shared memory and in registers, and in every swizzle mode. */
static void test_types(void) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    for (unsigned mode = 0; mode < 5; mode++) {
      Case c = types[i];
      char tail[40];
      c.mode_a = mode % 4;
      c.mode_b = (mode + 1) % 4;
      if (mode == 4) {
        c.a_in_registers = true;
        snprintf(tail, sizeof tail, "%s", c.tail);
        if (c.bits == 16) tail[strlen(tail) - 3] = '\0'; /* no imm-trans-a */
        c.tail = tail;
      }
      run_case(&c);
    }
}

/* Both majors of both operands in every mode. */
static void test_majors(void) {
  static const char *const tails[] = {"1, 1, 1, 0, 1", "1, 1, 1, 1, 0", "1, 1, 1, 1, 1"};
  for (unsigned mode = 0; mode < 4; mode++)
    for (unsigned major = 0; major < 3; major++) {
      Case c = {FLOAT("m64n128k16.f32.f16.f16", 128, 16, 16, F16, F16, F32), tails[major],
                .adds = true, .sign = 1};
      c.a_by_mn = major > 0;
      c.b_by_mn = major != 1;
      c.mode_a = mode;
      c.mode_b = 3 - mode;
      run_case(&c);
    }
}

/* All n of a float type and of an integer type, and what they read. */
static void test_shapes(void) {
  for (unsigned n = 8; n <= 256; n += 8) {
    char name[64];
    snprintf(name, sizeof name, "m64n%uk16.f32.bf16.bf16", n);
    Case c = {FLOAT(name, n, 16, 16, BF16, BF16, F32), "1, 1, 1, 0, 0", .adds = true, .sign = 1,
              .mode_b = 1};
    if (n % 64 == 8 || n >= 248) {
      const uint64_t wavefronts = run_case(&c);
      CHECK(wavefronts == 16 + n / 4, "n %u: %d wavefronts", n, (int)wavefronts);
    }
    snprintf(name, sizeof name, "m64n%uk32.s32.u8.u8", n);
    c = (Case){FLOAT(name, n, 32, 8, U8, U8, S32), "1", .adds = true, .sign = 1,
               .a_in_registers = true};
    if (n == 24 || n == 240) {
      const uint64_t wavefronts = run_case(&c);
      CHECK(wavefronts == n / 4, "n %u of bytes: %d wavefronts", n, (int)wavefronts);
    }
  }
}

int main(void) {
  test_types();
  test_majors();
  test_shapes();
  return check_report("emu_wgmma");
}
