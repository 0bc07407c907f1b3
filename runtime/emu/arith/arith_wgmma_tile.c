/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_wgmma_tile.h"

#include <string.h>

#include "emu/arith/arith_tile.h"

enum { HALVES = 2, LINES = WGMMA_ROWS / WGMMA_WARPS / HALVES, PART = 16, GROUPS = 32 };

typedef struct {
  const ArithWgmma *op;
  ArithWgmmaMode mode;
  TileRows rows; /* rows of one warp */
  TileColumns columns[GROUPS];
  bool tame[GROUPS];
} Product;

/* Arranges eight lines as the registers that would hold them: part `r` of each line is in four
 * lanes. */
static void take_lines(const uint8_t (*line)[WGMMA_BYTES], unsigned r, TileWords *out) {
  for (unsigned i = 0; i < LINES; i++) memcpy(&out->at[4 * i], line[i] + PART * r, PART);
}

static void negate(TileRows *rows) {
  for (unsigned i = 0; i < 2 * rows->depth; i++)
    for (unsigned k = 0; k < 2; k++) rows->value[i].v[k] = -rows->value[i].v[k];
}

static bool take_rows(Product *p, const uint8_t (*line)[WGMMA_BYTES]) {
  const TileElements x = arith_tile_elements((ArithType)p->op->a);
  TileWords reg[HALVES][2];
  for (unsigned r = 0; r < HALVES; r++)
    for (unsigned half = 0; half < 2; half++) take_lines(line + LINES * half, r, &reg[r][half]);
  const bool tame = arith_tile_rows(&x, (const TileWords(*)[2])reg, HALVES, &p->rows);
  if (p->mode.negative) negate(&p->rows);
  return tame;
}

static void take_columns(Product *p, const ArithTiles *tiles) {
  const TileElements x = arith_tile_elements((ArithType)p->op->b);
  for (unsigned g = 0; g < p->op->n / (unsigned)WGMMA_GROUP; g++) {
    TileWords reg[HALVES];
    for (unsigned r = 0; r < HALVES; r++) take_lines(tiles->b + WGMMA_GROUP * g, r, &reg[r]);
    p->tame[g] = arith_tile_columns(&x, reg, HALVES, &p->columns[g]);
  }
}

static bool add_floats(const Product *p, unsigned g, uint64_t *const *d) {
  const ArithType type = (ArithType)p->op->d;
  const DotRule rule = arith_wgmma_rule(p->op);
  TileFloats addend[TILE_PAIRS] = {{{0}}};
  TileWords sum[TILE_PAIRS];
  if (p->mode.adds && !arith_tile_take(type, (const uint64_t *const *)d, addend)) return false;
  if (!arith_tile_sum(&rule, type, &p->rows, &p->columns[g], addend, sum)) return false;
  arith_tile_put(type, sum, d);
  return true;
}

static void add_integers(const Product *p, unsigned g, uint64_t *const *d) {
  static const uint64_t none[LANES];
  const uint64_t *const nothing[] = {none, none, none, none};
  arith_tile_add_exactly(&p->rows, &p->columns[g], p->op->satfinite,
                         p->mode.adds ? (const uint64_t *const *)d : nothing, d, 4);
}

void arith_wgmma_tile(const ArithWgmma *op, ArithWgmmaMode mode, const ArithTiles *tiles,
                      uint64_t *const d[WGMMA_WARPS][WGMMA_MAX_REGISTERS],
                      uint32_t left[WGMMA_WARPS]) {
  Product p;
  p.op = op;
  p.mode = mode;
  take_columns(&p, tiles);
  for (unsigned w = 0; w < WGMMA_WARPS; w++) {
    const bool tame = take_rows(&p, tiles->a + WGMMA_WARP_ROWS * w);
    left[w] = 0;
    for (unsigned g = 0; g < op->n / (unsigned)WGMMA_GROUP; g++) {
      uint64_t *const *to = d[w] + arith_wgmma_of_group(op) * g;
      if (!op->is_float)
        add_integers(&p, g, to);
      else if (!tame || !p.tame[g] || !add_floats(&p, g, to))
        left[w] |= 1u << g;
    }
  }
}
