/* SPDX-License-Identifier: MIT */
/* Code that is translated to C gives the interpreter's results bit for bit: every row
 * that is translated, accesses of every width at all kinds of addresses, loops, branches, faults.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "check.h"
#include "device/native_compiler.h"
#include "device/native_values.h"
#include "emu/emu.h"
#include "emu/row_forms.h"
#include "emu/translate/form.h"

/* --- running a text both ways --- */

typedef struct {
  EmuMemory *memory;
  EmuModule *module;
  uint64_t in, out;
  size_t in_bytes, out_bytes;
  uint32_t grid, block, shared;
  int n;
  Compiler *compiler;
} Case;

static Case case_open(Compiler *compiler, const char *ptx, const void *in, size_t in_bytes,
                      size_t out_bytes) {
  Case c = {.memory = emu_memory_new(),
            .in_bytes = in_bytes,
            .out_bytes = out_bytes,
            .compiler = compiler};
  c.module = emu_load(c.memory, ptx, strlen(ptx));
  int errors;
  const EmuError *error = emu_errors(c.module, &errors);
  for (int i = 0; i < errors; i++) CHECK(false, "line %d: %s", error[i].ptx_line, error[i].message);
  c.in = emu_alloc(c.memory, in_bytes, "in");
  c.out = emu_alloc(c.memory, out_bytes, "out");
  emu_copy_in(c.memory, c.in, in, in_bytes);
  return c;
}

static void case_close(Case *c) {
  emu_unload(c->module);
  emu_memory_free(c->memory);
}

static EmuResult *launch(const Case *c, const EmuTranslator *translator, void *out) {
  const void *args[] = {&c->in, &c->out, &c->n};
  const EmuLaunch l = {.kernel = "k",
                       .grid = {c->grid, 1, 1},
                       .block = {c->block, 1, 1},
                       .dynamic_shared = c->shared,
                       .args = args,
                       .threads = 1,
                       .unchecked = true,
                       .translator = translator};
  memset(out, 0xa5, c->out_bytes);
  emu_copy_in(c->memory, c->out, out, c->out_bytes);
  EmuResult *r = emu_launch(c->module, &l);
  emu_copy_out(c->memory, out, c->out, c->out_bytes);
  return r;
}

/* The first of the outputs' 8-byte words that differ; -1: none does. */
static long compare(const Case *c, const char *what) {
  unsigned char *want = malloc(c->out_bytes), *got = malloc(c->out_bytes);
  const EmuTranslator translator = {
      .ask = compiler_ask, .take = compiler_take, .context = c->compiler};
  c->compiler->compiled = 0;
  EmuResult *a = launch(c, NULL, want);
  emu_result_free(launch(c, &translator, got)); /* its first round is interpreted */
  EmuResult *b = launch(c, &translator, got);
  CHECK(c->compiler->compiled <= 1, "%s: compiled %d times", what, c->compiler->compiled);
  CHECK(a->lane_instructions == b->lane_instructions &&
            a->warp_instructions == b->warp_instructions,
        "%s: %" PRIu64 " lane instructions, %" PRIu64 " interpreted", what, b->lane_instructions,
        a->lane_instructions);
  CHECK(a->findings == b->findings, "%s: %d findings, %d interpreted", what, b->findings,
        a->findings);
  if (a->findings && b->findings) CHECK_STR(b->finding->message, a->finding->message);
  long at = -1;
  for (size_t i = 0; i < c->out_bytes && at < 0; i++)
    if (want[i] != got[i]) at = (long)(i / 8);
  emu_result_free(a);
  emu_result_free(b);
  free(want);
  free(got);
  return at;
}

/* --- opcodes --- */

/* Writes one instruction. The sources a, b, c, d of each width are in registers; d10 accumulates
 * all results. */
static void put_op(Text *t, const char *opcode, const char *shape, bool logic) {
  const bool wide = shape[0] == 'l', sets = shape[0] == 'p';
  int value = 0;
  text_printf(t, "  %s %s", opcode, sets ? "%p3|%p4" : wide ? "%d9" : "%r9");
  for (const char *s = shape + 1; *s; s++) {
    if (*s == 'p') text_puts(t, ", %p1");
    if (*s == 'k') text_puts(t, ", 0x6996");
    if (*s == 'l') text_printf(t, ", %%d%d", value++);
    if (*s == 'i' || *s == 'f') text_printf(t, ", %%r%d", value++);
  }
  text_puts(t, logic ? ", %p1;\n" : ";\n");
  if (sets) text_puts(t, "  selp.b32 %r9, 5, 6, %p3;\n  @%p4 add.s32 %r9, %r9, 16;\n");
  if (!wide) text_puts(t, "  cvt.u64.u32 %d9, %r9;\n");
  text_puts(t, "  mad.lo.s64 %d10, %d10, 3, %d9;\n");
}

static void put_result(Text *t, int *out) {
  text_printf(t, "  st.global.u64 [%%out+%d], %%d10;\n  mov.u64 %%d10, 0;\n", 256 * (*out)++);
}

/* The opcodes of the rows that are translated, the results of each row in one word. `type`: only
 * those with that type; NULL: all. Logic is combined with one comparison only. */
typedef struct {
  Arena *arena;
  Text *text;
  const char *type;
  int opcodes;
} Rows;

static void put_form(void *context, const ArithRow *row, uint32_t types, const char *opcode) {
  Rows *r = context;
  ArithInsn insn;
  Form form;
  (void)types;
  if (arith_resolve(opcode, &insn) != ARITH_OK || insn.row != row ||
      !form_find(r->arena, &insn, &form) || (r->type && !strstr(opcode, r->type)) ||
      (insn.logic && insn.compare != ARITH_LT))
    return;
  put_op(r->text, opcode, form.shape, insn.logic);
  r->opcodes++;
}

static void put_rows(Rows *r, int *out) {
  ArithTable table[ARITH_TABLES];
  arith_tables(arith_most_vectors(), table);
  for (int t = 0; t < ARITH_TABLES; t++)
    for (size_t i = 0; i < table[t].count; i++) {
      const int before = r->opcodes;
      row_forms(&table[t].rows[i], &(RowVisitor){put_form, r});
      if (r->opcodes > before) put_result(r->text, out);
    }
}

static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".extern .shared .align 16 .b8 shared[];\n"
                           ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {\n"
                           "  .reg .pred %p<16>;\n  .reg .b32 %r<64>;\n  .reg .b64 %d<64>;\n"
                           "  .reg .b64 %in, %out, %t;\n  .reg .b32 %lane;\n"
                           "  ld.param.u64 %in, [a];\n  ld.param.u64 %out, [b];\n"
                           "  mov.u32 %lane, %tid.x;\n";

static void test_opcodes(Compiler *compiler) {
  enum { BLOCKS = 120, WORDS = 4 };
  Arena *a = arena_new();
  Text t = text_new(a);
  int out = 0;
  text_puts(&t, head);
  text_puts(&t, "  mov.u32 %r20, %ctaid.x;\n  mad.lo.s32 %r21, %r20, 32, %lane;\n"
                "  mad.wide.u32 %in, %r21, 32, %in;\n");
  for (int i = 0; i < WORDS; i++)
    text_printf(&t, "  ld.global.u64 %%d%d, [%%in+%d];\n  cvt.u32.u64 %%r%d, %%d%d;\n", i, i * 8, i,
                i);
  text_puts(&t, "  setp.lt.s32 %p1, %r3, 100;\n  mov.u64 %d10, 0;\n");
  Text ops = text_new(a);
  Rows rows = {.arena = a, .text = &ops};
  put_rows(&rows, &out);
  put_op(&ops, "min.f32", "ffff", false); /* three sources: a row that is not translated */
  put_result(&ops, &out);
  text_printf(&t,
              "  mad.wide.u32 %%out, %%r20, %d, %%out;\n  mad.wide.u32 %%out, %%lane, 8, %%out;\n",
              out * 256);
  text_puts(&t, ops.s);
  text_puts(&t, "  ret;\n}\n");
  const size_t bytes = (size_t)BLOCKS * LANES * WORDS * 8;
  uint32_t *in = malloc(bytes);
  uint64_t state = 7;
  for (size_t i = 0; i < bytes / 4; i++) in[i] = values_word(&state);
  Case c = case_open(compiler, t.s, in, bytes, (size_t)BLOCKS * (size_t)out * 256);
  c.grid = BLOCKS;
  c.block = LANES;
  const long at = compare(&c, "opcodes");
  CHECK(at < 0, "store %ld of lane %ld, block %ld", at / LANES % out, at % LANES, at / LANES / out);
  if (at >= 0) {
    const char *op = strstr(ops.s, arena_printf(a, "+%ld]", at / LANES % out * 256));
    printf("%.*s\n", 160, op - 150 > ops.s ? op - 150 : ops.s);
  }
  CHECK(out > 100, "only %d rows", out);
  case_close(&c);
  free(in);
  arena_free(a);
}

/* --- halves --- */

/* One or two fp16 values with magnitudes near others, with few bits set, or an f32 near a midpoint
 * between two fp16 values. */
static uint32_t halves_word(uint64_t *state) {
  static const uint32_t special[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x83ff, 0x7bff,
                                     0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfe00, 0x7f7f, 0x7f80, 0xff80,
                                     0x7f81, 0x7fff, 0x3c00, 0x3c01, 0x3f80, 0x3f81, 0x80,   0x7f};
  static const uint32_t tails[] = {0x1000, 0x0fff, 0x1001, 0, 0x1fff, 0x8000, 0x7fff, 0x8001};
  const uint32_t x = (uint32_t)values_next(state), y = (uint32_t)values_next(state);
  const uint32_t tail = tails[values_pick(state, 8)];
  enum { COUNT = sizeof special / sizeof *special };
  switch (values_pick(state, 6)) {
  case 0: return special[x % COUNT] << 16 | special[y % COUNT];
  case 1: return (x & 0x80078007) | (0x2c002c00 + (y & 0x1c001c00));
  case 2: return (x & 0x81ff81ff) | (0x3c003c00 + (y & 0x18001800));
  case 3: return (x & 0x807fe000) + (0x32000000 + (y & 0x1f800000)) + tail;
  case 4: return (x & 0xffff0000) + tail;
  default: return x;
  }
}

/* All opcodes of a type in PTX of a version and target, and random operands for them. */
typedef struct {
  const char *type, *top;
  uint32_t (*word)(uint64_t *state);
  uint32_t blocks;
} Typed;

/* Halves for which a sum that is rounded twice is another one; subnormals, which old PTX has none
 * of, though its opcodes do not say so. */
static const Typed typed[] = {{"f16", ".version 8.0\n.target sm_90\n", halves_word, 4000},
                              {"f32", ".version 1.4\n.target sm_10\n", values_word, 100}};

static const char *text_of_type(Arena *a, const Typed *t, int *out) {
  Text ops = text_new(a);
  Rows rows = {.arena = a, .text = &ops, .type = t->type};
  put_rows(&rows, out);
  CHECK(rows.opcodes > 30, "only %d opcodes", rows.opcodes);
  return arena_printf(
      a,
      "%s%s  mov.u32 %%r20, %%ctaid.x;\n  mad.lo.s32 %%r21, %%r20, 32, %%lane;\n"
      "  mad.wide.u32 %%in, %%r21, 16, %%in;\n  mov.u64 %%d10, 0;\n"
      "  ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%in];\n  setp.lt.s32 %%p1, %%r3, 100;\n"
      "  mov.b64 %%d0, {%%r0, %%r1};\n  mov.b64 %%d1, {%%r2, %%r0};\n  mov.b64 %%d2, {%%r1, "
      "%%r3};\n"
      "  mad.wide.u32 %%out, %%r20, %d, %%out;\n  mad.wide.u32 %%out, %%lane, 8, %%out;\n"
      "%s  ret;\n}\n",
      t->top, strstr(head, ".address_size"), *out * 256, ops.s);
}

static void test_type(Compiler *compiler, const Typed *t) {
  enum { WORDS = 4 };
  Arena *a = arena_new();
  int out = 0;
  const char *text = text_of_type(a, t, &out);
  const size_t words = (size_t)t->blocks * LANES * WORDS;
  uint32_t *in = malloc(words * 4);
  uint64_t state = 11;
  for (size_t i = 0; i < words; i++) in[i] = t->word(&state);
  Case c = case_open(compiler, text, in, words * 4, (size_t)t->blocks * (size_t)out * 256);
  c.grid = t->blocks;
  c.block = LANES;
  const long at = compare(&c, t->type);
  CHECK(at < 0, "%s: row %ld of lane %ld, block %ld", t->type, at / LANES % out, at % LANES,
        at / LANES / out);
  case_close(&c);
  free(in);
  arena_free(a);
}

/* --- accesses --- */

typedef struct {
  const char *type;
  int bytes, elements;
} Element;

/* Writes loads and stores, in global and in shared memory, at places that the input gives each
 * lane: its words [0, 32) are indices to load from, [32, 64) to store to; data follow. */
static void put_accesses(Text *t, const Element *e, int *out) {
  static const char *const vector[] = {"", "", ".v2", "", ".v4"};
  const int whole = e->bytes * e->elements;
  const char v = e->bytes == 8 ? 'd' : 'r';
  Text list = text_new(t->arena);
  text_puts(&list, e->elements > 1 ? "{" : "");
  for (int i = 0; i < e->elements; i++) text_printf(&list, "%s%%%c%d", i ? ", " : "", v, 40 + i);
  text_puts(&list, e->elements > 1 ? "}" : "");
  for (int shared = 0; shared < 2; shared++) {
    const char *space = shared ? "shared" : "global", *base = shared ? "%d30" : "%d31";
    text_printf(t, "  mad.wide.u32 %%d20, %%r30, %d, %s;\n", whole, base);
    text_printf(t, "  mad.wide.u32 %%d21, %%r31, %d, %s;\n", whole, shared ? base : "%out");
    for (int offset = 0; offset < 2; offset++) {
      text_printf(t, "  ld.%s%s.%s %s, [%%d20+%d];\n", space, vector[e->elements], e->type, list.s,
                  offset * whole);
      text_printf(t, "  st.%s%s.%s [%%d21+%d], %s;\n", space, vector[e->elements], e->type,
                  offset * whole + (shared ? 4096 : *out), list.s);
    }
    text_printf(t, "  cvt.u32.u64 %%r50, %%d20;\n  ld.%s.%s %%%c45, [%s+%d];\n", space, e->type, v,
                shared ? "%r50" : "%d20", 0);
    text_printf(t, "  st.%s.%s [%%d21+%d], %%%c45;\n", space, e->type,
                (shared ? 4096 : *out) + 2 * whole, v);
    text_printf(t, "  @%%p2 ld.%s.%s %%%c45, [%%d20];\n  @!%%p2 st.%s.%s [%%d21+%d], %%%c45;\n",
                space, e->type, v, space, e->type, (shared ? 4096 : *out) + 3 * whole, v);
    if (!shared) *out += 8192;
  }
}

static const Element elements[] = {{"u8", 1, 1},  {"s16", 2, 1}, {"u32", 4, 1}, {"u64", 8, 1},
                                   {"f32", 4, 2}, {"u32", 4, 4}, {"u8", 1, 4}};

static void fill_indices(uint32_t *index, int pattern, uint64_t *state) {
  for (uint32_t i = 0; i < LANES; i++) {
    const uint32_t random = (uint32_t)values_next(state);
    const uint32_t by[] = {3, i, i ^ 31, i / 16 * 16 + 2, i * 2, random % 32, random % 120, 16 + i};
    index[i] = by[pattern];
  }
}

static void test_accesses(Compiler *compiler) {
  enum { PATTERNS = 8, DATA = 8192, SHARED = 16384 };
  Arena *a = arena_new();
  Text t = text_new(a);
  int out = SHARED;
  text_puts(&t, head);
  text_puts(&t, "  mad.wide.u32 %d1, %lane, 4, %in;\n  ld.global.u32 %r30, [%d1];\n"
                "  ld.global.u32 %r31, [%d1+128];\n  add.s64 %d31, %in, 256;\n"
                "  mov.u64 %d30, shared;\n  setp.ne.u32 %p2, %r30, 5;\n"
                "  mov.u32 %r1, 0;\n"
                "fill:\n  mad.wide.u32 %d2, %r1, 4, %d31;\n  mad.wide.u32 %d2, %lane, 4, %d2;\n"
                "  ld.global.u32 %r2, [%d2];\n  cvt.u64.u32 %d3, %r1;\n  shl.b64 %d3, %d3, 2;\n"
                "  add.s64 %d3, %d3, %d30;\n  mad.wide.u32 %d3, %lane, 4, %d3;\n"
                "  st.shared.u32 [%d3], %r2;\n  st.shared.u32 [%d3+8192], %r2;\n"
                "  add.u32 %r1, %r1, 32;\n  setp.lt.u32 %p3, %r1, 2048;\n  @%p3 bra fill;\n");
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
    put_accesses(&t, &elements[i], &out);
  text_puts(&t, "  mov.u32 %r1, 0;\n"
                "drain:\n  mad.wide.u32 %d2, %r1, 4, %out;\n  mad.wide.u32 %d2, %lane, 4, %d2;\n"
                "  cvt.u64.u32 %d3, %r1;\n  shl.b64 %d3, %d3, 2;\n  add.s64 %d3, %d3, %d30;\n"
                "  mad.wide.u32 %d3, %lane, 4, %d3;\n  ld.shared.u32 %r2, [%d3];\n"
                "  st.global.u32 [%d2], %r2;\n  add.u32 %r1, %r1, 32;\n"
                "  setp.lt.u32 %p3, %r1, 4096;\n  @%p3 bra drain;\n  ret;\n}\n");
  uint32_t in[64 + DATA / 4];
  uint64_t state = 3;
  for (int pattern = 0; pattern < PATTERNS; pattern++) {
    fill_indices(in, pattern, &state);
    fill_indices(in + LANES, (pattern * 5 + 1) % PATTERNS, &state);
    for (size_t i = 64; i < sizeof in / sizeof *in; i++) in[i] = (uint32_t)values_next(&state);
    Case c = case_open(compiler, t.s, in, sizeof in, (size_t)out);
    c.grid = 1;
    c.block = LANES;
    c.shared = SHARED;
    const long at = compare(&c, "accesses");
    CHECK(at < 0, "pattern %d: byte %ld", pattern, at * 8);
    case_close(&c);
  }
  arena_free(a);
}

/* Words side by side, and four halves at each, at distances from one register; and a function whose
 * registers are its caller's arguments and result. */
static const char groups[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".func (.reg .b32 r) f(.reg .b32 x, .reg .b32 y) {\n"
    "  .reg .b32 t;\n  add.s32 t, x, y;\n  mul.lo.s32 r, t, 3;\n  ret;\n}\n"
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {\n"
    "  .reg .b32 %r<8>, %lane;\n  .reg .b64 %d<4>, %in, %out;\n"
    "  ld.param.u64 %in, [a];\n  ld.param.u64 %out, [b];\n  mov.u32 %lane, %tid.x;\n"
    "  mad.wide.u32 %in, %lane, 8, %in;\n  mad.wide.u32 %out, %lane, 8, %out;\n"
    "  ld.global.u64 %d0, [%in];\n  ld.global.v4.s16 {%r0, %r1, %r2, %r3}, [%in+256];\n"
    "  st.global.u64 [%out], %d0;\n  st.global.v4.u16 [%out+256], {%r3, %r2, %r1, %r0};\n"
    "  call (%r4), f, (%r0, %r1);\n  cvt.u64.u32 %d1, %r4;\n  st.global.u64 [%out+512], %d1;\n"
    "  ret;\n}\n";

static void test_groups(Compiler *compiler) {
  uint64_t in[2 * LANES], state = 5;
  for (int i = 0; i < 2 * LANES; i++) in[i] = values_next(&state) << 32 ^ values_next(&state);
  Case c = case_open(compiler, groups, in, sizeof in, 3 * LANES * 8);
  c.grid = 1;
  c.block = LANES;
  const long at = compare(&c, "groups");
  CHECK(at < 0, "word %ld", at);
  case_close(&c);
}

/* --- control --- */

/* Loops that lanes leave together or one by one, under predicates, across time slices. */
static const char loops[] =
    "  mad.wide.u32 %d1, %lane, 4, %in;\n  ld.global.u32 %r1, [%d1];\n  mov.u32 %r2, 0;\n"
    "  mov.u32 %r3, 0;\n  ld.param.u32 %r9, [n];\n  mov.u32 %r8, %r1;\n"
    "  mad.wide.u32 %d3, %lane, 4, %out;\n  mov.u32 %r13, %r1;\n"
    "together:\n  mad.lo.s32 %r1, %r1, 1664525, 1013904223;\n  shr.u32 %r4, %r1, 3;\n"
    "  atom.global.add.u32 %r12, [%d3], %r13;\n  mad.lo.s32 %r13, %r13, 3, 1;\n"
    "  add.s32 %r3, %r3, %r12;\n  setp.gt.s32 %p4, %r1, 100;\n"
    "  @%p4 setp.gt.s32 %p4|%p5, %r13, 50;\n  @%p5 add.s32 %r3, %r3, 5;\n"
    "  xor.b32 %r1, %r1, %r4;\n  setp.lt.s32 %p1, %r1, 0;\n  @%p1 add.s32 %r3, %r3, %r4;\n"
    "  @!%p1 mov.u32 %r8, %r4;\n  popc.b32 %r6, %r1;\n  brev.b32 %r7, %r1;\n"
    "  shfl.sync.up.b32 %r7|%p5, %r7, 3, 0, -1;\n  @%p5 add.s32 %r3, %r3, %r2;\n"
    "  shfl.sync.bfly.b32 %r7, %r7, 1, 31, -1;\n  shfl.sync.idx.b32 %r12|%p5, %r3, 9, 0x181f, -1;\n"
    "  @%p5 add.s32 %r3, %r3, %r12;\n  vote.sync.ballot.b32 %r12, %p1, -1;\n"
    "  add.s32 %r7, %r7, %r12;\n  bar.warp.sync -1;\n"
    "  add.s32 %r3, %r3, %r7;\n  add.s32 %r2, %r2, 1;\n  setp.lt.s32 %p2, %r2, %r9;\n"
    "  @%p2 bra together;\n"
    "apart:\n  mad.lo.s32 %r1, %r1, 1664525, 1013904223;\n  add.s32 %r3, %r3, %r1;\n"
    "  add.s32 %r3, %r3, %r8;\n  add.cc.u32 %r10, %r1, %r3;\n  addc.u32 %r11, %r3, %r6;\n"
    "  and.b32 %r5, %r1, 0x700000;\n  setp.ne.u32 %p3, %r5, 0;\n  @%p3 bra apart;\n"
    "  add.s32 %r3, %r3, %r11;\n  mad.wide.u32 %d2, %lane, 4, %out;\n"
    "  st.global.u32 [%d2], %r3;\n  ret;\n}\n";

static void test_loops(Compiler *compiler) {
  Arena *a = arena_new();
  uint32_t in[LANES];
  uint64_t state = 11;
  for (int i = 0; i < LANES; i++) in[i] = (uint32_t)values_next(&state);
  Case c = case_open(compiler, arena_printf(a, "%s%s", head, loops), in, sizeof in, sizeof in);
  c.grid = 1;
  const uint32_t blocks[] = {32, 20};
  const int counts[] = {0, 1, 2, 13, 17, 18, 19, 1000};
  for (int i = 0; i < 16; i++) {
    c.block = blocks[i % 2];
    c.n = counts[i / 2];
    const long at = compare(&c, "loops");
    CHECK(at < 0, "%d rounds of %u threads: word %ld", c.n, c.block, at);
  }
  case_close(&c);
  arena_free(a);
}

/* A thousand rounds and more, alone: each lane's own number of them where it is asked for, so that
 * lanes part. Registers that the interpreter writes (brev, of which there is no function) are read
 * before and behind. */
static const char parts[] =
    "  ld.param.u32 %r9, [n];\n  mul.lo.u32 %r9, %r9, %lane;\n  add.u32 %r9, %r9, 1000;\n"
    "  mov.u32 %r1, %lane;\n  mov.u32 %r2, 0;\n  mov.u32 %r3, 7;\n"
    "again:\n  mad.lo.u32 %r1, %r1, 5, %r3;\n  brev.b32 %r3, %r1;\n  xor.b32 %r1, %r1, %r3;\n"
    "  add.u32 %r2, %r2, 1;\n  setp.lt.u32 %p1, %r2, %r9;\n  @%p1 bra again;\n"
    "  mad.wide.u32 %d2, %lane, 4, %out;\n  st.global.u32 [%d2], %r1;\n  ret;\n}\n";

/* Nearly all of a long loop is translated, of warps of fewer lanes and of lanes that
 * parted, too. */
static void test_parts(Compiler *compiler) {
  static const struct {
    uint32_t block;
    int each;             /* rounds of a lane beyond the one below it */
    uint64_t least, most; /* percent of what is translated that some lanes execute */
  } launches[] = {{32, 0, 0, 0}, {20, 0, 100, 100}, {32, 30, 40, 60}, {1, 0, 100, 100}};
  Arena *a = arena_new();
  const EmuTranslator translator = compiler_translator(compiler);
  uint32_t in[LANES] = {0}, out[LANES];
  Case c = case_open(compiler, arena_printf(a, "%s%s", head, parts), in, sizeof in, sizeof out);
  c.grid = 1;
  for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
    c.block = launches[i].block;
    c.n = launches[i].each;
    const long at = compare(&c, "parts");
    CHECK(at < 0, "%u threads: word %ld", c.block, at);
    EmuResult *r = launch(&c, &translator, out);
    CHECK(r->translated > r->warp_instructions * 9 / 10 && r->translated <= r->warp_instructions,
          "%u threads: %" PRIu64 " of %" PRIu64 " translated", c.block, r->translated,
          r->warp_instructions);
    CHECK(r->translated_partly >= r->translated * launches[i].least / 100 &&
              r->translated_partly <= r->translated * launches[i].most / 100,
          "%u threads: %" PRIu64 " of %" PRIu64 " by some lanes", c.block, r->translated_partly,
          r->translated);
    emu_result_free(r);
  }
  case_close(&c);
  arena_free(a);
}

/* A thousand products of what the one before has left in shared memory. */
static const char products[] =
    "  mov.u64 %d1, shared;\n  mad.wide.u32 %d2, %lane, 16, %d1;\n  mul.lo.u32 %r0, %lane, 77;\n"
    "  st.shared.v4.u32 [%d2], {%r0, %lane, %r0, %r0};\n  mov.u32 %r1, 0;\n"
    "  mov.u32 %r2, 0x3f8000;\n  mov.u32 %r3, %r2;\n  mov.u32 %r4, %r2;\n  mov.u32 %r5, %r2;\n"
    "again:\n  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%d2];\n"
    "  wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 {%r20, %r21, %r22, %r23}, [%d1], 16;\n"
    "  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r2, %r3, %r4, %r5}, "
    "{%r10, %r11, %r12, %r13}, {%r20, %r21}, {%r2, %r3, %r4, %r5};\n"
    "  prmt.b32 %r6, %r2, %r3, 0x7632;\n  prmt.b32 %r7, %r4, %r5, 0x7632;\n"
    "  stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%d2], {%r6, %r7};\n"
    "  movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r22;\n  xor.b32 %r2, %r2, %r23;\n"
    "  add.u32 %r1, %r1, 1;\n  setp.lt.u32 %p1, %r1, 1000;\n  @%p1 bra again;\n"
    "  mad.wide.u32 %d2, %lane, 16, %out;\n  st.global.v4.u32 [%d2], {%r2, %r3, %r4, %r5};\n"
    "  ret;\n";

/* Nearly all of a loop of products is translated, of a long kernel, too. */
static void test_products(Compiler *compiler) {
  enum { MORE = 8000 }; /* few enough for a kernel to be translated at all */
  const EmuTranslator translator = compiler_translator(compiler);
  const uint32_t in = 0;
  uint32_t out[4 * LANES];
  Arena *a = arena_new();
  Text t = text_new(a);
  text_printf(&t, "%s%s", head, products);
  for (int i = 0; i < MORE; i++) text_puts(&t, "  bar.sync 0;\n");
  text_puts(&t, "}\n");
  Case c = case_open(compiler, t.s, &in, sizeof in, sizeof out);
  c.grid = 1;
  c.block = LANES;
  c.shared = LANES * 16;
  const long at = compare(&c, "products");
  CHECK(at < 0, "word %ld", at);
  EmuResult *r = launch(&c, &translator, out);
  CHECK(r->translated > r->warp_instructions * 9 / 10, "%" PRIu64 " of %" PRIu64 " translated",
        r->translated, r->warp_instructions);
  emu_result_free(r);
  case_close(&c);
  arena_free(a);
}

/* Branches that skip a part, one within another, in all lanes and in lanes that wait for others:
 * registers of the part alone, of both sides, and loaded; predicates; what is called; across time
 * slices. */
static const char skips[] =
    "  mad.wide.u32 %d1, %lane, 4, %in;\n  ld.global.u32 %r1, [%d1];\n  mov.u32 %r2, 0;\n"
    "  mov.u32 %r3, 0;\n  ld.param.u32 %r9, [n];\n  mad.wide.u32 %d3, %lane, 8, %out;\n"
    "  mov.u64 %d5, 7;\n  shl.b32 %r15, %lane, 2;\n  setp.gt.u32 %p5, %lane, 50;\n"
    "outer:\n  mad.lo.s32 %r1, %r1, 1664525, 1013904223;\n  shr.u32 %r4, %r1, 9;\n"
    "  and.b32 %r5, %r4, 3;\n  setp.eq.u32 %p1, %r5, 0;\n  @%p1 bra one;\n"
    "  add.s32 %r3, %r3, %r4;\n  mul.wide.u32 %d4, %r4, 5;\n  add.s64 %d5, %d5, %d4;\n"
    "  st.shared.u32 [%r15], %r3;\n  setp.gt.s32 %p2|%p6, %r1, 0;\n"
    "  @%p2 add.s32 %r3, %r3, 11;\n  and.b32 %r6, %r4, 127;\n  @%p2 bra two;\n"
    "  atom.global.add.u32 %r7, [%d3], %r4;\n  xor.b32 %r3, %r3, %r7;\n"
    "  mad.wide.u32 %d6, %r6, 4, %in;\n  ld.global.u32 %r8, [%d6];\n"
    "  @%p5 ld.global.u32 %r6, [%d6+4];\n  add.s32 %r3, %r3, %r8;\n"
    "  @!%p5 st.shared.u32 [%r15+4096], %r6;\n  brev.b32 %r11, %r3;\n"
    "two:\n  ld.shared.u32 %r10, [%r15];\n  add.s32 %r3, %r3, %r10;\n"
    "  @%p5 setp.lt.and.s32 %p5, %r3, %r1, %p2;\n  add.s32 %r3, %r3, %r6;\n"
    "one:\n  setp.lt.s32 %p3, %r3, 0;\n  add.s64 %d5, %d5, 3;\n  @!%p3 bra three;\n"
    "  cvt.u64.u32 %d7, %r3;\n  shl.b64 %d7, %d7, 3;\n  xor.b64 %d5, %d5, %d7;\n"
    "  not.pred %p5, %p5;\n"
    "three:\n  add.s32 %r2, %r2, 1;\n  setp.lt.s32 %p4, %r2, %r9;\n  @%p4 bra outer;\n"
    "  and.b32 %r5, %r1, 4;\n  setp.eq.u32 %p1, %r5, 0;\n  @%p1 bra other;\n"
    "  mov.u32 %r2, 0;\n"
    "apart:\n  mad.lo.s32 %r1, %r1, 1664525, 1013904223;\n  setp.lt.s32 %p2, %r1, 0;\n"
    "  @%p2 bra four;\n  add.s32 %r3, %r3, %r1;\n  shr.u32 %r4, %r3, 1;\n"
    "  xor.b32 %r3, %r3, %r4;\n"
    "four:\n  add.s32 %r2, %r2, 1;\n  setp.lt.s32 %p4, %r2, %r9;\n  @%p4 bra apart;\n"
    "  bra done;\n"
    "other:\n  add.s32 %r3, %r3, 77;\n  add.s32 %r3, %r3, %r11;\n"
    "done:\n  ld.shared.u32 %r8, [%r15+4096];\n  add.s32 %r3, %r3, %r8;\n"
    "  selp.b32 %r4, 1, 0, %p5;\n  add.s32 %r3, %r3, %r4;\n  cvt.u64.u32 %d7, %r3;\n"
    "  mad.lo.s64 %d5, %d5, 13, %d7;\n  bar.sync 0;\n  st.global.u64 [%d3+1024], %d5;\n"
    "  ret;\n}\n";

static void test_skips(Compiler *compiler) {
  Arena *a = arena_new();
  uint32_t in[160];
  uint64_t state = 17;
  for (int i = 0; i < 160; i++) in[i] = (uint32_t)values_next(&state);
  Case c = case_open(compiler, arena_printf(a, "%s%s", head, skips), in, sizeof in, 2048);
  c.grid = 1;
  c.shared = 8192;
  const uint32_t blocks[] = {32, 20, 96};
  const int counts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 100};
  for (int i = 0; i < 39; i++) {
    c.block = blocks[i % 3];
    c.n = counts[i / 3];
    const long at = compare(&c, "skips");
    CHECK(at < 0, "%d rounds of %u threads: word %ld", c.n, c.block, at);
  }
  CHECK(compiler->parts >= 3, "%d parts", compiler->parts);
  case_close(&c);
  arena_free(a);
}

/* A register of a part alone that a branch within it writes in the first round only. */
static const char kept[] =
    "  mad.wide.u32 %d1, %lane, 4, %in;\n  ld.global.u32 %r1, [%d1];\n  ld.param.u32 %r9, [n];\n"
    "  mov.u32 %r2, 0;\n  mov.u32 %r3, 0;\n  setp.gt.u32 %p1, %lane, 20;\n"
    "again:\n  mad.lo.u32 %r3, %r3, 5, %r2;\n  @%p1 bra one;\n  setp.ne.u32 %p2, %r2, 0;\n"
    "  @%p2 bra two;\n  add.u32 %r6, %r1, 5;\n"
    "two:\n  add.u32 %r3, %r3, %r6;\n"
    "one:\n  add.u32 %r2, %r2, 1;\n  setp.lt.u32 %p3, %r2, %r9;\n  @%p3 bra again;\n"
    "  mad.wide.u32 %d2, %lane, 4, %out;\n  st.global.u32 [%d2], %r3;\n  ret;\n}\n";

static void test_kept(Compiler *compiler) {
  Arena *a = arena_new();
  uint32_t in[LANES];
  for (uint32_t i = 0; i < LANES; i++) in[i] = 100 + i;
  Case c = case_open(compiler, arena_printf(a, "%s%s", head, kept), in, sizeof in, sizeof in);
  c.grid = 1;
  c.block = LANES;
  for (c.n = 1; c.n < 5; c.n++) {
    const long at = compare(&c, "kept");
    CHECK(at < 0, "%d rounds: word %ld", c.n, at);
  }
  case_close(&c);
  arena_free(a);
}

/* Both sides of a branch are translated, though lanes wait for theirs. */
static const char sides[] =
    "  ld.param.u32 %r9, [n];\n  mov.u32 %r1, %lane;\n  mov.u32 %r2, 0;\n"
    "  and.b32 %r3, %lane, 1;\n  setp.eq.s32 %p1, %r3, 0;\n"
    "again:\n  mad.lo.u32 %r1, %r1, 5, 77;\n  @%p1 bra one;\n  bra.uni other;\n"
    "one:\n  xor.b32 %r1, %r1, %r2;\n  shr.u32 %r4, %r1, 3;\n  add.s32 %r1, %r1, %r4;\n"
    "  shr.u32 %r4, %r1, 5;\n  xor.b32 %r1, %r1, %r4;\n  shl.b32 %r4, %r1, 2;\n"
    "  add.s32 %r1, %r1, %r4;\n  bra.uni both;\n"
    "other:\n  mul.lo.u32 %r1, %r1, 9;\n  shr.u32 %r4, %r1, 7;\n  xor.b32 %r1, %r1, %r4;\n"
    "  shl.b32 %r4, %r1, 4;\n  sub.s32 %r1, %r1, %r4;\n  shr.u32 %r4, %r1, 6;\n"
    "  add.s32 %r1, %r1, %r4;\n"
    "both:\n  add.u32 %r2, %r2, 1;\n  setp.lt.u32 %p2, %r2, %r9;\n  @%p2 bra again;\n"
    "  mad.wide.u32 %d2, %lane, 4, %out;\n  st.global.u32 [%d2], %r1;\n  ret;\n}\n";

static void test_sides(Compiler *compiler) {
  Arena *a = arena_new();
  const EmuTranslator translator = compiler_translator(compiler);
  uint32_t in[LANES] = {0}, out[LANES];
  Case c = case_open(compiler, arena_printf(a, "%s%s", head, sides), in, sizeof in, sizeof out);
  c.grid = 1;
  c.block = LANES;
  c.n = 500;
  const long at = compare(&c, "sides");
  CHECK(at < 0, "word %ld", at);
  EmuResult *r = launch(&c, &translator, out);
  CHECK(r->translated > r->warp_instructions * 6 / 10, "%" PRIu64 " of %" PRIu64 " translated",
        r->translated, r->warp_instructions);
  emu_result_free(r);
  case_close(&c);
  arena_free(a);
}

/* Arrays of the lanes' own, by addresses and as variables, of every width, also in a part; lane n
 * is out of bounds. */
static const char locals[] =
    "  .local .align 16 .b8 array[256];\n  .local .align 8 .b8 other[64];\n"
    "  mad.wide.u32 %d1, %lane, 4, %in;\n  ld.global.u32 %r1, [%d1];\n  ld.param.u32 %r9, [n];\n"
    "  mov.u64 %d2, array;\n  mov.u32 %r2, 0;\n  mov.u64 %d9, 0;\n"
    "fill:\n  mad.lo.s32 %r1, %r1, 1664525, 1013904223;\n  and.b32 %r3, %r1, 248;\n"
    "  cvt.u64.u32 %d3, %r3;\n  add.s64 %d4, %d2, %d3;\n  st.local.u8 [%d4+1], %r1;\n"
    "  st.local.u16 [%d4+2], %r1;\n  ld.local.s16 %r4, [%d4];\n  ld.local.u32 %r5, [%d4];\n"
    "  ld.local.u64 %d5, [%d4];\n  add.s32 %r4, %r4, %r5;\n  st.local.v2.u32 [%d4], {%r4, %r1};\n"
    "  xor.b64 %d9, %d9, %d5;\n  setp.gt.s32 %p1, %r1, 0;\n  @%p1 bra over;\n"
    "  ld.local.s8 %r6, [other+5];\n  add.s32 %r6, %r6, %r4;\n  st.local.u64 [%d4], %d9;\n"
    "  st.local.u8 [other+5], %r6;\n  st.local.u32 [other+8], %r6;\n"
    "over:\n  ld.local.v2.u32 {%r7, %r8}, [other+8];\n  ld.local.v2.u32 {%r10, %r11}, [%d4];\n"
    "  add.s32 %r7, %r7, %r10;\n  xor.b32 %r1, %r1, %r7;\n  cvt.u64.u32 %d6, %r11;\n"
    "  add.s64 %d9, %d9, %d6;\n  add.s32 %r2, %r2, 1;\n  setp.lt.s32 %p2, %r2, 40;\n"
    "  @%p2 bra fill;\n  setp.eq.u32 %p3, %lane, %r9;\n  selp.b64 %d7, 4096, 16, %p3;\n"
    "  add.s64 %d4, %d2, %d7;\n  ld.local.u32 %r12, [%d4];\n  st.local.u16 [%d4+2], %r1;\n"
    "  cvt.u64.u32 %d8, %r12;\n  add.s64 %d9, %d9, %d8;\n  mad.wide.u32 %d3, %lane, 8, %out;\n"
    "  st.global.u64 [%d3], %d9;\n  ret;\n}\n";

static void test_locals(Compiler *compiler) {
  Arena *a = arena_new();
  uint32_t in[LANES];
  uint64_t state = 23;
  for (int i = 0; i < LANES; i++) in[i] = (uint32_t)values_next(&state);
  Case c = case_open(compiler, arena_printf(a, "%s%s", head, locals), in, sizeof in, 8 * LANES);
  c.grid = 3;
  for (c.n = 30; c.n < 34; c.n++) {
    c.block = c.n % 2 ? 13 : LANES;
    const long at = compare(&c, "locals");
    CHECK(at < 0, "lane %d is out of bounds: word %ld", c.n, at);
  }
  CHECK(compiler->locals >= 14, "%d accesses to local memory", compiler->locals);
  case_close(&c);
  arena_free(a);
}

/* Shuffles whose lanes are in registers: %r4 is a constant; %r6 is written in some lanes, %r8 on
 * one of two ways, %r10 behind its use. */
static const char shuffles[] =
    "  mad.wide.u32 %d1, %lane, 4, %in;\n  ld.global.u32 %r1, [%d1];\n  ld.param.u32 %r15, [n];\n"
    "  mad.wide.u32 %d2, %lane, 4, %out;\n  mov.u32 %r2, -1;\n  mov.u32 %r3, 31;\n"
    "  mov.u32 %r4, 4;\n  shfl.sync.bfly.b32 %r5, %r1, %r4, %r3, %r2;\n"
    "  st.global.u32 [%d2], %r5;\n  setp.lt.u32 %p1, %lane, 9;\n  @%p1 mov.u32 %r6, 5;\n"
    "  shfl.sync.bfly.b32 %r7, %r1, %r6, %r3, %r2;\n  st.global.u32 [%d2+128], %r7;\n"
    "  setp.eq.u32 %p2, %r15, 0;\n  @%p2 bra over;\n  mov.u32 %r8, 2;\n  bra over;\n"
    "over:\n  shfl.sync.idx.b32 %r9, %r1, %r8, %r3, %r2;\n  st.global.u32 [%d2+256], %r9;\n"
    "  mov.u32 %r11, 0;\n  mov.u32 %r12, 0;\n"
    "again:\n  shfl.sync.bfly.b32 %r13, %r1, %r10, %r3, %r2;\n  mov.u32 %r10, 7;\n"
    "  add.u32 %r12, %r12, %r13;\n  add.u32 %r11, %r11, 1;\n  setp.lt.u32 %p3, %r11, 3;\n"
    "  @%p3 bra again;\n  st.global.u32 [%d2+384], %r12;\n  ret;\n}\n";

static void test_shuffles(Compiler *compiler) {
  Arena *a = arena_new();
  uint32_t in[LANES], out[4][LANES];
  for (uint32_t i = 0; i < LANES; i++) in[i] = 100 * i;
  Case c = case_open(compiler, arena_printf(a, "%s%s", head, shuffles), in, sizeof in, sizeof out);
  c.grid = 1;
  c.block = LANES;
  for (c.n = 0; c.n < 2; c.n++) {
    const long at = compare(&c, "shuffles");
    CHECK(at < 0, "n %d: word %ld", c.n, at);
    emu_copy_out(c.memory, out, c.out, sizeof out);
    for (uint32_t i = 0; i < LANES; i++) {
      const uint32_t want[] = {i ^ 4, i < 9 ? i ^ 5 : i, c.n ? 2 : 0, i + 2 * (i ^ 7)};
      for (int k = 0; k < 4; k++)
        CHECK(out[k][i] == 100 * want[k], "n %d, lane %u: shuffle %d has %u", c.n, i, k, out[k][i]);
    }
  }
  CHECK(compiler->shuffles == 1, "%d shuffles by constants", compiler->shuffles);
  case_close(&c);
  arena_free(a);
}

/* A loop over a word of shared memory that another warp writes, which waits for another block: the
 * block must give way to that one, and not only its second warp to the first. */
static const char waits[] =
    "  mov.u32 %r1, %ctaid.x;\n  mov.u64 %d30, shared;\n  mov.u32 %r2, 1;\n"
    "  setp.eq.u32 %p1, %r1, 1;\n  @%p1 bra tell;\n"
    "  setp.ge.u32 %p2, %lane, 32;\n  @%p2 bra wait;\n"
    "poll:\n  ld.volatile.global.u32 %r3, [%out];\n  setp.ne.u32 %p3, %r3, 1;\n  @%p3 bra poll;\n"
    "  st.volatile.shared.u32 [%d30], %r2;\n  ret;\n"
    "wait:\n  ld.volatile.shared.u32 %r3, [%d30];\n  add.u32 %r4, %r4, 0;\n"
    "  setp.ne.u32 %p3, %r3, 1;\n  @%p3 bra wait;\n"
    "  mad.wide.u32 %d1, %lane, 4, %out;\n  st.global.u32 [%d1], %r3;\n  ret;\n"
    "tell:\n  st.volatile.global.u32 [%out], %r2;\n  ret;\n}\n";

/* One thread polls, and its block inspects the value that it read: the others' iterations are no
 * progress, and neither is storing an unchanged value. */
static const char hands[] =
    "  mov.u64 %d30, shared;\n  mov.u32 %r2, 1;\n  setp.ne.u32 %p1, %lane, 0;\n"
    "  mov.u32 %r1, %ctaid.x;\n  setp.eq.u32 %p2, %r1, 1;\n  @%p2 bra tell;\n"
    "again:\n  @%p1 bra met;\n  ld.volatile.global.u32 %r3, [%out];\n"
    "  st.shared.u32 [%d30], %r3;\n"
    "met:\n  bar.sync 0;\n  ld.shared.u32 %r4, [%d30];\n  bar.sync 0;\n"
    "  setp.ne.u32 %p3, %r4, 1;\n  @%p3 bra again;\n"
    "  mad.wide.u32 %d1, %lane, 4, %out;\n  st.global.u32 [%d1], %r4;\n  ret;\n"
    "tell:\n  @!%p1 st.volatile.global.u32 [%out], %r2;\n  ret;\n}\n";

static void test_waits(Compiler *compiler, const char *name, const char *body) {
  enum { THREADS = 2 * LANES };
  Arena *a = arena_new();
  const uint32_t in = 0;
  Case c = case_open(compiler, arena_printf(a, "%s%s", head, body), &in, sizeof in, THREADS * 4);
  c.grid = 2;
  c.block = THREADS;
  c.shared = 16;
  const long at = compare(&c, name);
  CHECK(at < 0, "%s: word %ld differs", name, at);
  CHECK(compiler->shared == 2, "%s: %d accesses to shared memory", name, compiler->shared);
  case_close(&c);
  arena_free(a);
}

/* One lane of a warp is out of bounds or misaligned: the report equals the interpreter's, and so do
 * the loaded values. The accesses are of one word, of four, and of three successive ones from one
 * register. */
static const char faults[] =
    "  mad.wide.u32 %d1, %lane, 4, %in;\n  ld.global.u32 %r1, [%d1];\n"
    "  mad.wide.u32 %d1, %r1, 64, %in;\n  add.u64 %d1, %d1, 128;\n  mov.u32 %r2, %r1;\n"
    "  shl.b32 %r10, %r1, 2;\n  mov.u32 %r3, 7;\n  mov.u32 %r4, 0;\n  mov.u32 %r5, 0;\n"
    "  mov.u32 %r6, 0;\n  mov.u32 %r7, 0;\n  ld.param.u32 %r9, [n];\n"
    "  setp.eq.u32 %p0, %r9, 0;\n  setp.eq.u32 %p1, %r9, 1;\n"
    "  setp.eq.u32 %p2, %r9, 2;\n  setp.eq.u32 %p3, %r9, 3;\n  setp.eq.u32 %p4, %r9, 4;\n"
    "  setp.eq.u32 %p5, %r9, 5;\n  setp.eq.u32 %p6, %r9, 6;\n  setp.eq.u32 %p7, %r9, 7;\n"
    "  setp.eq.u32 %p8, %r9, 8;\n  setp.eq.u32 %p9, %r9, 9;\n"
    "  @%p0 ld.global.u32 %r4, [%d1];\n  @%p1 st.global.u32 [%d1], %r3;\n"
    "  @%p2 ld.shared.u32 %r4, [%r2];\n  @%p3 st.shared.u32 [%r2], %r3;\n"
    "  @%p4 ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d1];\n"
    "  @%p5 st.global.v4.u32 [%d1], {%r3, %r3, %r3, %r3};\n"
    "  @%p6 ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r10];\n"
    "  @%p7 st.shared.v4.u32 [%r10], {%r3, %r3, %r3, %r3};\n"
    "  @!%p8 bra shared;\n  ld.global.u32 %r4, [%d1];\n  ld.global.u32 %r5, [%d1+4];\n"
    "  ld.global.u32 %r6, [%d1+8];\n"
    "shared:\n  @!%p9 bra over;\n  ld.shared.u32 %r4, [%r2];\n  ld.shared.u32 %r5, [%r2+4];\n"
    "  ld.shared.u32 %r6, [%r2+8];\n"
    "over:\n  mad.wide.u32 %d2, %lane, 16, %out;\n"
    "  st.global.v4.u32 [%d2], {%r4, %r5, %r6, %r7};\n  ret;\n}\n";

/* A buffer that ends within the program's memory. Nothing may be read or written after it, except
 * by an aligned access that begins in the buffer. The last 8 bytes of its data begin at byte 128
 * * 64. The last 8 bytes of the shared memory begin at byte 128 * 4; its last word and the next are
 * at 516 and 520. */
static void test_faults(Compiler *compiler) {
  enum { ACCESSES = 10, IN = 128 + 128 * 64 + 8, UNIT = 16, PAST = 64, SHARED = 520 };
  static const uint32_t wrong[] = {2, 1u << 30, 0xfffffff0u, 128, 516, 520};
  static _Alignas(256) uint8_t own[IN + PAST];
  Arena *a = arena_new();
  for (int i = 0; i < 6 * ACCESSES; i++) {
    Case c = case_open(compiler, arena_printf(a, "%s%s", head, faults), own, IN, LANES * 16);
    memset(own, 0xb7, sizeof own);
    for (uint32_t k = 0; k < LANES; k++)
      memcpy(own + 4 * k, k == 13 ? &wrong[i / ACCESSES] : &(uint32_t){k * 4}, 4);
    CHECK(emu_map(c.memory, own, IN, "own"), "not mapped");
    c.in = (uint64_t)(uintptr_t)own;
    c.grid = 1;
    c.block = LANES;
    c.shared = SHARED;
    c.n = i % ACCESSES;
    const long at = compare(&c, "faults");
    CHECK(at < 0, "access %d with %u: word %ld", c.n, wrong[i / ACCESSES], at);
    for (int k = (IN + UNIT - 1) / UNIT * UNIT; k < IN + PAST; k++)
      CHECK(own[k] == 0xb7, "access %d writes past the end", c.n);
    case_close(&c);
  }
  arena_free(a);
}

/* To sanitizers the generated text is the same code, and takes long. */
static bool test_with(unsigned vectors, bool all) {
  Compiler c;
  if (!compiler_open(&c, vectors)) return false;
  if (!CHECK_SANITIZED) test_opcodes(&c);
  if (all) test_accesses(&c);
  test_groups(&c);
  if (all) test_loops(&c);
  if (all) test_parts(&c);
  if (all) test_products(&c);
  if (all) test_sides(&c);
  if (all) test_locals(&c);
  if (all) test_shuffles(&c);
  for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) test_type(&c, &typed[i]);
  if (all) test_skips(&c);
  if (all) test_kept(&c);
  if (all) test_waits(&c, "waits", waits);
  if (all) test_waits(&c, "hands", hands);
  if (all) test_faults(&c);
  CHECK(c.failed == 0, "the compiler fails %d times", c.failed);
  compiler_close(&c);
  return true;
}

int main(void) {
  const bool wide = test_with(2, true), narrow = test_with(1, !wide);
  if (!narrow) return check_skip("native_test", "neither AVX2 nor a compiler");
  return check_report("native_test");
}
