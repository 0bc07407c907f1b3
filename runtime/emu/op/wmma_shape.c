/* SPDX-License-Identifier: MIT */
/* The shapes of wmma, and the layout of their fragments. */
#include "emu/op/wmma_shape.h"

#include <string.h>

#include "emu/arith/arith_row.h"

/* Columns of an mma, lanes of a group that share a row, and registers of a fragment of f16. */
enum { MMA_N = 8, GROUP = 4, HALF_REGISTERS = 8 };

#define HALVES_AND_BYTES (ARITH_T(F16) | ARITH_T(BF16) | ARITH_T(U8) | ARITH_T(S8))
#define SUMS             (ARITH_T(F16) | ARITH_T(F32) | ARITH_T(S32))

static const WmmaShape shapes[] = {
    {"m16n16k16", 16, 16, 16, 16, 16, false, HALVES_AND_BYTES, SUMS},
    {"m32n8k16", 32, 8, 16, 16, 16, false, HALVES_AND_BYTES, SUMS},
    {"m8n32k16", 8, 32, 16, 16, 16, true, HALVES_AND_BYTES, SUMS},
    {"m16n16k8", 16, 16, 8, 16, 4, false, ARITH_T(TF32), ARITH_T(F32)},
    {"m8n8k4", 8, 8, 4, 8, 4, false, ARITH_T(F64), ARITH_T(F64)},
    {"m8n8k32", 8, 8, 32, 8, 32, false, ARITH_T(U4) | ARITH_T(S4), ARITH_T(S32)},
    {"m8n8k128", 8, 8, 128, 8, 128, false, ARITH_T(B1), ARITH_T(S32)},
};

const WmmaShape *wmma_shape(const char *name) {
  for (size_t i = 0; i < ARITH_COUNT(shapes); i++)
    if (strcmp(shapes[i].name, name) == 0) return &shapes[i];
  return NULL;
}

bool wmma_shape_has(const WmmaShape *shape, WmmaMatrix matrix, ArithType type) {
  return (matrix == WMMA_C ? shape->addends : shape->operands) >> type & 1;
}

unsigned wmma_row_tiles(const WmmaShape *s) {
  const unsigned rows = s->swapped ? s->n : s->m;
  return rows / s->mma_m;
}

unsigned wmma_column_tiles(const WmmaShape *s) {
  const unsigned columns = s->swapped ? s->m : s->n;
  return columns / MMA_N;
}

static unsigned rows_of(const WmmaFragment *f) {
  return f->matrix == WMMA_B ? f->shape->k : f->shape->m;
}

static unsigned columns_of(const WmmaFragment *f) {
  return f->matrix == WMMA_A ? f->shape->k : f->shape->n;
}

WmmaFragment wmma_fragment(const WmmaShape *shape, WmmaMatrix matrix, ArithType type,
                           bool by_column) {
  const unsigned bits = arith_bits(type), whole = bits == 64 ? 8 : 4;
  WmmaFragment f = {
      .shape = shape, .matrix = matrix, .by_column = by_column, .bits = (uint8_t)bits};
  f.unit = (uint8_t)(bits < 8 ? whole : bits / 8);
  f.per = (uint8_t)(whole / f.unit);
  const unsigned needed = rows_of(&f) * columns_of(&f) * bits / 8 / 32 / whole;
  const bool padded = matrix != WMMA_C && type == ARITH_F16;
  f.registers = (uint8_t)(padded ? HALF_REGISTERS : needed);
  return f;
}

/* The number of elements along k in a unit. */
static unsigned elements_of(const WmmaFragment *f) { return f->unit * 8u / f->bits; }

WmmaPlace wmma_extent(const WmmaFragment *f) {
  const unsigned rows = rows_of(f), columns = columns_of(f);
  const unsigned lines = f->by_column ? columns : rows, at = f->by_column ? rows : columns;
  return (WmmaPlace){lines, at / elements_of(f)};
}

/* The place of a unit in an operand: along the side that is not k, and along k, see arith_mma.c.
 * The registers of an operand with as many rows as the mma alternate between its halves. */
static WmmaPlace operand_place(const WmmaFragment *f, unsigned lane, unsigned i) {
  const bool by_rows = (f->matrix == WMMA_A) != f->shape->swapped;
  const unsigned side = by_rows ? f->shape->mma_m : MMA_N, halves = side / 8;
  const unsigned of_tile = side * f->shape->k / elements_of(f) / 32 / f->per;
  const unsigned reg = i / f->per, r = reg % of_tile;
  const unsigned tiles = by_rows ? wmma_row_tiles(f->shape) : wmma_column_tiles(f->shape);
  const unsigned line = lane / GROUP + r % halves * 8 + reg / of_tile % tiles * side;
  return (WmmaPlace){line, (lane % GROUP + r / halves * GROUP) * f->per + i % f->per};
}

/* Row and column of C and D. */
static WmmaPlace sum_place(const WmmaFragment *f, unsigned lane, unsigned i) {
  const unsigned of_tile = f->shape->mma_m * MMA_N / 32u, tile = i / of_tile, e = i % of_tile;
  const bool below = wmma_row_tiles(f->shape) > 1;
  const unsigned row = lane / GROUP + e / 2 * 8 + (below ? tile * f->shape->mma_m : 0);
  const unsigned column = lane % GROUP * 2 + e % 2 + (below ? 0 : tile * MMA_N);
  return f->shape->swapped ? (WmmaPlace){column, row} : (WmmaPlace){row, column};
}

WmmaPlace wmma_place(const WmmaFragment *f, unsigned lane, unsigned i) {
  if (f->matrix == WMMA_C) {
    const WmmaPlace p = sum_place(f, lane, i);
    return f->by_column ? (WmmaPlace){p.at, p.line} : p;
  }
  const WmmaPlace p = operand_place(f, lane, i);
  return f->by_column == (f->matrix == WMMA_B) ? p : (WmmaPlace){p.at, p.line};
}

void wmma_map(const WmmaFragment *f, WmmaMap *out) {
  for (unsigned i = 0; i < (unsigned)f->registers * f->per; i++)
    for (unsigned lane = 0; lane < 32; lane++) {
      const WmmaPlace p = wmma_place(f, lane, i);
      out->line[i][lane] = (uint8_t)p.line;
      out->at[i][lane] = (uint8_t)p.at;
    }
}

unsigned wmma_run(const WmmaFragment *f) {
  if (f->matrix == WMMA_C) return f->by_column == f->shape->swapped ? 2 : 1;
  return f->by_column == (f->matrix == WMMA_B) ? f->per : 1;
}
