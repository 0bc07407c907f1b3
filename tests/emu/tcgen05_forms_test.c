/* SPDX-License-Identifier: MIT */
/* Forms of tcgen05.mma and tcgen05.cp compared with an independent model. The model finds the
 * position of each element in shared memory, by CuTe's canonical layouts and swizzles, byte by
 * byte, and in tensor memory. Sums are computed by arith_tcgen05.h, which has its own test. The
 * bytes are random, so NaNs and infinities occur. Follows the ISA, not measured. */
#include "emu/arith/arith_tcgen05.h"
#include "emu/emu_run.h"

enum {
  BYTES = 32768,
  LANES_OF_D = 128,
  COLUMNS = 64,
  A_AT = 0,
  B_AT = 16384,
  METADATA_AT = 12288,
  SCALES_AT = 28672,
  ATOM_STRIDE = 1024
};

static uint8_t in[BYTES];
static uint32_t out[LANES_OF_D * COLUMNS];

static uint64_t random_state = 11;
static uint64_t next_random(void) {
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  return z ^ z >> 29;
}

/* --- shared memory --- */

/* swizzle mode of the descriptor, and the bytes of its rows */
typedef struct {
  unsigned mode, width;
  bool by_mn;
  uint32_t offset; /* offset of the start within a row */
} Layout;

/* Without a swizzle, the next 16 bytes of k are after the 16 bytes of all lines. */
static uint32_t leading(const Layout *l) { return l->width > 16 ? 4096 : l->by_mn ? 128 : 2048; }
static uint32_t stride(const Layout *l) { return l->by_mn && l->width == 16 ? 512 : 8 * l->width; }

/* Swizzle<bits, base, shift> of CuTe. */
static uint32_t swizzle(uint32_t at, unsigned bits, unsigned base, unsigned shift) {
  const uint32_t mask = ((1u << bits) - 1) << (base + shift);
  return at ^ (at & mask) >> shift;
}

static uint32_t swizzled(const Layout *l, uint32_t at) {
  if (l->mode == 1) return swizzle(at, 2, 5, 2);
  return swizzle(at, l->width == 128 ? 3 : l->width == 64 ? 2 : l->width == 32 ? 1 : 0, 4, 3);
}

/* The byte of the tile that begins an element of `bits` bits. */
static uint32_t byte_of(const Layout *l, unsigned line, unsigned k, unsigned bits, bool packed) {
  const unsigned byte = bits >= 8 || packed ? k * bits / 8 : k / 16 * 16 + k % 16 * bits / 8;
  if (!l->by_mn) {
    const uint32_t rows = line / 8 * stride(l) + line % 8 * l->width;
    return l->width == 16 ? rows + byte / 16 * leading(l) + byte % 16 : rows + l->offset + byte;
  }
  const unsigned size = bits / 8, of_row = l->width / size, core = l->mode == 1 ? 4 : 8;
  const uint32_t lines = l->width == 16 ? stride(l) : leading(l);
  const uint32_t of_k = l->width == 16 ? leading(l) : l->mode == 1 ? ATOM_STRIDE : stride(l);
  return line / of_row * lines + line % of_row * size + k / core * of_k + k % core * l->width;
}

static uint64_t descriptor(const Layout *l, uint32_t at) {
  const uint32_t by = l->mode == 1 ? ATOM_STRIDE : stride(l);
  return (uint64_t)(at + l->offset) >> 4 | (uint64_t)(leading(l) >> 4) << 16 |
         (uint64_t)(by >> 4) << 32 | 1ull << 46 | (uint64_t)l->mode << 61;
}

static uint32_t element(const Layout *l, uint32_t base, unsigned line, unsigned k, Tcgen05Type type,
                        bool packed) {
  const unsigned bits = arith_tcgen05_bits(type);
  const uint32_t at = swizzled(l, base + byte_of(l, line, k, bits, packed));
  const unsigned shift = bits >= 8 ? 0 : k % (packed ? 2 : 16) * bits % 8;
  uint32_t word = 0;
  memcpy(&word, in + at, bits > 16 ? 4 : 2);
  return bits == 32 ? word : word >> shift & ((1u << bits) - 1);
}

/* --- forms --- */

static const Layout none = {0, 16, false, 0}, k32 = {6, 32, false, 0}, k64 = {4, 64, false, 32},
                    k128 = {2, 128, false, 64}, k128_64 = {2, 128, false, 64},
                    mn = {0, 16, true, 0}, mn32 = {6, 32, true, 0}, mn64 = {4, 64, true, 0},
                    mn128 = {2, 128, true, 0}, atom = {1, 128, true, 0};

typedef struct {
  const char *kind; /* the opcode's words from .kind on */
  Tcgen05Type a, b;
  ArithType d;
  unsigned m;
  unsigned a_code, b_code; /* in the instruction descriptor */
  const Layout *la, *lb;   /* la NULL: A in tensor memory */
  bool adds;
  unsigned scales; /* number of them along k; 0: none */
  unsigned byte;   /* the first scale's in its word */
  bool ue8m0, negates, ws, saturates, sparse;
  bool disables;   /* some lanes of D */
  unsigned scaled; /* scale-input-d */
} Form;

static const Form forms[] = {
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F32, 128, 0, 0, &none, &none, .adds = true},
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F16, 128, 0, 0, &k32, &k64, .adds = true},
    {"kind::f16", TCGEN05_BF16, TCGEN05_BF16, ARITH_F32, 128, 1, 1, &k128, &k128, .adds = true},
    {"kind::f16", TCGEN05_BF16, TCGEN05_BF16, ARITH_F32, 64, 1, 1, &k64, &k32, .adds = true},
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F32, 128, 0, 0, &mn, &mn, .adds = false},
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F32, 128, 0, 0, &mn32, &mn64, .adds = true},
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F32, 128, 0, 0, &mn128, &k128, .adds = true},
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F32, 128, 0, 0, NULL, &mn128, .adds = true},
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F32, 64, 0, 0, NULL, &none, .adds = true},
    {"kind::tf32", TCGEN05_TF32, TCGEN05_TF32, ARITH_F32, 128, 2, 2, &k128, &none, .adds = true},
    {"kind::tf32", TCGEN05_TF32, TCGEN05_TF32, ARITH_F32, 128, 2, 2, &atom, &atom, .adds = true},
    {"kind::tf32", TCGEN05_TF32, TCGEN05_TF32, ARITH_F32, 128, 2, 2, NULL, &k64, .adds = true},
    {"kind::f8f6f4", TCGEN05_E4M3, TCGEN05_E5M2, ARITH_F32, 128, 0, 1, &k128, &mn64, .adds = true},
    {"kind::f8f6f4", TCGEN05_E5M2, TCGEN05_E4M3, ARITH_F16, 128, 1, 0, &mn32, &mn128, .adds = true},
    {"kind::f8f6f4", TCGEN05_E2M3, TCGEN05_E2M1, ARITH_F32, 128, 3, 5, &k32, &k128, .adds = true},
    {"kind::f8f6f4", TCGEN05_E3M2, TCGEN05_E3M2, ARITH_F32, 64, 4, 4, &none, &k64, .adds = true},
    {"kind::f8f6f4", TCGEN05_E4M3, TCGEN05_E2M1, ARITH_F32, 128, 0, 5, NULL, &none, .adds = true},
    {"kind::i8", TCGEN05_S8, TCGEN05_U8, ARITH_S32, 128, 1, 0, &k128, &mn, .adds = true},
    {"kind::i8", TCGEN05_U8, TCGEN05_S8, ARITH_S32, 64, 0, 1, NULL, &k32, true, .saturates = true},
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F32, 128, 0, 0, &none, &none, true,
     .negates = true},
    {"kind::mxf8f6f4.block_scale.scale_vec::1X", TCGEN05_E4M3, TCGEN05_E2M3, ARITH_F32, 128, 0, 3,
     &k128, &k128, true, .scales = 1, .byte = 3, .ue8m0 = true},
    {"kind::mxf8f6f4.block_scale", TCGEN05_E5M2, TCGEN05_E5M2, ARITH_F32, 128, 1, 1, &none, &mn128,
     true, .scales = 1, .byte = 0, .ue8m0 = true},
    {"kind::mxf4.block_scale.scale_vec::2X", TCGEN05_E2M1, TCGEN05_E2M1, ARITH_F32, 128, 1, 1,
     &k128, &k64, true, .scales = 2, .byte = 2, .ue8m0 = true},
    {"kind::mxf4nvf4.block_scale.block16", TCGEN05_E2M1, TCGEN05_E2M1, ARITH_F32, 128, 1, 1, &k32,
     &none, true, .scales = 4},
    {"kind::mxf4nvf4.block_scale.scale_vec::4X", TCGEN05_E2M1, TCGEN05_E2M1, ARITH_F32, 128, 1, 1,
     &k128, &k128, true, .scales = 4, .ue8m0 = true},
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F32, 32, 0, 0, &k128, &k128, true, .ws = true},
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F32, 64, 0, 0, &k64, &mn64, true, .ws = true},
    {"kind::tf32", TCGEN05_TF32, TCGEN05_TF32, ARITH_F32, 128, 2, 2, &none, &k128, true,
     .ws = true},
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F32, 128, 0, 0, &none, &none, .adds = true,
     .sparse = true},
    {"kind::f16", TCGEN05_BF16, TCGEN05_BF16, ARITH_F32, 128, 1, 1, &k128, &k128_64, .adds = true,
     .sparse = true},
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F16, 128, 0, 0, NULL, &mn128, .adds = true,
     .sparse = true},
    {"kind::tf32", TCGEN05_TF32, TCGEN05_TF32, ARITH_F32, 128, 2, 2, &k64, &none, .adds = true,
     .sparse = true},
    {"kind::f8f6f4", TCGEN05_E4M3, TCGEN05_E5M2, ARITH_F32, 128, 0, 1, &k32, &k128_64, .adds = true,
     .sparse = true},
    {"kind::f8f6f4", TCGEN05_E2M1, TCGEN05_E3M2, ARITH_F32, 128, 5, 4, &none, &none, .adds = true,
     .sparse = true},
    {"kind::i8", TCGEN05_S8, TCGEN05_S8, ARITH_S32, 128, 1, 1, &k128, &mn64, .adds = true,
     .sparse = true},
    {"kind::mxf8f6f4.block_scale", TCGEN05_E4M3, TCGEN05_E4M3, ARITH_F32, 128, 0, 0, &k128,
     &k128_64, .adds = true, .scales = 1, .ue8m0 = true, .sparse = true},
    {"kind::mxf4nvf4.block_scale.block16", TCGEN05_E2M1, TCGEN05_E2M1, ARITH_F32, 128, 1, 1, &k128,
     &k128_64, .adds = true, .scales = 4, .sparse = true},
    {"kind::mxf4.block_scale", TCGEN05_E2M1, TCGEN05_E2M1, ARITH_F32, 128, 1, 1, &none, &none,
     .adds = true, .scales = 2, .ue8m0 = true, .sparse = true},
    {"kind::f16", TCGEN05_F16, TCGEN05_F16, ARITH_F32, 128, 0, 0, &k128, &k128, .adds = true,
     .disables = true},
    {"kind::tf32", TCGEN05_TF32, TCGEN05_TF32, ARITH_F32, 128, 2, 2, &k128, &none, .adds = true,
     .scaled = 3},
};

static bool is_packed(const Form *f) { return strstr(f->kind, "mxf4") != NULL; }
static unsigned k_of(const Form *f) {
  return is_packed(f) ? 64 : f->a == TCGEN05_TF32 ? 8 : f->a <= TCGEN05_BF16 ? 16 : 32;
}

static uint32_t instruction(const Form *f) {
  const unsigned d = f->d == ARITH_F32 ? 1 : f->d == ARITH_S32 ? 2 : 0;
  const uint32_t common = (f->sparse ? 1u << 2 : 0) | f->a_code << 7 | f->b_code << 10 |
                          (f->negates ? 1u << 13 : 0) | (f->la && f->la->by_mn ? 1u << 15 : 0) |
                          (f->lb->by_mn ? 1u << 16 : 0) | COLUMNS / 8 << 17 | f->m / 16 << 24;
  if (!f->scales) return common | d << 4 | (f->saturates ? 1u << 3 : 0);
  return common | f->byte << 4 | (f->ue8m0 ? 1u << 23 : 0) | f->byte << 29;
}

/* --- the kernel --- */

static const char head[] =
    ".version 8.8\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .b32 %r<64>; .reg .b64 %d<16>; .reg .pred %p<8>;\n"
    ".shared .align 1024 .b8 s[32768]; .shared .align 8 .b64 bar; .shared .align 4 .b32 t;\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, s; mov.u32 %r2, bar; mov.u32 %r3, t;\n"
    "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; setp.eq.u32 %p0, %r0, 0;\n"
    "setp.lt.u32 %p1, %r0, 32; shl.b32 %r4, %r0, 2;\n"
    "fill: add.u32 %r5, %r1, %r4; cvt.u64.u32 %d2, %r4; add.u64 %d2, %d2, %d0;\n"
    "ld.global.u32 %r6, [%d2]; st.shared.u32 [%r5], %r6; add.u32 %r4, %r4, 512;\n"
    "setp.lt.u32 %p2, %r4, 32768; @%p2 bra fill;\n"
    "@%p0 mbarrier.init.shared::cta.b64 [%r2], 1; @!%p1 bra ready;\n"
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 256;\n"
    "ready: fence.proxy.async; bar.sync 0; ld.shared.u32 %r7, [%r3];\n"
    /* D of tensor memory is the first bytes of in; A is those at 4,096 */
    "and.b32 %r8, %r0, 96; shl.b32 %r8, %r8, 16; add.u32 %r8, %r8, %r7;\n"
    "mul.wide.u32 %d3, %r0, 256; add.u64 %d4, %d3, %d0; mov.u32 %r9, 0;\n"
    "put: ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d4];\n"
    "tcgen05.st.sync.aligned.32x32b.x4.b32 [%r8], {%r10, %r11, %r12, %r13};\n"
    "add.u64 %d4, %d4, 16; add.u32 %r8, %r8, 4; add.u32 %r9, %r9, 4;\n"
    "setp.lt.u32 %p2, %r9, 64; @%p2 bra put;\n"
    "mul.wide.u32 %d5, %r0, 32; add.u64 %d5, %d5, %d0;\n"
    "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d5+4096];\n"
    "ld.global.v4.u32 {%r14, %r15, %r16, %r17}, [%d5+4112];\n"
    "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r8], "
    "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17};\n"
    "mul.wide.u32 %d5, %r0, 8; add.u64 %d5, %d5, %d0; add.u32 %r18, %r8, 8;\n"
    "ld.global.v2.u32 {%r10, %r11}, [%d5+12288];\n"
    "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r18], {%r10, %r11};\n"
    "tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0;\n"
    "tcgen05.fence::after_thread_sync; @!%p0 bra issued;\n";

static const char tail[] =
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r2];\n"
    "issued: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0; @!%p3 bra issued;\n"
    "tcgen05.fence::after_thread_sync; sub.u32 %r8, %r8, 64; add.u64 %d6, %d3, %d1;\n"
    "mov.u32 %r9, 0;\n"
    "get: tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r10, %r11, %r12, %r13}, [%r8];\n"
    "tcgen05.wait::ld.sync.aligned; st.global.v4.u32 [%d6], {%r10, %r11, %r12, %r13};\n"
    "add.u64 %d6, %d6, 16; add.u32 %r8, %r8, 4; add.u32 %r9, %r9, 4;\n"
    "setp.lt.u32 %p2, %r9, 64; @%p2 bra get;\n"
    "tcgen05.fence::before_thread_sync; bar.sync 0; @!%p1 bra end;\n"
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r7, 256;\nend: ret;\n}\n";

static void put_form(const Form *f, char *text, size_t room) {
  char a[40] = "[%r30]", scales[32] = "";
  int n = snprintf(text, room, "%s", head);
  if (f->la) snprintf(a, sizeof a, "0x%llx", (unsigned long long)descriptor(f->la, A_AT));
  n += snprintf(text + n, room - (size_t)n,
                "mov.u32 %%r20, 1; mov.u32 %%r21, 0; mov.u32 %%r22, -1;\n"
                "add.u32 %%r30, %%r7, 64; add.u32 %%r33, %%r7, 72;\n");
  for (int i = 0; f->scales && i < 2; i++)
    n += snprintf(text + n, room - (size_t)n,
                  "add.u32 %%r3%d, %%r7, %d; tcgen05.cp.cta_group::1.32x128b.warpx4 [%%r3%d], "
                  "0x%llx;\n",
                  1 + i, 128 + 4 * i, 1 + i,
                  (unsigned long long)descriptor(&none, SCALES_AT + 512u * (unsigned)i));
  if (f->scales) snprintf(scales, sizeof scales, "[%%r31], [%%r32], ");
  n += snprintf(text + n, room - (size_t)n,
                "setp.eq.u32 %%p4, %d, 1; tcgen05.mma.%scta_group::1.%s [%%r7], %s, 0x%llx, "
                "%s0x%x, %s%s%%p4%s;\n",
                f->adds,
                f->ws       ? "ws."
                : f->sparse ? "sp."
                            : "",
                f->kind, a, (unsigned long long)descriptor(f->lb, B_AT),
                f->sparse ? "[%r33], " : "", instruction(f), scales,
                f->disables ? "{%r20, %r21, %r22, %r21}, " : "", f->scaled ? ", 3" : "");
  snprintf(text + n, room - (size_t)n, "%s", tail);
}

static void run(const char *ptx, const char *what) {
  Machine m = machine_open(ptx, strlen(ptx));
  memset(out, 0, sizeof out);
  const Run r = {"k", 1, 128, in, sizeof in, out, sizeof out, 0, 1 << 20, 1, 0};
  EmuResult *result = machine_run(&m, &r);
  check_clean(result, what);
  CHECK(result->notes == 0, "%s: %s", what, result->notes ? result->note[0].message : "");
  emu_result_free(result);
  machine_close(&m);
}

/* --- what it computes --- */

static uint32_t word_at(uint32_t byte) {
  uint32_t word;
  memcpy(&word, in + byte, sizeof word);
  return word;
}

static unsigned parts_of(const Form *f) { return f->ws ? 128 / f->m : 1; }
static unsigned lane_of(const Form *f, unsigned row, unsigned column) {
  if (!f->ws && f->m == 64) return row % 16 + row / 16 * 32;
  return row + column / (COLUMNS / parts_of(f)) * f->m;
}

/* A in tensor memory: 32 bytes of a lane, from byte 4,096 of in. */
static uint32_t in_lane(const Form *f, unsigned lane, unsigned k) {
  const unsigned bits = arith_tcgen05_bits(f->a);
  const uint32_t word = word_at(4096 + lane * 32 + k * bits / 32 * 4) >> k * bits % 32;
  return bits < 32 ? word & ((1u << bits) - 1) : word;
}

/* The byte of metadata about the element k, as CuTe's strides have it, and its four bits. */
static unsigned selector(const Form *f, unsigned row, unsigned k) {
  const unsigned of_four = f->a == TCGEN05_TF32 ? 2 : is_packed(f) ? 8 : 4, group = k / of_four;
  unsigned lane = row, bit = 4 * group;
  if (f->a <= TCGEN05_TF32) {
    lane = row % 8 + row / 16 * 16 + group / 4 * 8;
    bit = row / 8 % 2 * 16 + group % 4 * 4;
  }
  return in[METADATA_AT + 8 * lane + bit / 8] >> bit % 8 & 15;
}

/* The place in all of k of A's i-th element. */
static unsigned place_of(const Form *f, unsigned row, unsigned i) {
  if (!f->sparse) return i;
  if (f->a == TCGEN05_TF32) return 2 * i + (selector(f, row, 2 * i) == 0xe);
  const unsigned pair = is_packed(f) ? 2 : 1, unit = i / pair; /* two units of four */
  const unsigned four = unit / 2, bits = selector(f, row, four * 4 * pair);
  return (four * 4 + (unit % 2 ? bits >> 2 : bits & 3)) * pair + i % pair;
}

static void take_line(const Form *f, unsigned row, unsigned column, bool of_a, Tcgen05Line *line) {
  uint32_t word[TCGEN05_MAX_K];
  const unsigned lane = lane_of(f, row, column);
  for (unsigned k = 0; k < k_of(f); k++)
    word[k] = !of_a   ? element(f->lb, B_AT, column, place_of(f, row, k), f->b, is_packed(f))
              : f->la ? element(f->la, A_AT, row, k, f->a, is_packed(f))
                      : in_lane(f, lane, k);
  arith_tcgen05_line(of_a ? f->a : f->b, k_of(f), word, line);
  for (unsigned k = 0; of_a && f->negates && k < k_of(f); k++)
    line->mantissa[k] = -line->mantissa[k];
}

static const uint8_t *scales(const Form *f, unsigned of, unsigned line) {
  const unsigned row = line % 32;
  return in + SCALES_AT + 512 * of + row / 8 * 128 + row % 8 * 16 + line / 32 * 4 + f->byte;
}

static uint32_t expected(const Form *f, unsigned row, unsigned column, uint32_t c) {
  Tcgen05Line a, b;
  const ArithTcgen05 op = {.a = (uint8_t)f->a,
                           .b = (uint8_t)f->b,
                           .d = (uint8_t)f->d,
                           .k = (uint8_t)k_of(f),
                           .scale = (uint8_t)(!f->scales ? TCGEN05_UNSCALED
                                              : f->ue8m0 ? TCGEN05_UE8M0
                                                         : TCGEN05_UE4M3),
                           .scale_block = (uint8_t)(f->scales ? k_of(f) / f->scales : 0),
                           .is_mxf4 = is_packed(f),
                           .saturates = f->saturates};
  take_line(f, row, column, true, &a);
  take_line(f, row, column, false, &b);
  return arith_tcgen05_dot(&op, &a, &b, scales(f, 0, row), scales(f, 1, column),
                           !f->adds            ? 0
                           : f->d == ARITH_F16 ? c & 0xffff
                                               : c);
}

static bool is_disabled(const Form *f, unsigned lane) {
  return f->disables && (lane == 0 || lane / 32 == 2);
}

/* C divided by a power of two. */
static uint32_t scaled(const Form *f, uint32_t c) {
  float x;
  memcpy(&x, &c, sizeof x);
  for (unsigned i = 0; i < f->scaled; i++) x /= 2;
  memcpy(&c, &x, sizeof x);
  return c;
}

static void check_form(const Form *f, unsigned index) {
  static char text[16384];
  char what[80];
  unsigned wrong = 0;
  snprintf(what, sizeof what, "form %u, %s", index, f->kind);
  for (unsigned i = 0; i < BYTES; i++) in[i] = (uint8_t)next_random();
  /* Makes most exponent bytes of wide types such that sums neither vanish nor become infinite. */
  for (unsigned i = 3; arith_tcgen05_bits(f->a) > 8 && i < BYTES; i += 4)
    if (next_random() % 32) in[i] = (uint8_t)((in[i] & 0x81) | 0x3c);
  for (unsigned i = 1; f->a == TCGEN05_F16 && i < BYTES; i += 4)
    if (next_random() % 32) in[i] = (uint8_t)((in[i] & 0x83) | 0x38);
  for (unsigned i = SCALES_AT; f->scales && i < BYTES; i++)
    if (in[i] % 64) in[i] = (uint8_t)(f->ue8m0 ? 120 + in[i] % 16 : in[i] & 0x77);
  static const uint8_t legal[] = {4, 8, 12, 9, 13, 6, 14, 4}, halves[] = {4, 14};
  for (unsigned i = METADATA_AT; f->sparse && i < METADATA_AT + 8 * LANES_OF_D; i++)
    in[i] = f->a == TCGEN05_TF32 ? (uint8_t)(halves[in[i] % 2] | halves[in[i] / 2 % 2] << 4)
                                 : (uint8_t)(legal[in[i] % 8] | legal[in[i] / 8 % 8] << 4);
  put_form(f, text, sizeof text);
  run(text, what);
  for (unsigned row = 0; row < f->m; row++)
    for (unsigned column = 0; column < COLUMNS; column++) {
      const unsigned c = column % (COLUMNS / parts_of(f));
      const unsigned at = lane_of(f, row, column) * COLUMNS + c;
      const uint32_t c_bits = word_at(4 * at);
      const uint32_t want = is_disabled(f, lane_of(f, row, column))
                                ? c_bits
                                : expected(f, row, column, scaled(f, c_bits));
      if (out[at] != want && wrong++ == 0)
        CHECK(false, "%s: row %u, column %u: %08x, expected %08x", what, row, column, out[at],
              want);
    }
  CHECK(wrong == 0, "%s: %u elements are wrong", what, wrong);
}

/* --- copies --- */

typedef struct {
  const char *shape;
  unsigned columns;
  const Layout *layout;
  /* the row in lane `lane`; -1: it keeps its bytes */
  int (*row)(unsigned lane);
} CopyForm;

static int row_of_128(unsigned lane) { return (int)lane; }
static int row_of_4(unsigned lane) { return lane % 32 ? -1 : (int)lane / 32; }
static int row_of_02(unsigned lane) { return (int)lane % 64; }
static int row_of_01(unsigned lane) { return (int)(lane / 64 * 32 + lane % 32); }
static int row_of_32(unsigned lane) { return (int)lane % 32; }

static const CopyForm copies[] = {
    {"128x256b", 8, &none, row_of_128},
    {"128x256b", 8, &k128, row_of_128},
    {"4x256b", 8, &none, row_of_4},
    {"128x128b", 4, &none, row_of_128},
    {"64x128b.warpx2::02_13", 4, &none, row_of_02},
    {"64x128b.warpx2::01_23", 4, &none, row_of_01},
    {"32x128b.warpx4", 4, &none, row_of_32},
};

static void check_copy(const CopyForm *c) {
  static char text[16384];
  unsigned wrong = 0;
  for (unsigned i = 0; i < BYTES; i++) in[i] = (uint8_t)next_random();
  snprintf(text, sizeof text, "%stcgen05.cp.cta_group::1.%s [%%r7], 0x%llx;\n%s", head, c->shape,
           (unsigned long long)descriptor(c->layout, B_AT), tail);
  run(text, c->shape);
  for (unsigned lane = 0; lane < LANES_OF_D; lane++)
    for (unsigned i = 0; i < COLUMNS; i++) {
      const unsigned at = lane * COLUMNS + i;
      const int row = i < c->columns ? c->row(lane) : -1;
      uint32_t want = word_at(4 * at);
      if (row >= 0)
        want = word_at(swizzled(c->layout, B_AT + byte_of(c->layout, (unsigned)row, i, 32, false)));
      wrong += out[at] != want;
    }
  CHECK(wrong == 0, "cp %s: %u words are wrong", c->shape, wrong);
}

static void check_shift(void) {
  static char text[16384];
  unsigned wrong = 0;
  snprintf(text, sizeof text,
           "%sadd.u32 %%r30, %%r7, 0x200004;\ntcgen05.shift.cta_group::1.down "
           "[%%r30];\n%s",
           head, tail);
  run(text, "shift");
  for (unsigned lane = 0; lane < LANES_OF_D; lane++)
    for (unsigned i = 0; i < COLUMNS; i++) {
      const bool moves = lane >= 32 && lane < 63 && i >= 4 && i < 12;
      wrong += out[lane * COLUMNS + i] != word_at(4 * ((lane + moves) * COLUMNS + i));
    }
  CHECK(wrong == 0, "shift: %u words are wrong", wrong);
}

/* --- unsupported forms, which are rejected by name --- */

typedef struct {
  const char *statement, *says;
} Refused;

static const Refused refused[] = {
    {"tcgen05.mma.cta_group::1.kind::f16.ashift [%r0], [%r1], %d0, %r2, p0;", ".ashift"},
    {"tcgen05.mma.ws.sp.cta_group::1.kind::f16 [%r0], %d0, %d0, [%r1], %r2, p0;", ".ws.sp"},
    {"tcgen05.mma.ws.cta_group::1.kind::f16 [%r0], %d0, %d0, %r2, p0, %d0;", "zero-column mask"},
    {"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block16 [%r0], %d0, %d0, %r2, [%r1], [%r1], "
     "p0;",
     "no scales of this size"},
    {"tcgen05.mma.cta_group::1.kind::i8 [%r0], %d0, %d0, %r2, p0, 2;", "only .kind::f16"},
    {"tcgen05.cp.cta_group::1.32x128b.warpx4.b8x16.b4x16_p64 [%r0], %d0;", "decompression"},
    {"tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r0, %r1}, %r2, [%r3];", ".red"},
    {"tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r0}, [%r1];", "repetitions"},
    {"tcgen05.alloc.sync.aligned.shared::cta.b32 [%r0], 32;", "cta_group"},
};

static void check_refused(const Refused *r, const char *target) {
  char text[512];
  int errors = 0;
  snprintf(text, sizeof text,
           ".version 8.8\n.target %s\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %%r<4>; "
           ".reg .b64 %%d<2>; .reg .pred p0;\n%s\nret;\n}\n",
           target, r->statement);
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, text, strlen(text));
  const EmuError *error = emu_errors(module, &errors);
  CHECK(errors && strstr(error[0].message, r->says), "%s: %s", r->statement,
        errors ? error[0].message : "accepted");
  emu_unload(module);
  emu_memory_free(memory);
}

int main(void) {
  static const Refused of_hopper = {"tcgen05.fence::before_thread_sync;", "exists on sm_100a"};
  check_refused(&of_hopper, "sm_90a");
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    check_refused(&refused[i], "sm_100a");
  for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) check_form(&forms[i], i);
  for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) check_copy(&copies[i]);
  check_shift();
  return check_report("emu_tcgen05_forms");
}
