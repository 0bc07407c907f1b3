/* SPDX-License-Identifier: MIT */
/* ldmatrix, stmatrix, movmatrix and mma: warp-wide instructions on fragments. */
#include "emu/op/op_matrix.h"

#include <string.h>

#include "emu/arith/arith_mma.h"
#include "emu/op/lane_data.h"
#include "emu/run/access/fast.h"
#include "emu/run/access/memory.h"
#include "emu/run/sched/converge.h"
#include "emu/run/undef/memory.h"
#include "emu/run/undef/values.h"

enum { ROWS = 8, ROW_BYTES = 16, HALVES = 2, MAX_FRAGMENT = 8, MAX_SOURCES = 3 * MAX_FRAGMENT + 1 };

/* The lanes that supply addresses: lane 8 * i + r that of row r of matrix i. */
static uint32_t address_lanes(const Insn *insn) {
  unsigned lanes = ROWS * insn->memory.elements;
  return lanes == LANES ? ALL_LANES : (1u << lanes) - 1;
}

/* One half of a lane's register of a matrix; 0 if its row is not in memory. */
static uint32_t load_half(const Resolved *access, unsigned matrix, unsigned lane, unsigned half,
                          bool trans) {
  ArithCell cell = arith_matrix_cell(lane, half, trans);
  unsigned source = matrix * ROWS + cell.row;
  uint16_t value = 0;
  if (access->valid >> source & 1) {
    memcpy(&value, access->host[source] + cell.col * sizeof value, sizeof value);
  }
  return value;
}

static void load_rows(Warp *w, const Insn *insn, const Resolved *access, uint32_t active) {
  const bool trans = insn->memory.matrix.trans;
  for (unsigned i = 0; i < insn->memory.elements; i++) {
    uint64_t *d = warp_reg(w, insn->d[i]);
    FOR_LANES(lane, active) {
      d[lane] = load_half(access, i, lane, 0, trans) | load_half(access, i, lane, 1, trans) << 16;
    }
  }
}

/* The matrix whose rows are at the places of eight lanes from `first` on. */
static void load_matrix(const Gather *g, unsigned first, bool trans, uint64_t *d) {
  uint16_t row[ROWS][ROW_BYTES / 2];
  for (unsigned r = 0; r < ROWS; r++) memcpy(row[r], g->host + g->at[first + r], ROW_BYTES);
  for (unsigned lane = 0; lane < LANES; lane++) {
    const ArithCell low = arith_matrix_cell(lane, 0, trans),
                    high = arith_matrix_cell(lane, 1, trans);
    d[lane] = row[low.row][low.col] | (uint32_t)row[high.row][high.col] << 16;
  }
}

/* Unchecked, by all lanes; false where the rows are looked at one by one. */
static bool load_fast(Warp *w, const Insn *insn, uint32_t active) {
  Gather own;
  if (!w->block->unchecked || w->undefined || active != ALL_LANES) return false;
  const Gather *g = fast_resolve(w, insn, ROW_BYTES, address_lanes(insn), false, &own);
  for (unsigned i = 0; g && i < insn->memory.elements; i++)
    load_matrix(g, ROWS * i, insn->memory.matrix.trans, warp_reg(w, insn->d[i]));
  return g;
}

static Flow exec_ldmatrix(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  uint64_t address[LANES];
  Resolved access;
  if (load_fast(w, insn, active)) return FLOW_NEXT;
  access_addresses(w, &insn->memory, address);
  access_resolve(w, insn, EMU_LDMATRIX, insn->memory.space, ROW_BYTES, active & address_lanes(insn),
                 address, &access);
  access_read(w, insn, &access, ROW_BYTES);
  if (w->undefined || undef_is_read(w, &access, ROW_BYTES))
    undef_load(w, insn, insn->memory.elements, load_rows, &access, ROW_BYTES, active);
  load_rows(w, insn, &access, active);
  return FLOW_NEXT;
}

/* Puts the registers of all matrices together to rows. */
static void gather_rows(const Warp *w, const Insn *insn, uint32_t active,
                        uint8_t row[LANES][ROW_BYTES]) {
  for (unsigned i = 0; i < insn->memory.elements; i++) {
    const uint64_t *s = warp_reg(w, insn->s[i]);
    FOR_LANES(lane, active) {
      for (unsigned half = 0; half < HALVES; half++) {
        ArithCell cell = arith_matrix_cell(lane, half, insn->memory.matrix.trans);
        uint16_t value = (uint16_t)(s[lane] >> 16 * half);
        memcpy(row[i * ROWS + cell.row] + cell.col * sizeof value, &value, sizeof value);
      }
    }
  }
}

static Flow exec_stmatrix(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  uint64_t address[LANES];
  uint8_t row[LANES][ROW_BYTES] = {{0}};
  const uint8_t *value[LANES];
  Resolved access;
  access_addresses(w, &insn->memory, address);
  gather_rows(w, insn, active, row);
  for (int lane = 0; lane < LANES; lane++) value[lane] = row[lane];
  access_resolve(w, insn, EMU_STMATRIX, insn->memory.space, ROW_BYTES, active & address_lanes(insn),
                 address, &access);
  access_write(w, insn, &access, ROW_BYTES, 8, value);
  if (w->undefined) {
    const Insn of = undef_sources(w, insn, insn->memory.elements);
    gather_rows(w, &of, active, row);
    undef_stored(w, insn, insn->memory.elements, &access, ROW_BYTES, value);
  }
  return FLOW_NEXT;
}

static Flow movmatrix(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t moved[LANES];
  arith_movmatrix(moved, warp_reg(w, insn->s[0]));
  lane_data_put(moved, warp_reg(w, insn->d[0]), active);
  return FLOW_NEXT;
}

static Flow exec_movmatrix(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  return undef_run(w, insn, movmatrix, active);
}

static Flow mma(Warp *w, const Insn *insn, uint32_t active) {
  const ArithMma *op = &insn->mma;
  uint64_t result[MAX_FRAGMENT][LANES], *d[MAX_FRAGMENT];
  const uint64_t *s[MAX_SOURCES];
  for (int i = 0; i < insn->n_s; i++) s[i] = warp_reg(w, insn->s[i]);
  const bool direct = insn->apart && active == ALL_LANES && !w->undefined;
  for (int i = 0; i < insn->n_d; i++) d[i] = direct ? warp_reg(w, insn->d[i]) : result[i];
  arith_mma(op, d, s, s + op->n_a, s + op->n_a + op->n_b, s[insn->n_s - 1]);
  for (int i = 0; i < insn->n_d && !direct; i++)
    lane_data_put(result[i], warp_reg(w, insn->d[i]), active);
  return FLOW_NEXT;
}

static Flow exec_mma(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  return undef_run(w, insn, mma, active);
}

/* --- decoding --- */

static void decode_matrix_access(Decoder *d, bool load) {
  Insn *insn = d->insn;
  MemoryOp *op = &insn->memory;
  op->matrix.trans = decode_take(d, "trans");
  op->space = (uint8_t)decode_space(d);
  if (!decode_count(d, 2, 2)) return;
  op->elements = (uint8_t)(1 << decode_choice(d, 0));
  Ref *refs = decode_refs(d, op->elements);
  decode_fragment(d, decode_operand(d, load ? 0 : 1), op->elements, load, refs);
  if (load)
    insn->d = refs;
  else
    insn->s = refs;
  decode_address(d, decode_operand(d, load ? 1 : 0), op);
  decode_site(d, INSN_MATRIX);
  insn->fn = load ? exec_ldmatrix : exec_stmatrix;
}

void decode_ldmatrix(Decoder *d) { decode_matrix_access(d, true); }
void decode_stmatrix(Decoder *d) { decode_matrix_access(d, false); }

void decode_movmatrix(Decoder *d) {
  if (!decode_count(d, 2, 2)) return;
  decode_result(d);
  decode_sources(d, 1, 1, ARITH_B32);
  d->insn->kind = INSN_WHOLE;
  d->insn->fn = exec_movmatrix;
}

/* The sparsity selector, which says which lanes of four hold A's metadata. */
static void decode_selector(Decoder *d, ArithMma *mma) {
  const Operand *selector = decode_operand(d, 5);
  const unsigned choices = 4 / arith_mma_metadata_lanes(mma);
  if (selector->kind != OPERAND_INT || selector->value >= choices)
    decode_fail(d, "the sparsity selector is not a constant below %u", choices);
  mma->selector = (uint8_t)selector->value;
}

void decode_mma(Decoder *d) {
  Insn *insn = d->insn;
  ArithMma mma;
  if (arith_resolve_mma(d->statement->opcode, &mma) != ARITH_OK) {
    decode_fail(d, "this shape or type is not supported");
  }
  d->taken = UINT32_MAX;
  const int operands = mma.sparse ? 6 : 4;
  if (d->failed || !decode_count(d, operands, operands)) return;
  if (mma.sparse) decode_selector(d, &mma);
  insn->n_d = mma.n_d;
  insn->n_s = (uint8_t)(mma.n_a + mma.n_b + mma.n_c + mma.sparse);
  Ref *to = decode_refs(d, insn->n_d), *from = decode_refs(d, insn->n_s);
  decode_fragment(d, decode_operand(d, 0), mma.n_d, true, to);
  decode_fragment(d, decode_operand(d, 1), mma.n_a, false, from);
  decode_fragment(d, decode_operand(d, 2), mma.n_b, false, from + mma.n_a);
  decode_fragment(d, decode_operand(d, 3), mma.n_c, false, from + mma.n_a + mma.n_b);
  if (mma.sparse) from[insn->n_s - 1] = decode_source(d, decode_operand(d, 4), ARITH_B32);
  insn->kind = INSN_MMA;
  insn->mma = mma;
  insn->d = to;
  insn->s = from;
  insn->apart = lane_data_is_apart(insn, (unsigned)mma.n_a + mma.n_b);
  insn->fn = exec_mma;
}
