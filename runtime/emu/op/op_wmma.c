/* wmma of 16-bit types, m16n16k16, as ptxas takes it apart for sm_80 and newer: ldmatrix from
 * shared memory, else accesses of 4 and 8 bytes a lane, and two mma.m16n8k16. Which element of a
 * matrix a register holds is not specified; here it is as in those two. */
#include "emu/op/op_wmma.h"

#include <stdio.h>
#include <string.h>

#include "emu/run/access.h"
#include "emu/run/converge.h"
#include "emu/run/order.h"
#include "emu/run/undef.h"
#include "emu/run/undef_memory.h"

enum { SIDE = 16, MAX_SIZE = 4, LINE_BYTES = 16, MAX_FRAGMENT = 8, PARTS = 2 };

typedef enum { MATRIX_A, MATRIX_B, MATRIX_C } Matrix;

/* --- elements and registers --- */

typedef struct {
  unsigned row, col;
} Cell;

/* Element `half` of a register, of PARTS 16-bit ones or of one 32-bit one. Groups of 4 lanes hold a
 * row of A and C, a column of B; registers go on by 8 rows first, then by 8 columns. */
static Cell cell_of(Matrix matrix, unsigned size, unsigned lane, unsigned reg, unsigned half) {
  const unsigned group = lane / 4, pair = lane % 4 * 2;
  if (size == 4) return (Cell){group + reg / 2 % 2 * 8, pair + reg % 2 + reg / 4 * 8};
  const unsigned first = reg % 2 * 8, second = reg / 2 % 2 * 8;
  if (matrix == MATRIX_B) return (Cell){pair + half + first, group + second};
  return (Cell){group + first, pair + half + second};
}

/* A matrix as it lies in memory: lines of SIDE elements, rows or columns. */
typedef struct {
  uint8_t line[SIDE][SIDE * MAX_SIZE];
} Image;

static uint8_t *element_at(Image *m, const Insn *insn, unsigned lane, unsigned reg, unsigned half) {
  const unsigned size = insn->memory.bytes;
  const Cell c = cell_of((Matrix)insn->memory.wmma.matrix, size, lane, reg, half);
  return insn->memory.wmma.by_column ? &m->line[c.col][c.row * size]
                                     : &m->line[c.row][c.col * size];
}

/* --- memory --- */

/* How the lanes share the lines: in `turns` accesses of `bytes` each. */
typedef struct {
  EmuAccessKind kind;
  unsigned turns, bytes;
} Sweep;

static Sweep sweep_of(const Insn *insn, EmuAccessKind kind) {
  const bool operand = insn->memory.wmma.matrix != MATRIX_C;
  if (operand && insn->memory.space == EMU_SHARED) return (Sweep){EMU_LDMATRIX, 1, LINE_BYTES};
  if (insn->memory.bytes == 2) return (Sweep){kind, 4, 4};
  return insn->memory.wmma.by_column ? (Sweep){kind, 8, 4} : (Sweep){kind, 4, 8};
}

/* Where a lane's access begins: which line, and which of its elements. */
static Cell place_of(const Sweep *s, unsigned lane, unsigned turn) {
  const unsigned group = lane / 4, pair = lane % 4 * 2;
  if (s->kind == EMU_LDMATRIX) return (Cell){lane % 16, lane / 16 * 8};
  if (s->turns == 8) return (Cell){pair + turn % 2 + turn / 4 * 8, group + turn / 2 % 2 * 8};
  return (Cell){group + turn % 2 * 8, pair + turn / 2 * 8};
}

/* One access of the sweep: its addresses, and where its bytes are in the image. */
static void resolve_turn(Warp *w, const Insn *insn, const Sweep *s, unsigned turn, Image *m,
                         uint8_t *part[LANES], Resolved *access) {
  uint64_t address[LANES];
  const uint64_t *stride = warp_reg(w, insn->s[insn->n_s - 1]);
  access_addresses(w, &insn->memory, address);
  for (unsigned lane = 0; lane < LANES; lane++) {
    const Cell at = place_of(s, lane, turn);
    address[lane] += (at.row * (uint64_t)(uint32_t)stride[lane] + at.col) * insn->memory.bytes;
    part[lane] = &m->line[at.row][at.col * insn->memory.bytes];
  }
  access_resolve(w, insn, s->kind, insn->memory.space, s->bytes, ALL_LANES, address, access);
}

static void take_image(Warp *w, const Insn *insn, uint32_t active, Image *m) {
  const unsigned size = insn->memory.bytes, halves = 4 / size;
  for (unsigned i = 0; i < insn->n_d; i++) {
    uint64_t *d = warp_reg(w, insn->d[i]);
    FOR_LANES(lane, active) {
      uint32_t value = 0;
      for (unsigned half = 0; half < halves; half++)
        memcpy((uint8_t *)&value + half * size, element_at(m, insn, lane, i, half), size);
      d[lane] = value;
    }
  }
}

/* The place in `of` where `part` is in `m`. */
static uint8_t *same_part(Image *of, const Image *m, const uint8_t *part) {
  return &of->line[0][0] + (part - &m->line[0][0]);
}

static Flow exec_load(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  const Sweep sweep = sweep_of(insn, EMU_LOAD);
  Image m = {{{0}}}, undefined = {{{0}}};
  Resolved access, first = {.valid = 0};
  for (unsigned turn = 0; turn < sweep.turns; turn++) {
    uint8_t *part[LANES];
    resolve_turn(w, insn, &sweep, turn, &m, part, &access);
    access_read(w, insn, &access, sweep.bytes);
    FOR_LANES(lane, access.valid) memcpy(part[lane], access.host[lane], sweep.bytes);
    if (!undef_is_read(w, &access, sweep.bytes)) continue;
    const Resolved of = undef_of_access(w, &access);
    FOR_LANES(lane, of.valid)
    memcpy(same_part(&undefined, &m, part[lane]), of.host[lane], sweep.bytes);
    if (!first.valid) first = access;
  }
  if (w->undefined || first.valid) {
    const Insn results = undef_results(w, insn);
    take_image(w, &results, active, &undefined);
    undef_loaded(w, insn, insn->n_d, &first, sweep.bytes, active);
  }
  take_image(w, insn, active, &m);
  order_lanes(w, active);
  return FLOW_NEXT;
}

static void fill_image(const Warp *w, const Insn *insn, uint32_t active, Image *m) {
  const unsigned size = insn->memory.bytes, halves = 4 / size;
  for (int i = 0; i < insn->n_s - 1; i++) {
    const uint64_t *s = warp_reg(w, insn->s[i]);
    FOR_LANES(lane, active) {
      const uint32_t value = (uint32_t)s[lane];
      for (unsigned half = 0; half < halves; half++)
        memcpy(element_at(m, insn, lane, (unsigned)i, half), (const uint8_t *)&value + half * size,
               size);
    }
  }
}

static Flow exec_store(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  const Sweep sweep = sweep_of(insn, EMU_STORE);
  Image m = {{{0}}}, undefined = {{{0}}};
  const Insn of = w->undefined ? undef_sources(w, insn, insn->n_s - 1u) : *insn;
  fill_image(w, insn, active, &m);
  if (w->undefined) fill_image(w, &of, active, &undefined);
  for (unsigned turn = 0; turn < sweep.turns; turn++) {
    uint8_t *part[LANES];
    const uint8_t *value[LANES];
    Resolved access;
    resolve_turn(w, insn, &sweep, turn, &m, part, &access);
    for (int lane = 0; lane < LANES; lane++) value[lane] = part[lane];
    access_write(w, insn, &access, sweep.bytes, sweep.bytes, value);
    for (int lane = 0; lane < LANES; lane++) value[lane] = same_part(&undefined, &m, part[lane]);
    if (w->undefined) undef_stored(w, insn, insn->n_s - 1u, &access, sweep.bytes, value);
  }
  w->changed = true;
  order_lanes(w, active);
  return FLOW_NEXT;
}

/* Both halves of the columns, each by one mma. */
static Flow multiply(Warp *w, const Insn *insn, uint32_t active) {
  const ArithMma *mma = &insn->mma;
  const int operand = (insn->n_s - PARTS * mma->n_c) / 2; /* registers of A, and of B */
  uint64_t result[PARTS * MAX_FRAGMENT][LANES], *d[PARTS * MAX_FRAGMENT];
  const uint64_t *s[3 * MAX_FRAGMENT];
  for (int i = 0; i < insn->n_s; i++) s[i] = warp_reg(w, insn->s[i]);
  for (int i = 0; i < insn->n_d; i++) d[i] = result[i];
  for (int part = 0; part < PARTS; part++)
    arith_mma(mma, d + part * mma->n_d, s, s + operand + part * mma->n_b,
              s + 2 * operand + part * mma->n_c, NULL);
  for (int i = 0; i < insn->n_d; i++) {
    uint64_t *to = warp_reg(w, insn->d[i]);
    FOR_LANES(lane, active) to[lane] = result[i][lane];
  }
  return FLOW_NEXT;
}

static Flow exec_wmma(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  return undef_run(w, insn, multiply, active);
}

/* --- decoding --- */

/* Registers of a fragment: of f16 operands twice as many as elements need. */
static int registers_of(Matrix matrix, ArithType type) {
  if (matrix == MATRIX_C) return type == ARITH_F32 ? 8 : 4;
  return type == ARITH_F16 ? 8 : 4;
}

static bool is_executed(Matrix matrix, ArithType type) {
  return type == ARITH_F16 || type == (matrix == MATRIX_C ? ARITH_F32 : ARITH_BF16);
}

/* wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 and its like: the type of the elements. */
static ArithType decode_matrix(Decoder *d, bool load) {
  static const char *const matrices[] = {"a", "b", "c", NULL}, *const orders[] = {"row", "col",
                                                                                  NULL};
  Insn *insn = d->insn;
  const int matrix = load ? decode_take_one(d, matrices) : decode_take(d, "d") ? MATRIX_C : -1;
  const bool named = decode_take(d, "sync") && decode_take(d, "aligned");
  const int order = decode_take_one(d, orders);
  const bool shape = decode_take(d, "m16n16k16");
  const int space = decode_space(d);
  const ArithType type = decode_take_type(d);
  if (matrix < 0 || !named || order < 0 || !shape || !is_executed((Matrix)matrix, type)) {
    decode_fail(d, "this shape or type is not supported");
    return ARITH_NONE;
  }
  insn->memory.wmma.matrix = (uint8_t)matrix;
  insn->memory.wmma.by_column = order == 1;
  insn->memory.space = (uint8_t)space;
  insn->memory.bytes = type == ARITH_F32 ? 4 : 2;
  insn->memory.elements = 1;
  return type;
}

/* Lines follow each other where no stride is given. */
static Ref decode_stride(Decoder *d) {
  return d->statement->operands == 3 ? decode_source(d, decode_operand(d, 2), ARITH_U32)
                                     : decode_constant(d, SIDE);
}

static void decode_memory(Decoder *d, bool load) {
  Insn *insn = d->insn;
  const ArithType type = decode_count(d, 2, 3) ? decode_matrix(d, load) : ARITH_NONE;
  if (type == ARITH_NONE) return;
  const int count = registers_of((Matrix)insn->memory.wmma.matrix, type);
  Ref *registers = decode_refs(d, count + 1), *source = load ? decode_refs(d, 1) : registers;
  decode_fragment(d, decode_operand(d, load ? 0 : 1), count, load, registers);
  insn->n_d = (uint8_t)(load ? count : 0);
  insn->n_s = (uint8_t)(load ? 1 : count + 1);
  source[insn->n_s - 1] = decode_stride(d);
  insn->d = registers;
  insn->s = source;
  decode_address(d, decode_operand(d, load ? 1 : 0), &insn->memory);
  decode_site(d, INSN_WMMA);
  insn->fn = load ? exec_load : exec_store;
}

/* wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 (D, C) or .f32.bf16.bf16.f32, as the mma of half
 * its columns. */
static bool resolve_half(Decoder *d, ArithMma *mma) {
  char d_type[8] = "", c_type[8] = "";
  int end = 0;
  const char *opcode = d->statement->opcode;
  sscanf(opcode, "wmma.mma.sync.aligned.%*3[a-z].%*3[a-z].m16n16k16.%n", &end);
  if (!end) return false;
  const char *types = opcode + end, *const bf16 = "f32.bf16.bf16.f32";
  const bool halves =
      sscanf(types, "%7[f0-9].%7[f0-9]%n", d_type, c_type, &end) == 2 && !types[end];
  if (!halves && strcmp(types, bf16) != 0) return false;
  const char *of_mma = halves ? arena_printf(d->arena, "%s.f16.f16.%s", d_type, c_type) : bf16;
  return arith_resolve_mma(arena_printf(d->arena, "mma.sync.aligned.m16n8k16.row.col.%s", of_mma),
                           mma) == ARITH_OK;
}

static void decode_product(Decoder *d) {
  Insn *insn = d->insn;
  ArithMma mma;
  if (!resolve_half(d, &mma)) decode_fail(d, "this shape or type is not supported");
  d->taken = UINT32_MAX;
  if (d->failed || !decode_count(d, 4, 4)) return;
  const int operand = registers_of(MATRIX_A, (ArithType)mma.a), c = PARTS * mma.n_c;
  insn->n_d = (uint8_t)(PARTS * mma.n_d);
  insn->n_s = (uint8_t)(2 * operand + c);
  Ref *to = decode_refs(d, insn->n_d), *from = decode_refs(d, insn->n_s);
  decode_fragment(d, decode_operand(d, 0), insn->n_d, true, to);
  decode_fragment(d, decode_operand(d, 1), operand, false, from);
  decode_fragment(d, decode_operand(d, 2), operand, false, from + operand);
  decode_fragment(d, decode_operand(d, 3), c, false, from + 2 * operand);
  insn->kind = INSN_MMA;
  insn->mma = mma;
  insn->d = to;
  insn->s = from;
  insn->fn = exec_wmma;
}

void decode_wmma(Decoder *d) {
  if (decode_take(d, "load"))
    decode_memory(d, true);
  else if (decode_take(d, "store"))
    decode_memory(d, false);
  else
    decode_product(d);
}
