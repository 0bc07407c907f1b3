/* SPDX-License-Identifier: MIT */
/* hopper_cluster.h: operations by single threads through the asynchronous proxy, or on the memory
 * of another block of their cluster: copies, reductions, stores, atomics. Each thread has a slot in
 * its own window of shared memory, in its peer's and in global memory. */
#ifndef KGEN_TESTS_EMU_HOPPER_CLUSTER_H
#define KGEN_TESTS_EMU_HOPPER_CLUSTER_H

#include "emu/hopper_probe.h"

/* Bytes of the input: a line of each thread, windows, global memory; of the output: windows, old
 * values, global memory. A window has slots to be written, and slots to be read. */
enum {
  CL_BLOCKS = 16,
  CL_THREADS = 32,
  CL_SLOT = 128,
  CL_HALF = CL_SLOT * CL_THREADS,
  CL_WINDOWS = 2 * CL_HALF * CL_BLOCKS,
  CL_LINE = 64,
  CL_LINES = CL_LINE * CL_THREADS * CL_BLOCKS,
  CL_OLD = 8 * CL_THREADS * CL_BLOCKS,
  CL_GLOBAL = CL_HALF * CL_BLOCKS
};

/* The mbarriers that count the bytes: the own one, the peer's, or both; or bulk groups. */
typedef enum { CL_OWN, CL_PEER, CL_BOTH, CL_GROUP, CL_ALL, CL_AT_ONCE } ClEnd;

/* Value of ClForm.bytes: the number of bytes is in the thread's line. */
enum { CL_LINE_BYTES = 0 };

typedef struct {
  const char *statement;
  IsaKind kind;
  uint8_t bits; /* bits per element */
  ClEnd end;
  uint8_t bytes;
} ClForm;

/* --- kernels --- */

/*
 * %dst and %src: the thread's own slots, from 16 bytes on that its line names; %rdst: its peer's,
 * %bar and %rbar: mbarriers; %gin, %gout: global memory; %size: bytes, a multiple of 16; %some: 0
 * to 16; %pp: any; %w and %v: values of 32 and 64 bits; %pt: whether this block is the one of the
 * two that multicasts for this lane.
 */
static const char cl_head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .pred %p<8>, %pp, %pt; .reg .b16 %mask, %h<4>; .reg .b64 %d<16>, %gin, %gout, %v<4>;\n"
    ".reg .b32 %r<32>, %dst, %rdst, %src, %bar, %rbar, %size, %some, %bytes, %w<4>;\n"
    ".reg .b64 %old; .reg .b32 %old32; .reg .b16 %old16;\n"
    ".shared .align 128 .b8 window[8192]; .shared .align 8 .b64 object;\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %cluster_ctarank;\n"
    "mad.lo.u32 %r3, %r1, 32, %r0; ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];\n"
    "mad.wide.u32 %d2, %r3, 64, %d0; ld.global.v4.u32 {%size, %some, %r4, %r5}, [%d2];\n"
    "ld.global.v2.u64 {%v0, %v1}, [%d2+16]; ld.global.v2.u64 {%v2, %v3}, [%d2+32];\n"
    "cvt.u32.u64 %w0, %v0; cvt.u32.u64 %w1, %v1; cvt.u32.u64 %w2, %v2; cvt.u32.u64 %w3, %v3;\n"
    "mov.b32 {%h0, %h1}, %w0; setp.ne.u32 %pp, %r5, 0; mov.u16 %mask, 3;\n"
    "and.b32 %r6, %r0, 1; setp.eq.u32 %pt, %r6, %r2; mov.u64 %old, 0; mov.u32 %old32, 0;\n"
    "mov.u16 %old16, 0;\n"
    "mov.u32 %r7, window; mad.lo.u32 %dst, %r0, 128, %r7; add.u32 %dst, %dst, %r4;\n"
    "add.u32 %src, %dst, 4096; mov.u32 %bar, object; xor.b32 %r8, %r2, 1;\n"
    "mapa.shared::cluster.u32 %rdst, %dst, %r8; mapa.shared::cluster.u32 %rbar, %bar, %r8;\n"
    "mad.wide.u32 %gin, %r3, 128, %d0; cvt.u64.u32 %d3, %r4; add.u64 %gin, %gin, %d3;\n"
    "add.u64 %gin, %gin, 163840; mad.wide.u32 %gout, %r3, 128, %d1; add.u64 %gout, %gout, %d3;\n"
    "add.u64 %gout, %gout, 135168; mad.wide.u32 %d4, %r1, 8192, %d0;\n"
    "mad.wide.u32 %d5, %r1, 8192, %d1; mul.wide.u32 %d6, %r0, 16; add.u64 %d4, %d4, %d6;\n"
    "add.u64 %d5, %d5, %d6; mad.lo.u32 %r9, %r0, 16, %r7; mov.u32 %r10, %r9; mov.u32 %r11, 0;\n"
    "fill: ld.global.v2.u64 {%d7, %d8}, [%d4+32768]; st.shared.v2.u64 [%r9], {%d7, %d8};\n"
    "add.u64 %d4, %d4, 512; add.u32 %r9, %r9, 512; add.u32 %r11, %r11, 512;\n"
    "setp.lt.u32 %p1, %r11, 8192; @%p1 bra fill;\n"
    "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared::cta.b64 [%bar], 1;\n"
    "fence.mbarrier_init.release.cluster; fence.proxy.async; bar.sync 0;\n"
    "barrier.cluster.arrive; barrier.cluster.wait;\n";

static const char cl_tail[] =
    "barrier.cluster.arrive; barrier.cluster.wait;\n"
    "@%p0 mbarrier.arrive.shared::cta.b64 _, [%bar]; mov.u32 %r12, 0;\n"
    "wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%bar], 0;\n"
    "add.u32 %r12, %r12, 1; setp.lt.and.u32 %p3, %r12, 100000, !%p2; @%p3 bra wait;\n"
    "bar.sync 0; barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r11, 0;\n"
    "dump: ld.shared.v2.u64 {%d7, %d8}, [%r10]; st.global.v2.u64 [%d5], {%d7, %d8};\n"
    "add.u64 %d5, %d5, 512; add.u32 %r10, %r10, 512; add.u32 %r11, %r11, 512;\n"
    "setp.lt.u32 %p1, %r11, 8192; @%p1 bra dump;\n"
    "cvt.u64.u32 %d9, %old32; cvt.u64.u16 %d10, %old16; or.b64 %old, %old, %d9;\n"
    "or.b64 %old, %old, %d10; mad.wide.u32 %d11, %r3, 8, %d1; st.global.u64 [%d11+131072], %old;\n"
    "ret;\n}\n";

static const char *const cl_expects[] = {
    [CL_OWN] = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], %bytes;\n",
    [CL_PEER] = "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%rbar], %bytes;\n",
    [CL_BOTH] = ("@%pt mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], %bytes;\n"
                 "@%pt mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%rbar], %bytes;\n")};

static const char *const cl_waits[] = {
    [CL_GROUP] = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n",
    [CL_ALL] = "cp.async.wait_all;\n",
    [CL_AT_ONCE] = ""};

static inline void cl_put_kernel(Text *t, const ClForm *f) {
  text_puts(t, cl_head);
  if (f->bytes == CL_LINE_BYTES)
    text_puts(t, "mov.u32 %bytes, %size;\n");
  else
    text_printf(t, "mov.u32 %%bytes, %u; min.u32 %%some, %%some, %%bytes;\n", f->bytes);
  if (f->end <= CL_BOTH) text_puts(t, cl_expects[f->end]);
  text_printf(t, "%s%s;\n", f->end == CL_BOTH ? "@%pt " : "", f->statement);
  if (f->end > CL_BOTH) text_puts(t, cl_waits[f->end]);
  text_puts(t, cl_tail);
}

/* --- data --- */

/* Fills memory slot by slot. A slot has the same range of values (ProbeReach) as the operand of the
 * thread with that number, with which it is combined. */
static inline void cl_fill(uint64_t *state, const ClForm *f, unsigned char *at, size_t bytes) {
  for (size_t i = 0; i < bytes / CL_SLOT; i++)
    probe_fill(state, f->kind, f->bits, (ProbeReach)(i % PROBE_REACHES), at + i * CL_SLOT, CL_SLOT);
}

static inline void cl_set_line(uint64_t *state, const ClForm *f, unsigned thread,
                               unsigned char *line) {
  const uint32_t size = 16 * (uint32_t)(1 + isa_pick(state, CL_SLOT / 16));
  const uint32_t bytes = f->bytes == CL_LINE_BYTES ? size : 16;
  const uint32_t head[] = {size, (uint32_t)isa_pick(state, 17),
                           16 * (uint32_t)isa_pick(state, (CL_SLOT - bytes) / 16 + 1),
                           (uint32_t)isa_pick(state, 2)};
  memcpy(line, head, sizeof head);
  probe_fill(state, f->kind, f->bits, (ProbeReach)(thread % PROBE_REACHES), line + 16, 32);
}

static inline void cl_visit(const ClForm *f, ProbeVisit *visit, void *context) {
  Arena *a = arena_new();
  Text ptx = text_new(a);
  uint64_t state = probe_seed(f->statement, 2);
  cl_put_kernel(&ptx, f);
  Probe p = {.name = f->statement,
             .ptx = ptx.s,
             .blocks = CL_BLOCKS,
             .threads = CL_THREADS,
             .cluster = 2,
             .in_bytes = CL_LINES + CL_WINDOWS + CL_GLOBAL,
             .out_bytes = CL_WINDOWS + CL_OLD + CL_GLOBAL};
  p.in = calloc(1, p.in_bytes);
  p.out = calloc(1, p.out_bytes);
  for (unsigned i = 0; i < CL_BLOCKS * CL_THREADS; i++)
    cl_set_line(&state, f, i, p.in + CL_LINE * i);
  cl_fill(&state, f, p.in + CL_LINES, CL_WINDOWS + CL_GLOBAL);
  cl_fill(&state, f, p.out + CL_WINDOWS + CL_OLD, CL_GLOBAL);
  visit(&p, context);
  free(p.in);
  free(p.out);
  arena_free(a);
}

/* --- forms with one statement --- */

#define CL_BYTES ".mbarrier::complete_tx::bytes"
static const ClForm cl_forms[] = {
    {"cp.async.ca.shared.global [%dst], [%gin], 4", ISA_INT, 32, CL_ALL, 4},
    {"cp.async.ca.shared.global [%dst], [%gin], 8", ISA_INT, 32, CL_ALL, 8},
    {"cp.async.ca.shared.global [%dst], [%gin], 16", ISA_INT, 32, CL_ALL, 16},
    {"cp.async.cg.shared.global [%dst], [%gin], 16", ISA_INT, 32, CL_ALL, 16},
    {"cp.async.ca.shared.global.L2::64B [%dst], [%gin], 4, %some", ISA_INT, 32, CL_ALL, 4},
    {"cp.async.ca.shared.global.L2::128B [%dst], [%gin], 8, %some", ISA_INT, 32, CL_ALL, 8},
    {"cp.async.ca.shared.global [%dst], [%gin], 16, %some", ISA_INT, 32, CL_ALL, 16},
    {"cp.async.cg.shared.global.L2::256B [%dst], [%gin], 16, %some", ISA_INT, 32, CL_ALL, 16},
    {"cp.async.ca.shared.global [%dst], [%gin], 4, %pp", ISA_INT, 32, CL_ALL, 4},
    {"cp.async.ca.shared.global [%dst], [%gin], 8, %pp", ISA_INT, 32, CL_ALL, 8},
    {"cp.async.ca.shared.global [%dst], [%gin], 16, %pp", ISA_INT, 32, CL_ALL, 16},
    {"cp.async.cg.shared.global [%dst], [%gin], 16, %pp", ISA_INT, 32, CL_ALL, 16},
    {"cp.async.ca.shared.global [%dst], [%gin], 8; cp.async.mbarrier.arrive.shared.b64 [%bar]",
     ISA_INT, 32, CL_AT_ONCE, 8},
    {"cp.async.bulk.shared::cluster.global" CL_BYTES " [%dst], [%gin], %size, [%bar]", ISA_INT, 32,
     CL_OWN, 0},
    {"cp.async.bulk.shared::cta.global" CL_BYTES " [%dst], [%gin], %size, [%bar]", ISA_INT, 32,
     CL_OWN, 0},
    {"cp.async.bulk.shared::cluster.global" CL_BYTES " [%rdst], [%gin], %size, [%rbar]", ISA_INT,
     32, CL_PEER, 0},
    {"cp.async.bulk.shared::cluster.global" CL_BYTES
     ".multicast::cluster [%dst], [%gin], %size, [%bar], %mask",
     ISA_INT, 32, CL_BOTH, 0},
    {"cp.async.bulk.shared::cluster.shared::cta" CL_BYTES " [%rdst], [%src], %size, [%rbar]",
     ISA_INT, 32, CL_PEER, 0},
    {"cp.async.bulk.global.shared::cta.bulk_group [%gout], [%src], %size", ISA_INT, 32, CL_GROUP,
     0},
    {"cp.async.bulk.prefetch.L2.global [%gin], %size", ISA_INT, 32, CL_GROUP, 0},
    {"st.async.shared::cluster" CL_BYTES ".v2.b32 [%rdst], {%w0, %w1}, [%rbar]", ISA_INT, 32,
     CL_PEER, 8},
    {"st.async.shared::cluster" CL_BYTES ".v4.b32 [%rdst], {%w0, %w1, %w2, %w3}, [%rbar]", ISA_INT,
     32, CL_PEER, 16},
    {"st.async.shared::cluster" CL_BYTES ".v2.b64 [%rdst], {%v0, %v1}, [%rbar]", ISA_INT, 64,
     CL_PEER, 16},
    {"ld.shared::cluster.u32 %old32, [%rdst]", ISA_INT, 32, CL_AT_ONCE, 4},
    {"ld.shared::cluster.u64 %old, [%rdst]", ISA_INT, 64, CL_AT_ONCE, 8},
    {"ld.shared::cluster.s8 %old32, [%rdst]", ISA_INT, 32, CL_AT_ONCE, 1},
    {"st.shared::cluster.u8 [%rdst], %w0", ISA_INT, 32, CL_AT_ONCE, 1},
    {"st.shared::cluster.v4.u32 [%rdst], {%w0, %w1, %w2, %w3}", ISA_INT, 32, CL_AT_ONCE, 16},
    {"st.shared::cluster.u64 [%rdst], %v0", ISA_INT, 64, CL_AT_ONCE, 8},
};

/* --- reductions and stores, by type --- */

typedef struct {
  const char *name;
  IsaKind kind;
  uint8_t bits;
} ClType;

static const ClType cl_types[] = {{"u32", ISA_INT, 32},  {"s32", ISA_INT, 32}, {"b32", ISA_INT, 32},
                                  {"u64", ISA_INT, 64},  {"s64", ISA_INT, 64}, {"b64", ISA_INT, 64},
                                  {"f32", ISA_F32, 32},  {"f64", ISA_F64, 64}, {"f16", ISA_F16, 16},
                                  {"bf16", ISA_BF16, 16}};

/* Statements with an operation for $ and a type for #, and the types that the hardware has of each
 * operation. */
typedef struct {
  const char *statement, *op, *types;
  ClEnd end;
  bool by_type; /* the number of bytes follows from the type */
} ClFamily;

#define CL_TO_GLOBAL "cp.reduce.async.bulk.global.shared::cta.bulk_group.$# [%gout], [%src], %size"
#define CL_TO_PEER                                                                                 \
  "cp.reduce.async.bulk.shared::cluster.shared::cta" CL_BYTES ".$# [%rdst], [%src], %size, "       \
  "[%rbar]"
#define CL_RED   "red.async.relaxed.cluster.shared::cluster" CL_BYTES ".$# [%rdst], @, [%rbar]"
#define CL_STORE "st.async.shared::cluster" CL_BYTES ".#"
/* Not f16x2 and bf16x2, whose words an H200 adds as integers: findings, in bulk_test.c. */
#define CL_ATOM  "atom.relaxed.cluster.shared::cluster.$# !, [%rdst], @"
static const ClFamily cl_families[] = {
    {CL_TO_GLOBAL, "add", "u32 s32 u64 f16 bf16 f32 f64", CL_GROUP, false},
    {CL_TO_GLOBAL, "min", "u32 s32 u64 s64 f16 bf16", CL_GROUP, false},
    {CL_TO_GLOBAL, "max", "u32 s32 u64 s64 f16 bf16", CL_GROUP, false},
    {CL_TO_GLOBAL, "inc", "u32", CL_GROUP, false},
    {CL_TO_GLOBAL, "dec", "u32", CL_GROUP, false},
    {CL_TO_GLOBAL, "and", "b32 b64", CL_GROUP, false},
    {CL_TO_GLOBAL, "or", "b32 b64", CL_GROUP, false},
    {CL_TO_GLOBAL, "xor", "b32 b64", CL_GROUP, false},
    {CL_TO_PEER, "add", "u32 s32 u64", CL_PEER, false},
    {CL_TO_PEER, "min", "u32 s32", CL_PEER, false},
    {CL_TO_PEER, "max", "u32 s32", CL_PEER, false},
    {CL_TO_PEER, "inc", "u32", CL_PEER, false},
    {CL_TO_PEER, "dec", "u32", CL_PEER, false},
    {CL_TO_PEER, "and", "b32", CL_PEER, false},
    {CL_TO_PEER, "or", "b32", CL_PEER, false},
    {CL_TO_PEER, "xor", "b32", CL_PEER, false},
    {CL_RED, "add", "u32 s32 u64", CL_PEER, true},
    {CL_RED, "min", "u32 s32", CL_PEER, true},
    {CL_RED, "max", "u32 s32", CL_PEER, true},
    {CL_RED, "inc", "u32", CL_PEER, true},
    {CL_RED, "dec", "u32", CL_PEER, true},
    {CL_RED, "and", "b32", CL_PEER, true},
    {CL_RED, "or", "b32", CL_PEER, true},
    {CL_RED, "xor", "b32", CL_PEER, true},
    {CL_STORE " [%rdst], @, [%rbar]", "", "u32 s32 b32 u64 s64 b64 f32 f64", CL_PEER, true},
    {CL_ATOM, "add", "u32 s32 u64 f32 f64 f16 bf16", CL_AT_ONCE, true},
    {CL_ATOM, "min", "u32 s32 u64 s64", CL_AT_ONCE, true},
    {CL_ATOM, "max", "u32 s32 u64 s64", CL_AT_ONCE, true},
    {CL_ATOM, "inc", "u32", CL_AT_ONCE, true},
    {CL_ATOM, "dec", "u32", CL_AT_ONCE, true},
    {CL_ATOM, "and", "b32 b64", CL_AT_ONCE, true},
    {CL_ATOM, "or", "b32 b64", CL_AT_ONCE, true},
    {CL_ATOM, "xor", "b32 b64", CL_AT_ONCE, true},
    {CL_ATOM, "exch", "b32 b64", CL_AT_ONCE, true},
    {CL_ATOM ", %w1", "cas", "b32", CL_AT_ONCE, true},
    {CL_ATOM ", %v1", "cas", "b64", CL_AT_ONCE, true},
};

static inline void cl_put_statement(Text *t, const ClFamily *f, const ClType *type) {
  const unsigned which = type->bits == 16 ? 0 : type->bits == 32 ? 1 : 2;
  static const char *const value[] = {"%h0", "%w0", "%v0"}, *const old[] = {"%old16", "%old32",
                                                                            "%old"};
  const bool flushes = strcmp(f->op, "add") == 0 && strstr(type->name, "f16");
  for (const char *c = f->statement; *c; c++) {
    if (*c == '$')
      text_printf(t, "%s%s", f->op, flushes ? ".noftz" : "");
    else if (*c == '#')
      text_printf(t, "%s%s", strchr(f->statement, '$') ? "." : "", type->name);
    else if (*c == '@')
      text_puts(t, value[which]);
    else if (*c == '!')
      text_puts(t, old[which]);
    else
      text_printf(t, "%c", *c);
  }
}

/* True if the word is in the list. */
static inline bool cl_lists(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
  return false;
}

static inline void cl_visit_family(const ClFamily *f, ProbeVisit *visit, void *context) {
  for (size_t i = 0; i < sizeof cl_types / sizeof *cl_types; i++) {
    const ClType *type = &cl_types[i];
    if (!cl_lists(f->types, type->name)) continue;
    Arena *a = arena_new();
    Text statement = text_new(a);
    cl_put_statement(&statement, f, type);
    const ClForm form = {statement.s, type->kind, type->bits, f->end,
                         f->by_type ? type->bits / 8 : CL_LINE_BYTES};
    cl_visit(&form, visit, context);
    arena_free(a);
  }
}

static inline void cl_visit_all(ProbeVisit *visit, void *context) {
  for (size_t i = 0; i < sizeof cl_forms / sizeof *cl_forms; i++)
    cl_visit(&cl_forms[i], visit, context);
  for (size_t i = 0; i < sizeof cl_families / sizeof *cl_families; i++)
    cl_visit_family(&cl_families[i], visit, context);
}

#endif
