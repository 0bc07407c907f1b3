/* SPDX-License-Identifier: MIT */
/* wmma as ptxas implements it for sm_80 and newer: by ldmatrix if possible, else by accesses of
 * each lane's own elements, and by one mma or several. Which elements a register holds is not
 * specified; here it is as in those instructions, see wmma_shape.h. */
#include "emu/op/op_wmma.h"

#include <stdio.h>
#include <string.h>

#include "emu/arith/arith_format.h"
#include "emu/arith/arith_mma.h"
#include "emu/op/lane_data.h"
#include "emu/op/wmma_shape.h"
#include "emu/run/access/fast.h"
#include "emu/run/access/memory.h"
#include "emu/run/sched/converge.h"
#include "emu/run/undef/memory.h"
#include "emu/run/undef/values.h"

enum { MAX_LINES = 32, MAX_LINE = 128, ROW_BYTES = 16, MAX_FRAGMENT = 8, MAX_PARTS = 2 };

/* --- memory --- */

/* A copy of a matrix in memory: its lines, rows or columns, without the gaps between them. */
typedef struct {
  uint8_t line[MAX_LINES][MAX_LINE];
} Image;

static uint8_t *unit_at(Image *m, const WmmaFragment *f, WmmaPlace place) {
  return &m->line[place.line][place.at * f->unit];
}

/* Where unit i of a lane's fragment is in the image. */
static uint8_t *own_unit(Image *m, const WmmaFragment *f, const WmmaMap *map, unsigned lane,
                         unsigned i) {
  return &m->line[map->line[i][lane]][map->at[i][lane] * f->unit];
}

/* How a warp accesses the matrix: in `turns` accesses of `bytes` a lane. */
typedef struct {
  EmuAccessKind kind;
  unsigned turns, bytes;
  unsigned lines, columns; /* of an ldmatrix: rows of 16 bytes, each of which a lane addresses */
} Sweep;

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* ldmatrix loads at most 16 lines with two rows of 16 bytes each. It can transpose only 16-bit
 * elements; bytes must be contiguous along k. */
static Sweep sweep_of(const Insn *insn, const WmmaFragment *f, EmuAccessKind kind) {
  const WmmaPlace extent = wmma_extent(f);
  const unsigned width = extent.at * f->unit, bytes = extent.line * width;
  const bool fits = f->bits == 16 || (f->bits == 8 && wmma_run(f) > 1);
  if (f->matrix != WMMA_C && insn->memory.space == EMU_SHARED && fits) {
    const unsigned lines = least(extent.line, 16), columns = least(width / ROW_BYTES, 2);
    return (Sweep){EMU_LDMATRIX, bytes / (lines * columns * ROW_BYTES), ROW_BYTES, lines, columns};
  }
  const unsigned each = f->bits == 16 ? 4 : f->unit * wmma_run(f);
  return (Sweep){.kind = kind, .turns = bytes / (LANES * each), .bytes = each};
}

static uint32_t lanes_of(const Sweep *s) {
  const unsigned rows = s->lines * s->columns;
  return s->kind != EMU_LDMATRIX || rows == LANES ? ALL_LANES : (1u << rows) - 1;
}

/* The start of a lane's access. For 16-bit elements four lanes access a line, whatever its
 * direction, and exchange elements. */
static WmmaPlace start_of(const WmmaFragment *f, const Sweep *s, unsigned lane, unsigned turn) {
  const WmmaPlace extent = wmma_extent(f);
  if (s->kind == EMU_LDMATRIX) {
    const unsigned groups = extent.line / s->lines, of_row = ROW_BYTES / f->unit;
    return (WmmaPlace){lane % s->lines + turn % groups * s->lines,
                       (lane / s->lines + turn / groups * s->columns) * of_row};
  }
  if (f->bits != 16) return wmma_place(f, lane, turn * wmma_run(f));
  const unsigned groups = extent.line / 8;
  return (WmmaPlace){lane / 4 + turn % groups * 8, lane % 4 * 2 + turn / groups * 8};
}

static WmmaFragment fragment_of(const Insn *insn) {
  return wmma_fragment(insn->memory.wmma.shape, (WmmaMatrix)insn->memory.wmma.matrix,
                       (ArithType)insn->memory.wmma.type, insn->memory.wmma.by_column);
}

/* One access of the sweep: its addresses, and where its bytes are in the image. */
static void resolve_turn(Warp *w, const Insn *insn, const Sweep *s, unsigned turn, Image *m,
                         uint8_t *part[LANES], Resolved *access) {
  const WmmaFragment f = fragment_of(insn);
  uint64_t address[LANES];
  const uint64_t *stride = warp_reg(w, insn->s[insn->n_s - 1]);
  access_addresses(w, &insn->memory, address);
  for (unsigned lane = 0; lane < LANES; lane++) {
    const WmmaPlace at = start_of(&f, s, lane, turn);
    address[lane] += at.line * (uint64_t)(uint32_t)stride[lane] * f.bits / 8 + at.at * f.unit;
    part[lane] = lanes_of(s) >> lane & 1 ? unit_at(m, &f, at) : NULL;
  }
  access_resolve(w, insn, s->kind, insn->memory.space, s->bytes, lanes_of(s), address, access);
}

/* Copies each lane's units from the image to its registers. */
static void take_image(Warp *w, const Insn *insn, uint32_t active, Image *m) {
  const WmmaFragment f = fragment_of(insn);
  const WmmaMap *map = insn->memory.wmma.map;
  for (unsigned i = 0; i < insn->n_d; i++) {
    uint64_t *d = warp_reg(w, insn->d[i]);
    FOR_LANES(lane, active) {
      uint64_t value = 0;
      for (unsigned k = 0; k < f.per; k++)
        memcpy((uint8_t *)&value + k * f.unit, own_unit(m, &f, map, lane, i * f.per + k), f.unit);
      d[lane] = value;
    }
  }
}

/* The place in `of` that corresponds to the place of `part` in `m`. */
static uint8_t *same_part(Image *of, const Image *m, const uint8_t *part) {
  return &of->line[0][0] + (part - &m->line[0][0]);
}

/* --- unchecked loads of fragments of which four lanes hold consecutive bytes --- */

/* Where a matrix is in memory, its lines `pitch` bytes apart. */
typedef struct {
  const uint8_t *first;
  uint64_t pitch;
} Lines;

static bool is_uniform(const uint64_t *reg) {
  uint64_t differ = 0;
  for (unsigned lane = 1; lane < LANES; lane++) differ |= reg[lane] ^ reg[0];
  return !differ;
}

/* Finds the matrix; false unless all of it is in one buffer, aligned to registers. */
static bool find_lines(Warp *w, const Insn *insn, const WmmaFragment *f, Lines *out) {
  const uint64_t *stride = warp_reg(w, insn->s[insn->n_s - 1]);
  const WmmaPlace extent = wmma_extent(f);
  const unsigned whole = (unsigned)f->unit * f->per, width = extent.at * f->unit;
  const uint64_t pitch = (uint64_t)(uint32_t)stride[0] * f->bits / 8;
  Gather own;
  if (!is_uniform(warp_reg(w, insn->memory.base)) || !is_uniform(stride) || pitch % whole)
    return false;
  const Gather *g = fast_resolve(w, insn, whole, ALL_LANES, false, &own);
  if (!g || g->at[0] + (extent.line - 1) * pitch + width > g->extent) return false;
  *out = (Lines){g->host + g->at[0], pitch};
  return true;
}

/* Loads one register of all lanes, of four lanes at once. */
static void load_register(const Lines *lines, const uint8_t *line, const uint8_t *at, unsigned unit,
                          bool wide, uint64_t *d) {
  for (unsigned lane = 0; lane < LANES; lane += 4) {
    const uint8_t *from = lines->first + line[lane] * lines->pitch + at[lane] * unit;
    uint32_t part[4];
    memcpy(part, from, sizeof part);
    for (unsigned i = 0; i < 4 && !wide; i++) d[lane + i] = part[i];
    if (wide) memcpy(d + lane, from, 4 * sizeof *d);
  }
}

/* False where the sweep is needed. */
static bool load_fast(Warp *w, const Insn *insn, uint32_t active) {
  if (!w->block->unchecked || w->undefined || active != ALL_LANES) return false;
  const WmmaFragment f = fragment_of(insn);
  const WmmaMap *map = insn->memory.wmma.map;
  Lines lines;
  const bool along_k = f.matrix != WMMA_C && f.by_column == (f.matrix == WMMA_B);
  if (!along_k || !find_lines(w, insn, &f, &lines)) return false;
  for (unsigned i = 0; i < insn->n_d; i++)
    load_register(&lines, map->line[i * f.per], map->at[i * f.per], f.unit, f.bits == 64,
                  warp_reg(w, insn->d[i]));
  return true;
}

/* Adds a turn's bytes to the images of what was read and of its undefined bits; `first`: the first
 * turn with such. */
static void load_turn(Warp *w, const Insn *insn, const Sweep *sweep, unsigned turn, Image *m,
                      Image *undefined, Resolved *first) {
  uint8_t *part[LANES];
  Resolved access;
  resolve_turn(w, insn, sweep, turn, m, part, &access);
  access_read(w, insn, &access, sweep->bytes);
  FOR_LANES(lane, access.valid) memcpy(part[lane], access.host[lane], sweep->bytes);
  if (!undef_is_read(w, &access, sweep->bytes)) return;
  const Resolved of = undef_of_access(w, &access);
  FOR_LANES(lane, of.valid)
    memcpy(same_part(undefined, m, part[lane]), of.host[lane], sweep->bytes);
  if (!first->valid) *first = access;
}

static Flow exec_load(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  if (load_fast(w, insn, active)) return FLOW_NEXT;
  const WmmaFragment f = fragment_of(insn);
  const Sweep sweep = sweep_of(insn, &f, EMU_LOAD);
  Image m = {{{0}}}, undefined = {{{0}}};
  Resolved first = {.valid = 0};
  for (unsigned turn = 0; turn < sweep.turns; turn++)
    load_turn(w, insn, &sweep, turn, &m, &undefined, &first);
  if (w->undefined || first.valid) {
    const Insn results = undef_results(w, insn);
    take_image(w, &results, active, &undefined);
    undef_loaded(w, insn, insn->n_d, &first, sweep.bytes, active);
  }
  take_image(w, insn, active, &m);
  return FLOW_NEXT;
}

/* Copies them from the registers to the image. */
static void fill_image(const Warp *w, const Insn *insn, uint32_t active, Image *m) {
  const WmmaFragment f = fragment_of(insn);
  const WmmaMap *map = insn->memory.wmma.map;
  for (unsigned i = 0; i + 1 < insn->n_s; i++) {
    const uint64_t *s = warp_reg(w, insn->s[i]);
    FOR_LANES(lane, active) {
      for (unsigned k = 0; k < f.per; k++)
        memcpy(own_unit(m, &f, map, lane, i * f.per + k), (const uint8_t *)&s[lane] + k * f.unit,
               f.unit);
    }
  }
}

static Flow exec_store(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  const WmmaFragment f = fragment_of(insn);
  const Sweep sweep = sweep_of(insn, &f, EMU_STORE);
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
    access_write(w, insn, &access, sweep.bytes, least(sweep.bytes, 8), value);
    for (int lane = 0; lane < LANES; lane++) value[lane] = same_part(&undefined, &m, part[lane]);
    if (w->undefined) undef_stored(w, insn, insn->n_s - 1u, &access, sweep.bytes, value);
  }
  w->changed = true;
  return FLOW_NEXT;
}

/* --- products --- */

/* With an addend in f32 the sum is one in f32, which is rounded once more. */
static void multiply_to_halves(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                               const uint64_t *const *b, const uint64_t *const *c) {
  const ArithFormat *half = arith_format(ARITH_F16);
  uint64_t sum[MAX_FRAGMENT][LANES], *to[MAX_FRAGMENT];
  ArithMma whole = *mma;
  whole.d = ARITH_F32, whole.n_d = mma->n_c;
  for (unsigned r = 0; r < whole.n_d; r++) to[r] = sum[r];
  arith_mma(&whole, to, a, b, c, NULL);
  for (unsigned r = 0; r < whole.n_d; r++)
    for (unsigned lane = 0; lane < LANES; lane++) {
      const double x = (double)arith_f32(sum[r][lane]);
      const uint64_t bits = arith_encode(half, x, ARITH_RN, false);
      d[r / 2][lane] = r % 2 ? d[r / 2][lane] | bits << 16 : bits;
    }
}

/* A tile, along k. */
static void multiply_tile(const WmmaProduct *op, uint64_t *const *d, const uint64_t *const *a,
                          const uint64_t *const *b, const uint64_t *const *c) {
  const ArithMma *mma = &op->mma;
  if (mma->d == ARITH_F16 && mma->c == ARITH_F32)
    multiply_to_halves(mma, d, a, b, c);
  else
    arith_mma(mma, d, a, b, c, NULL);
  for (unsigned k = 1; k < wmma_steps(op->shape); k++)
    arith_mma(mma, d, a + k * mma->n_a, b + k * mma->n_b, (const uint64_t *const *)d, NULL);
}

/* Multiplies tile by tile. The operands are exchanged if the transpose is computed. */
static Flow multiply(Warp *w, const Insn *insn, uint32_t active) {
  const WmmaProduct *op = insn->wmma;
  const ArithMma *mma = &op->mma;
  uint64_t result[MAX_PARTS * MAX_FRAGMENT][LANES], *d[MAX_PARTS * MAX_FRAGMENT];
  const uint64_t *s[3 * MAX_FRAGMENT];
  for (int i = 0; i < insn->n_s; i++) s[i] = warp_reg(w, insn->s[i]);
  const bool direct = insn->apart && active == ALL_LANES && !w->undefined;
  for (int i = 0; i < insn->n_d; i++) d[i] = direct ? warp_reg(w, insn->d[i]) : result[i];
  const uint64_t *const *a = s, *const *b = s + op->of_a, *const *c = b + op->of_b;
  if (op->shape->swapped) a = b, b = s;
  const unsigned rows = wmma_row_tiles(op->shape), parts = rows * wmma_column_tiles(op->shape);
  const unsigned steps = wmma_steps(op->shape);
  for (unsigned part = 0; part < parts; part++)
    multiply_tile(op, d + part * mma->n_d, a + (rows > 1 ? part * steps * mma->n_a : 0),
                  b + (rows > 1 ? 0 : part * steps * mma->n_b), c + part * mma->n_c);
  for (int i = 0; i < insn->n_d && !direct; i++)
    lane_data_put(result[i], warp_reg(w, insn->d[i]), active);
  return FLOW_NEXT;
}

static Flow exec_wmma(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  return undef_run(w, insn, multiply, active);
}

/* --- decoding --- */

static const WmmaShape *take_shape(Decoder *d) {
  for (int i = 1; i < d->modifiers; i++) {
    const WmmaShape *shape = wmma_shape(d->modifier[i]);
    if (!shape) continue;
    d->taken |= 1u << i;
    return shape;
  }
  return NULL;
}

/* Elements below a byte must be contiguous along k. */
static bool is_executed(const WmmaShape *shape, int matrix, int order, ArithType type) {
  if (!shape || matrix < 0 || order < 0 || !wmma_shape_has(shape, (WmmaMatrix)matrix, type))
    return false;
  return arith_bits(type) >= 8 || (order == 1) == (matrix == WMMA_B);
}

/* Decodes opcodes such as wmma.load.a.sync.aligned.row.m16n16k16.shared.f16. */
static bool decode_matrix(Decoder *d, bool load) {
  static const char *const matrices[] = {"a", "b", "c", NULL}, *const orders[] = {"row", "col",
                                                                                  NULL};
  MemoryOp *op = &d->insn->memory;
  const int matrix = load ? decode_take_one(d, matrices) : decode_take(d, "d") ? WMMA_C : -1;
  const bool named = decode_take(d, "sync") && decode_take(d, "aligned");
  const int order = decode_take_one(d, orders);
  const WmmaShape *shape = take_shape(d);
  const int space = decode_space(d);
  const ArithType type = decode_take_type(d);
  if (!named || !is_executed(shape, matrix, order, type)) {
    decode_fail(d, "this shape or type is not supported");
    return false;
  }
  op->wmma.shape = shape;
  op->wmma.matrix = (uint8_t)matrix;
  op->wmma.type = (uint8_t)type;
  op->wmma.by_column = order == 1;
  op->space = (uint8_t)space;
  op->bytes = fragment_of(d->insn).unit;
  op->elements = 1;
  return true;
}

/* The leading dimension, in elements; without it lines are contiguous. */
static Ref decode_stride(Decoder *d, const WmmaFragment *f) {
  return d->statement->operands == 3
             ? decode_source(d, decode_operand(d, 2), ARITH_U32)
             : decode_constant(d, (uint64_t)wmma_extent(f).at * f->unit * 8 / f->bits);
}

static void decode_memory(Decoder *d, bool load) {
  Insn *insn = d->insn;
  if (!decode_count(d, 2, 3) || !decode_matrix(d, load)) return;
  const WmmaFragment f = fragment_of(insn);
  const int count = f.registers;
  Ref *registers = decode_refs(d, count + 1), *source = load ? decode_refs(d, 1) : registers;
  decode_fragment(d, decode_operand(d, load ? 0 : 1), count, load, registers);
  insn->n_d = (uint8_t)(load ? count : 0);
  insn->n_s = (uint8_t)(load ? 1 : count + 1);
  source[insn->n_s - 1] = decode_stride(d, &f);
  insn->d = registers;
  insn->s = source;
  WmmaMap *map = ARENA_NEW(d->arena, WmmaMap);
  wmma_map(&f, map);
  insn->memory.wmma.map = map;
  decode_address(d, decode_operand(d, load ? 1 : 0), &insn->memory);
  decode_site(d, INSN_WMMA);
  insn->fn = load ? exec_load : exec_store;
}

/* Decodes the types of a shape. Rounding, which can only be to nearest, may precede or follow them:
 * CUDA's mma.h writes it after those of f64. */
static const char *types_of(const Decoder *d, const WmmaShape *shape, const char **logic) {
  const char *at = strstr(d->statement->opcode, shape->name) + strlen(shape->name);
  const char *of_bits = strncmp(d->statement->opcode, "wmma.mma.xor.popc.", 18) == 0   ? ".xor.popc"
                        : strncmp(d->statement->opcode, "wmma.mma.and.popc.", 18) == 0 ? ".and.popc"
                                                                                       : "";
  *logic = of_bits;
  const char *types = strncmp(at, ".rn.", 4) == 0 ? at + 3 : at;
  const size_t length = strlen(types);
  const bool rounded = length > 3 && strcmp(types + length - 3, ".rn") == 0;
  return rounded ? arena_strndup(d->arena, types, length - 3) : types;
}

/* wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 (D, C), or with all four types, as an mma. */
static bool resolve_part(Decoder *d, const WmmaShape *shape, ArithMma *mma) {
  char d_type[8] = "", c_type[8] = "";
  const char *logic;
  int end = 0;
  const char *types = types_of(d, shape, &logic);
  const bool halves =
      sscanf(types, ".%7[f0-9].%7[f0-9]%n", d_type, c_type, &end) == 2 && !types[end];
  if (halves) types = arena_printf(d->arena, ".%s.f16.f16.%s", d_type, c_type);
  const char *of_mma = arena_printf(d->arena, "mma.sync.aligned.m%dn8k%d.row.col%s%s", shape->mma_m,
                                    shape->mma_k, types, logic);
  return arith_resolve_mma(of_mma, mma) == ARITH_OK &&
         wmma_shape_has(shape, WMMA_A, (ArithType)mma->a);
}

static bool decode_words(Decoder *d) {
  return decode_take(d, "mma") && decode_take(d, "sync") && decode_take(d, "aligned");
}

/* D, A, B and C, each the registers of a fragment. */
static void take_fragments(Decoder *d, WmmaProduct *op) {
  Insn *insn = d->insn;
  const ArithMma *mma = &op->mma;
  const unsigned tiles = wmma_row_tiles(op->shape) * wmma_column_tiles(op->shape);
  op->of_a = wmma_fragment(op->shape, WMMA_A, (ArithType)mma->a, false).registers;
  op->of_b = wmma_fragment(op->shape, WMMA_B, (ArithType)mma->b, false).registers;
  const unsigned of_c = tiles * mma->n_c;
  insn->n_d = (uint8_t)(tiles * mma->n_d);
  insn->n_s = (uint8_t)(op->of_a + op->of_b + of_c);
  Ref *to = decode_refs(d, insn->n_d), *from = decode_refs(d, insn->n_s);
  decode_fragment(d, decode_operand(d, 0), insn->n_d, true, to);
  decode_fragment(d, decode_operand(d, 1), op->of_a, false, from);
  decode_fragment(d, decode_operand(d, 2), op->of_b, false, from + op->of_a);
  decode_fragment(d, decode_operand(d, 3), (int)of_c, false, from + op->of_a + op->of_b);
  insn->d = to;
  insn->s = from;
}

static void decode_product(Decoder *d) {
  WmmaProduct *op = ARENA_NEW(d->arena, WmmaProduct);
  const bool named = decode_words(d);
  op->shape = take_shape(d);
  if (!named || !op->shape || !resolve_part(d, op->shape, &op->mma))
    decode_fail(d, "this shape or type is not supported");
  d->taken = UINT32_MAX;
  if (d->failed || !decode_count(d, 4, 4)) return;
  take_fragments(d, op);
  d->insn->kind = INSN_WMMA_PRODUCT;
  d->insn->apart = lane_data_is_apart(d->insn, op->of_a + op->of_b);
  d->insn->wmma = op;
  d->insn->fn = exec_wmma;
}

void decode_wmma(Decoder *d) {
  if (decode_take(d, "load"))
    decode_memory(d, true);
  else if (decode_take(d, "store"))
    decode_memory(d, false);
  else
    decode_product(d);
}
