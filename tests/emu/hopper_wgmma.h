/* SPDX-License-Identifier: MIT */
/* hopper_wgmma.h: wgmma of every type, size, sign, order of its operands' elements and place of A,
 * each by several blocks, which differ in data, descriptors and whether they add. Shared memory is
 * full of elements, so that a descriptor may be any. */
#ifndef KGEN_TESTS_EMU_HOPPER_WGMMA_H
#define KGEN_TESTS_EMU_HOPPER_WGMMA_H

#include "emu/hopper_probe.h"

/* Bytes of a block's input: its descriptors and whether it adds, a register of A a thread four
 * times, an image of shared memory, where A's elements end and B's begin, and accumulators. */
enum {
  WG_BLOCKS = 8,
  WG_THREADS = 128,
  WG_IMAGE = 49152,
  WG_IMAGE_A = 12288,
  WG_AT_A = 1024,
  WG_AT_IMAGE = 4096,
  WG_AT_D = WG_AT_IMAGE + WG_IMAGE,
  WG_INPUT = 131072,
  WG_REGISTERS = 128
};

typedef struct {
  const char *types;
  unsigned k;
  IsaKind a, b, d;
  unsigned bits;
  bool is_float, may_transpose;
} WgKind;

static const WgKind wg_kinds[] = {
    {"f32.f16.f16", 16, ISA_F16, ISA_F16, ISA_F32, 16, true, true},
    {"f16.f16.f16", 16, ISA_F16, ISA_F16, ISA_F16, 16, true, true},
    {"f32.bf16.bf16", 16, ISA_BF16, ISA_BF16, ISA_F32, 16, true, true},
    {"f32.tf32.tf32", 8, ISA_F32, ISA_F32, ISA_F32, 32, true, false},
    {"f32.e4m3.e4m3", 32, ISA_E4M3, ISA_E4M3, ISA_F32, 8, true, false},
    {"f32.e4m3.e5m2", 32, ISA_E4M3, ISA_E5M2, ISA_F32, 8, true, false},
    {"f32.e5m2.e4m3", 32, ISA_E5M2, ISA_E4M3, ISA_F32, 8, true, false},
    {"f32.e5m2.e5m2", 32, ISA_E5M2, ISA_E5M2, ISA_F32, 8, true, false},
    {"f16.e4m3.e4m3", 32, ISA_E4M3, ISA_E4M3, ISA_F16, 8, true, false},
    {"f16.e4m3.e5m2", 32, ISA_E4M3, ISA_E5M2, ISA_F16, 8, true, false},
    {"f16.e5m2.e4m3", 32, ISA_E5M2, ISA_E4M3, ISA_F16, 8, true, false},
    {"f16.e5m2.e5m2", 32, ISA_E5M2, ISA_E5M2, ISA_F16, 8, true, false},
    {"s32.s8.s8", 32, ISA_INT, ISA_INT, ISA_INT, 8, false, false},
    {"s32.s8.u8", 32, ISA_INT, ISA_INT, ISA_INT, 8, false, false},
    {"s32.u8.s8", 32, ISA_INT, ISA_INT, ISA_INT, 8, false, false},
    {"s32.u8.u8", 32, ISA_INT, ISA_INT, ISA_INT, 8, false, false},
    {"s32.s8.s8.satfinite", 32, ISA_INT, ISA_INT, ISA_INT, 8, false, false},
    {"s32.s8.u8.satfinite", 32, ISA_INT, ISA_INT, ISA_INT, 8, false, false},
    {"s32.u8.s8.satfinite", 32, ISA_INT, ISA_INT, ISA_INT, 8, false, false},
    {"s32.u8.u8.satfinite", 32, ISA_INT, ISA_INT, ISA_INT, 8, false, false},
    {"s32.b1.b1.and.popc", 256, ISA_INT, ISA_INT, ISA_INT, 32, false, false},
};

typedef struct {
  const WgKind *kind;
  unsigned n;
  bool a_in_registers, negative_a, negative_b, a_by_mn, b_by_mn;
  bool has_base; /* swizzles begin where tiles do, not at multiples of their size */
} WgForm;

static inline unsigned wg_registers(const WgForm *f) {
  return f->kind->d == ISA_F16 ? f->n / 4 : f->n / 2;
}

/* --- operands --- */

static inline void wg_fill_block(const WgKind *kind, unsigned block, unsigned char *in) {
  uint64_t state = probe_seed(kind->types, block);
  const ProbeReach reach = (ProbeReach)(block % PROBE_REACHES);
  probe_fill(&state, kind->a, kind->bits, reach, in + WG_AT_A, WG_THREADS * 16);
  probe_fill(&state, kind->a, kind->bits, reach, in + WG_AT_IMAGE, WG_IMAGE_A);
  probe_fill(&state, kind->b, kind->bits, reach, in + WG_AT_IMAGE + WG_IMAGE_A,
             WG_IMAGE - WG_IMAGE_A);
  probe_fill(&state, kind->d, 32, reach, in + WG_AT_D, WG_THREADS * WG_REGISTERS * 4);
}

/* --- descriptors --- */

/* Fields of a descriptor, in bytes; `groups` of eight lines, and the bytes of shared memory. */
typedef struct {
  unsigned mode, width, start, leading, stride, groups, from, bytes;
  bool by_mn;
} WgTile;

/* A random step along k within the rows of a K-major swizzled tile. */
static inline unsigned wg_step(uint64_t *state, const WgTile *t) {
  return t->mode && !t->by_mn ? 32 * (unsigned)isa_pick(state, t->width / 32) : 0;
}

/* As TMA lays a tile out. */
static inline void wg_choose_usual(uint64_t *state, WgTile *t) {
  t->start = wg_step(state, t);
  t->leading = t->mode ? 16 * t->width : 128;
  t->stride = t->mode ? 8 * t->width : 256;
}

/* Any multiples of 16 that stay within the bytes; rows of a K-major swizzled tile begin at
 * multiples of their width. */
static inline void wg_choose_any(uint64_t *state, WgTile *t) {
  const unsigned of_row = t->width / 16, unit = t->mode && !t->by_mn ? t->width : 16;
  const unsigned steps = t->by_mn ? (t->groups + of_row - 1) / of_row : t->groups;
  const unsigned room = t->bytes - 16 * t->width - 1536;
  const unsigned far = unit * (unsigned)isa_pick(state, room / steps / unit + 1);
  const unsigned near = 16 * (unsigned)isa_pick(state, 65);
  t->start = t->width * (unsigned)isa_pick(state, 8) + wg_step(state, t);
  t->leading = t->by_mn && t->mode ? far : near;
  t->stride = t->by_mn && t->mode ? near : far;
}

static inline uint64_t wg_descriptor(uint64_t *state, WgTile t, bool usual) {
  static const unsigned width[] = {16, 128, 64, 32};
  t.mode = (unsigned)isa_pick(state, 4);
  t.width = width[t.mode];
  (usual ? wg_choose_usual : wg_choose_any)(state, &t);
  return (uint64_t)(t.from + t.start) >> 4 | (uint64_t)(t.leading >> 4) << 16 |
         (uint64_t)(t.stride >> 4) << 32 | (uint64_t)t.mode << 62;
}

/* The base offset by which the swizzle's pattern begins with the tile. */
static inline uint64_t wg_base(uint64_t descriptor) {
  static const unsigned rows[] = {1, 8, 4, 2};
  return (descriptor >> 3) % rows[descriptor >> 62];
}

static inline void wg_set_block(const WgForm *f, const char *name, unsigned block,
                                unsigned char *in) {
  uint64_t state = probe_seed(name, block);
  const bool usual = block < WG_BLOCKS / 2;
  const WgTile a = {.groups = 8, .bytes = WG_IMAGE_A, .by_mn = f->a_by_mn};
  const WgTile b = {
      .groups = f->n / 8, .from = WG_IMAGE_A, .bytes = WG_IMAGE - WG_IMAGE_A, .by_mn = f->b_by_mn};
  uint64_t head[] = {wg_descriptor(&state, a, usual), wg_descriptor(&state, b, usual),
                     block % 4 != 1 && isa_pick(&state, 4)};
  for (unsigned i = 0; i < 2 && f->has_base; i++) head[i] |= wg_base(head[i]) << 49;
  memcpy(in, head, sizeof head);
}

/* --- kernels --- */

static const char wg_head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b32 %v<128>; .reg .b32 %a<4>; .reg .b64 %x<16>;\n"
    ".shared .align 1024 .b8 tile[49152];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r4, %ctaid.x;\n"
    "ld.param.u64 %x0, [in]; ld.param.u64 %x1, [out];\n"
    "mad.wide.u32 %x0, %r4, 131072, %x0; mad.lo.u32 %r5, %r4, 128, %r0;\n"
    "ld.global.u64 %x2, [%x0]; ld.global.u64 %x3, [%x0+8]; ld.global.u32 %r6, [%x0+16];\n"
    "setp.ne.u32 %p1, %r6, 0; mov.u32 %r1, tile; shr.u32 %r2, %r1, 4; cvt.u64.u32 %x10, %r2;\n"
    "add.u64 %x2, %x2, %x10; add.u64 %x3, %x3, %x10;\n"
    "mad.wide.u32 %x4, %r0, 16, %x0; mad.wide.u32 %x5, %r0, 512, %x0; mov.u64 %x7, %x4;\n"
    "ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%x4+1024];\n"
    "shl.b32 %r2, %r0, 4; add.u32 %r1, %r1, %r2; mov.u32 %r3, 0;\n"
    "loop: ld.global.v2.u64 {%x8, %x9}, [%x7+4096]; st.shared.v2.u64 [%r1], {%x8, %x9};\n"
    "add.u64 %x7, %x7, 2048; add.u32 %r1, %r1, 2048; add.u32 %r3, %r3, 2048;\n"
    "setp.lt.u32 %p0, %r3, 49152; @%p0 bra loop;\n"
    "fence.proxy.async; bar.sync 0;\n";

static inline void wg_put_operands(Text *t, const WgForm *f) {
  const unsigned registers = wg_registers(f);
  for (unsigned i = 0; i < registers; i++) text_printf(t, "%s%%v%u", i ? "," : "{", i);
  text_printf(t, "},%s,%%x3,%%p1", f->a_in_registers ? "{%a0,%a1,%a2,%a3}" : "%x2");
  if (f->kind->is_float) text_printf(t, ",%d,%d", f->negative_a ? -1 : 1, f->negative_b ? -1 : 1);
  if (f->kind->may_transpose && !f->a_in_registers) text_printf(t, ",%d", f->a_by_mn);
  if (f->kind->may_transpose) text_printf(t, ",%d", f->b_by_mn);
}

static inline void wg_put_kernel(Text *t, const WgForm *f) {
  const unsigned registers = wg_registers(f);
  text_puts(t, wg_head);
  for (unsigned i = 0; i < registers; i++)
    text_printf(t, "ld.global.b32 %%v%u, [%%x5+%u];\n", i, (unsigned)WG_AT_D + 4 * i);
  text_printf(t, "mad.wide.u32 %%x6, %%r5, %u, %%x1;\n", 4 * registers);
  text_printf(t, "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n%uk%u.%s ", f->n,
              f->kind->k, f->kind->types);
  wg_put_operands(t, f);
  text_puts(t, ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
  for (unsigned i = 0; i < registers; i++)
    text_printf(t, "st.global.b32 [%%x6+%u], %%v%u;\n", 4 * i, i);
  text_puts(t, "ret;\n}\n");
}

static inline void wg_name(const WgForm *f, char *name, size_t size) {
  char signs[16] = "", orders[16] = "";
  if (f->kind->is_float)
    snprintf(signs, sizeof signs, " %s %s", f->negative_a ? "-a" : "a", f->negative_b ? "-b" : "b");
  if (f->kind->may_transpose)
    snprintf(orders, sizeof orders, " %s %s", f->a_by_mn ? "m" : "k", f->b_by_mn ? "n" : "k");
  snprintf(name, size, "wgmma m64n%uk%u.%s %s%s%s%s", f->n, f->kind->k, f->kind->types,
           f->a_in_registers ? "registers" : "shared", signs, orders, f->has_base ? " base" : "");
}

/* --- all forms --- */

static inline void wg_visit(const WgForm *f, unsigned char *in, ProbeVisit *visit, void *context) {
  char name[96];
  Arena *a = arena_new();
  Text ptx = text_new(a);
  wg_name(f, name, sizeof name);
  wg_put_kernel(&ptx, f);
  Probe p = {.name = name,
             .ptx = ptx.s,
             .blocks = WG_BLOCKS,
             .threads = WG_THREADS,
             .in = in,
             .in_bytes = (uint64_t)WG_BLOCKS * WG_INPUT,
             .out_bytes = (uint64_t)WG_BLOCKS * WG_THREADS * 4 * wg_registers(f)};
  for (unsigned i = 0; i < WG_BLOCKS; i++) wg_set_block(f, name, i, in + (size_t)i * WG_INPUT);
  p.out = calloc(1, p.out_bytes);
  visit(&p, context);
  free(p.out);
  arena_free(a);
}

/* The variant's bits, if the kind has it. */
static inline bool wg_form(const WgKind *kind, unsigned n, unsigned variant, WgForm *f) {
  *f = (WgForm){.kind = kind,
                .n = n,
                .a_in_registers = variant & 1,
                .negative_a = variant & 2,
                .negative_b = variant & 4,
                .b_by_mn = variant & 8,
                .a_by_mn = variant & 16};
  if (!kind->is_float && (f->negative_a || f->negative_b)) return false;
  if (!kind->is_float && n > 24 && n % 16) return false;
  if (f->a_by_mn && f->a_in_registers) return false;
  return kind->may_transpose || !(f->a_by_mn || f->b_by_mn);
}

/* With 24 columns all variants, else one. */
static inline void wg_visit_size(const WgKind *kind, unsigned n, unsigned char *in,
                                 ProbeVisit *visit, void *context) {
  enum { VARIANTS = 32 };
  WgForm f;
  unsigned one = n / 8 * 7;
  while (n != 24 && !wg_form(kind, n, one % VARIANTS, &f)) {
    if (++one > 3 * VARIANTS + n) return;
  }
  for (unsigned v = 0; v < VARIANTS; v++)
    if ((n == 24 || v == one % VARIANTS) && wg_form(kind, n, v, &f))
      wg_visit(&f, in, visit, context);
}

/* With 64 columns and a base offset. */
static inline void wg_visit_base(const WgKind *kind, unsigned char *in, ProbeVisit *visit,
                                 void *context) {
  WgForm f;
  for (unsigned v = 0; v < 32; v += 8) {
    if (!wg_form(kind, 64, v, &f)) continue;
    f.has_base = true;
    wg_visit(&f, in, visit, context);
  }
}

static inline void wg_visit_all(ProbeVisit *visit, void *context) {
  unsigned char *in = calloc(WG_BLOCKS, WG_INPUT);
  for (size_t i = 0; i < sizeof wg_kinds / sizeof *wg_kinds; i++) {
    for (unsigned b = 0; b < WG_BLOCKS; b++)
      wg_fill_block(&wg_kinds[i], b, in + (size_t)b * WG_INPUT);
    for (unsigned n = 8; n <= 256; n += 8) wg_visit_size(&wg_kinds[i], n, in, visit, context);
    wg_visit_base(&wg_kinds[i], in, visit, context);
  }
  free(in);
}

#endif
