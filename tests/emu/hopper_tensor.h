/* SPDX-License-Identifier: MIT */
/* hopper_tensor.h: copies of tensors by the TMA, of every type and rank: loads, stores and
 * reductions, each by several blocks, which differ in the map, the box's corner and its place in
 * shared memory. */
#ifndef KGEN_TESTS_EMU_HOPPER_TENSOR_H
#define KGEN_TESTS_EMU_HOPPER_TENSOR_H

#include "emu/hopper_probe.h"

/* Bytes of the input: maps, a line of words for each block, and elements. A block has a window of
 * shared memory, which its box leaves part of. */
enum {
  TN_BLOCKS = PROBE_MAPS,
  TN_LINE = 256,
  TN_AT_LINES = TENSOR_MAP_BYTES * TN_BLOCKS,
  TN_AT_DATA = TN_AT_LINES + TN_LINE * TN_BLOCKS,
  TN_DATA = 131072,
  TN_INPUT = TN_AT_DATA + TN_DATA,
  TN_WINDOW = 12288,
  TN_BOX = 8192,
  TN_TENSOR = 65536 /* bytes per block, in memory that is stored to */
};

typedef struct {
  const char *name;
  IsaKind kind;
  bool is_float;
} TnType;

static const TnType tn_types[TENSOR_TYPES] = {
    {"u8", ISA_INT, false},     {"u16", ISA_INT, false},    {"u32", ISA_INT, false},
    {"s32", ISA_INT, false},    {"u64", ISA_INT, false},    {"s64", ISA_INT, false},
    {"f16", ISA_F16, true},     {"f32", ISA_F32, true},     {"f64", ISA_F64, true},
    {"bf16", ISA_BF16, true},   {"f32_ftz", ISA_F32, true}, {"tf32", ISA_F32, true},
    {"tf32_ftz", ISA_F32, true}};

typedef struct TnForm TnForm;

/* How a kernel copies: into shared memory, out of it, or by a reduction. `put` and `set` write what
 * is its own of the kernel, after tn_head, and of a block. */
typedef struct {
  const char *name;
  uint32_t types; /* that the hardware takes, bit by bit */
  bool loads;
  unsigned cluster;
  void (*put)(Text *t, const TnForm *f);
  void (*set)(uint64_t *state, const TnForm *f, unsigned block, Probe *p);
} TnOp;

#define TN_BIT(type) (1u << TENSOR_##type)
enum {
  TN_ALL = (1 << TENSOR_TYPES) - 1,
  TN_BITS = TN_BIT(U32) | TN_BIT(S32) | TN_BIT(U64),
  TN_ORDERED = TN_BITS | TN_BIT(S64) | TN_BIT(F16) | TN_BIT(BF16),
  TN_ADDED = TN_BITS | TN_BIT(F16) | TN_BIT(BF16) | TN_BIT(F32) | TN_BIT(F64) | TN_BIT(F32_FTZ) |
             TN_BIT(TF32) | TN_BIT(TF32_FTZ)
};

struct TnForm {
  const TnOp *op;
  TensorType type;
  int rank;
};

/* Each chunk reaches somewhere else. */
static inline void tn_fill(uint64_t *state, TensorType type, unsigned char *at) {
  enum { CHUNK = 256 };
  const unsigned bits = 8 * (unsigned)tensor_type_bytes(type);
  for (size_t i = 0; i < TN_DATA; i += CHUNK) {
    const ProbeReach reach = (ProbeReach)isa_pick(state, PROBE_REACHES);
    probe_fill(state, tn_types[type].kind, bits, reach, at + i, CHUNK);
  }
}

/* --- maps --- */

static inline uint32_t tn_from(uint64_t *state, uint64_t least, uint64_t most) {
  return (uint32_t)(least + isa_pick(state, most - least + 1));
}

/* Bytes of shared memory per box: rows narrower than the swizzle are as far apart as it is wide. */
static inline uint32_t tn_span(const TensorMap *m) {
  const uint32_t row = m->box[0] * (uint32_t)tensor_type_bytes(m->type);
  const uint32_t pitch = row < (uint32_t)m->swizzle ? (uint32_t)m->swizzle : row;
  return tensor_map_box_bytes(m) / row * pitch;
}

static inline void tn_choose_box(uint64_t *state, TensorMap *m) {
  static const uint32_t most[] = {0, 12, 5, 4, 3};
  static const int swizzles[] = {0, 32, 64, 128};
  const uint32_t size = (uint32_t)tensor_type_bytes(m->type);
  m->swizzle = swizzles[isa_pick(state, 4)];
  const uint32_t limit = m->swizzle ? (uint32_t)m->swizzle : size * 256 < 512 ? size * 256 : 512;
  m->box[0] = 16 * tn_from(state, 1, limit / 16) / size;
  m->step[0] = 1;
  for (int i = 1; i < m->rank; i++) {
    m->box[i] = tn_from(state, 1, most[i]);
    m->step[i] = isa_pick(state, 3) ? 1 : tn_from(state, 1, 4);
  }
}

/* A tensor in `bytes`, of which it takes nearly all at most. */
static inline void tn_choose_tensor(uint64_t *state, TensorMap *m, uint64_t bytes) {
  static const uint32_t most[] = {0, 14, 5, 3, 3};
  const uint32_t size = (uint32_t)tensor_type_bytes(m->type);
  uint64_t extent = m->rank == 1 ? tn_from(state, 1, 2048) : tn_from(state, 1, 320);
  m->dim[0] = (extent + size - 1) / size;
  extent = (m->dim[0] * size + 15) / 16 * 16;
  for (int i = 1; i < m->rank; i++) {
    m->stride[i] = extent + 16 * tn_from(state, 0, 2);
    const uint64_t room = (bytes - 1024) / m->stride[i];
    m->dim[i] = tn_from(state, 1, room < most[i] ? (room ? room : 1) : most[i]);
    extent = m->stride[i] * m->dim[i];
  }
}

/* In units of 16 bytes along rows, as the hardware wants it, and of a store not before the tensor.
 */
static inline void tn_choose_corner(uint64_t *state, const TnForm *f, const TensorMap *m,
                                    int32_t corner[TENSOR_MAX_RANK]) {
  const int32_t unit = 16 / tensor_type_bytes(m->type);
  const uint64_t units = m->dim[0] / (uint64_t)unit + 2, before = m->box[0] / (uint64_t)unit + 1;
  corner[0] = (int32_t)isa_pick(state, units) * unit;
  if (f->op->loads && isa_pick(state, 3) == 0) corner[0] = -(int32_t)isa_pick(state, before) * unit;
  for (int i = 1; i < m->rank; i++)
    corner[i] =
        (int32_t)isa_pick(state, m->dim[i] + 3) - (f->op->loads && isa_pick(state, 2) ? 2 : 0);
  if (f->op->loads && isa_pick(state, 12) == 0 && m->rank > 1)
    corner[1] = isa_pick(state, 2) ? INT32_MIN : INT32_MAX;
}

static inline void tn_choose(uint64_t *state, const TnForm *f, unsigned block, TensorMap *m) {
  do {
    *m = (TensorMap){.type = f->type, .rank = f->rank};
    tn_choose_box(state, m);
  } while (tn_span(m) > TN_BOX);
  const uint64_t bytes = f->op->loads ? TN_DATA / 2 : TN_TENSOR;
  tn_choose_tensor(state, m, bytes);
  m->fill_nan = tn_types[f->type].is_float && isa_pick(state, 2);
  m->address = f->op->loads ? (uint64_t)TN_AT_DATA + 16 * tn_from(state, 0, TN_DATA / 2 / 16)
                            : (uint64_t)TN_TENSOR * block + 16 * tn_from(state, 0, 8);
}

/* A block's line: the corner, the window's place of the box, the bytes, and the input's place of
 * what a store's window holds. */
static inline void tn_set_line(uint64_t *state, const TnForm *f, unsigned block, Probe *p,
                               const TensorMap *m) {
  int32_t line[TN_LINE / 4] = {0};
  tn_choose_corner(state, f, m, line);
  line[5] = 128 * (int32_t)isa_pick(state, (TN_WINDOW - TN_BOX) / 128);
  line[6] = (int32_t)tensor_map_box_bytes(m);
  line[7] = TN_AT_DATA + 16 * (int32_t)isa_pick(state, (TN_DATA - TN_WINDOW) / 16);
  memcpy(p->in + TN_AT_LINES + TN_LINE * block, line, sizeof line);
}

static inline void tn_set_block(uint64_t *state, const TnForm *f, unsigned block, Probe *p) {
  tn_choose(state, f, block, &p->map[block]);
  tn_set_line(state, f, block, p, &p->map[block]);
}

/* --- kernels --- */

/* %d0: the input, %d1: the block's line, %d2: its map, %r1: its window, %r2: an mbarrier, %r3 to
 * %r7: the corner, %r8: the box, %r9: its bytes; %p0: thread 0. The window is filled from the
 * input, and a load's is copied to the output. */
static const char tn_head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %d<16>;\n"
    ".shared .align 1024 .b8 window[12288]; .shared .align 8 .b64 bar;\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r10, %ctaid.x; setp.eq.u32 %p0, %r0, 0;\n"
    "ld.param.u64 %d0, [in]; mad.wide.u32 %d1, %r10, 256, %d0; mad.wide.u32 %d2, %r10, 128, %d0;\n"
    "add.u64 %d1, %d1, 2048; mov.u32 %r1, window; mov.u32 %r2, bar;\n"
    "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d1]; ld.global.v2.u32 {%r7, %r8}, [%d1+16];\n"
    "ld.global.v2.u32 {%r9, %r11}, [%d1+24]; add.u32 %r8, %r8, %r1;\n"
    "cvt.u64.u32 %d3, %r11; add.u64 %d3, %d0, %d3;\n"
    "ld.param.u64 %d4, [out]; mad.wide.u32 %d4, %r10, 12288, %d4;\n"
    "shl.b32 %r12, %r0, 4; cvt.u64.u32 %d5, %r12; add.u64 %d3, %d3, %d5; add.u64 %d4, %d4, %d5;\n"
    "add.u32 %r12, %r12, %r1; mov.u32 %r13, %r12; mov.u32 %r14, 0;\n"
    "fill: ld.global.v2.u64 {%d6, %d7}, [%d3]; st.shared.v2.u64 [%r12], {%d6, %d7};\n"
    "add.u64 %d3, %d3, 512; add.u32 %r12, %r12, 512; add.u32 %r14, %r14, 512;\n"
    "setp.lt.u32 %p1, %r14, 12288; @%p1 bra fill;\n"
    "@%p0 mbarrier.init.shared::cta.b64 [%r2], 1;\n"
    "fence.mbarrier_init.release.cluster; fence.proxy.async; bar.sync 0;\n";

/* Waits for a limited time. */
static const char tn_wait[] =
    "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], %r9; mov.u32 %r15, 0;\n"
    "wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; add.u32 %r15, %r15, 1;\n"
    "setp.lt.and.u32 %p3, %r15, 100000, !%p2; @%p3 bra wait;\n"
    "bar.sync 0; mov.u32 %r14, 0;\n"
    "dump: ld.shared.v2.u64 {%d6, %d7}, [%r13]; st.global.v2.u64 [%d4], {%d6, %d7};\n"
    "add.u64 %d4, %d4, 512; add.u32 %r13, %r13, 512; add.u32 %r14, %r14, 512;\n"
    "setp.lt.u32 %p1, %r14, 12288; @%p1 bra dump;\nret;\n}\n";

static inline const char *tn_corner(const TnForm *f) {
  static const char *const corner[] = {"%r3", "%r3, %r4", "%r3, %r4, %r5", "%r3, %r4, %r5, %r6",
                                       "%r3, %r4, %r5, %r6, %r7"};
  return corner[f->rank - 1];
}

/* By the lane of a predicate. */
static inline void tn_put_load(Text *t, const TnForm *f, const char *by, const char *modifier,
                               const char *operand) {
  text_printf(t,
              "@%s cp.async.bulk.tensor.%dd.shared::cluster.global.mbarrier::complete_tx::bytes%s "
              "[%%r8], [%%d2, {%s}], [%%r2]%s;\n%s",
              by, f->rank, modifier, tn_corner(f), operand, tn_wait);
}

static inline void tn_put_plain_load(Text *t, const TnForm *f) { tn_put_load(t, f, "%p0", "", ""); }

static inline void tn_put_rest(Text *t, const TnForm *f) {
  text_printf(t, ".bulk_group [%%d2, {%s}], [%%r8];\n", tn_corner(f));
  text_puts(t, "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nret;\n}\n");
}

static inline void tn_put_store(Text *t, const TnForm *f) {
  text_printf(t, "@%%p0 cp.async.bulk.tensor.%dd.global.shared::cta", f->rank);
  tn_put_rest(t, f);
}

static inline void tn_put_reduction(Text *t, const TnForm *f) {
  text_printf(t, "@%%p0 cp.reduce.async.bulk.tensor.%dd.global.shared::cta.%s", f->rank,
              f->op->name);
  tn_put_rest(t, f);
}

static inline void tn_put_kernel(Text *t, const TnForm *f) {
  text_puts(t, tn_head);
  f->op->put(t, f);
}

/* --- all forms --- */

static inline void tn_visit(const TnForm *f, unsigned char *in, ProbeVisit *visit, void *context) {
  char name[64];
  Arena *a = arena_new();
  Text ptx = text_new(a);
  snprintf(name, sizeof name, "tensor %s %dd %s", f->op->name, f->rank, tn_types[f->type].name);
  tn_put_kernel(&ptx, f);
  Probe p = {.name = name,
             .ptx = ptx.s,
             .blocks = TN_BLOCKS,
             .threads = 32,
             .cluster = f->op->cluster,
             .maps = TN_BLOCKS,
             .maps_of_out = !f->op->loads,
             .in = in,
             .in_bytes = TN_INPUT,
             .out_bytes = (uint64_t)TN_BLOCKS * (f->op->loads ? TN_WINDOW : TN_TENSOR)};
  uint64_t state = probe_seed(name, 0);
  for (unsigned i = 0; i < TN_BLOCKS; i++) f->op->set(&state, f, i, &p);
  p.out = calloc(1, p.out_bytes);
  for (uint64_t at = 0; at < p.out_bytes; at += TN_DATA / 2)
    memcpy(p.out + at, in + TN_AT_DATA + at / 8 % (TN_DATA / 2),
           p.out_bytes - at < TN_DATA / 2 ? p.out_bytes - at : TN_DATA / 2);
  visit(&p, context);
  free(p.out);
  arena_free(a);
}

/* A row of the table: a reduction. */
#define TN_REDUCE(name, types)                                                                     \
  { name, types, false, 0, tn_put_reduction, tn_set_block }

static const TnOp tn_ops[] = {{"load", TN_ALL, true, 0, tn_put_plain_load, tn_set_block},
                              {"store", TN_ALL, false, 0, tn_put_store, tn_set_block},
                              TN_REDUCE("add", TN_ADDED),
                              TN_REDUCE("min", TN_ORDERED),
                              TN_REDUCE("max", TN_ORDERED),
                              TN_REDUCE("inc", TN_BIT(U32)),
                              TN_REDUCE("dec", TN_BIT(U32)),
                              TN_REDUCE("and", TN_BITS),
                              TN_REDUCE("or", TN_BITS),
                              TN_REDUCE("xor", TN_BITS)};

static inline void tn_visit_ops(const TnOp *op, size_t ops, ProbeVisit *visit, void *context) {
  unsigned char *in = calloc(1, TN_INPUT);
  for (int t = 0; t < TENSOR_TYPES; t++) {
    uint64_t state = probe_seed(tn_types[t].name, 1);
    tn_fill(&state, (TensorType)t, in + TN_AT_DATA);
    for (size_t i = 0; i < ops; i++)
      for (int rank = 1; rank <= TENSOR_MAX_RANK && op[i].types >> t & 1; rank++)
        tn_visit(&(TnForm){&op[i], (TensorType)t, rank}, in, visit, context);
  }
  free(in);
}

static inline void tn_visit_all(ProbeVisit *visit, void *context) {
  tn_visit_ops(tn_ops, sizeof tn_ops / sizeof *tn_ops, visit, context);
}

#endif
