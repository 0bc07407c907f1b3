/* SPDX-License-Identifier: MIT */
/* Undefined bits of a product, which is computed again with other values for undefined bits: bits
 * of D that differ are undefined (run/undef/values.h). */
#include "emu/op/wgmma_undef.h"

#include <string.h>

#include "emu/run/undef/set.h"

/* The undefined bits of the operands, and the origin of the first one. */
typedef struct {
  ArithTiles tiles;
  uint64_t d[WGMMA_WARPS][WGMMA_MAX_REGISTERS][LANES];
  uint64_t from;
} Undefined;

static void add_register(const WgmmaGroup *g, unsigned warp, Ref ref, uint64_t bits[LANES],
                         uint64_t *from) {
  const UndefBits *b = g->warp[warp]->undefined ? undef_of_reg(g->warp[warp], ref) : NULL;
  memset(bits, 0, LANES * sizeof *bits);
  if (!b) return;
  FOR_LANES(lane, b->lanes) bits[lane] = b->bits[lane];
  if (b->lanes && !*from) *from = b->from[lane_first(b->lanes)];
}

/* The origin of the piece's first undefined byte; 0: there is none. */
static uint64_t origin_of(const WgmmaGroup *g, uint32_t at) {
  const Block *block = g->block;
  for (uint32_t i = at; i < at + WGMMA_PIECE; i++) {
    const uint64_t from = block->undefined_from ? block->undefined_from[i / 4] : 0;
    if (block->undefined[i]) return from ? from : undef_origin(g->warp[0], g->insn, 0, i, 0);
  }
  return 0;
}

static void add_pieces(const WgmmaGroup *g, const WgmmaPieces *pieces, uint64_t *from) {
  for (unsigned i = 0; i < pieces->count && !*from; i++)
    if (pieces->valid[i]) *from = origin_of(g, pieces->at[i]);
}

static void add_operand(const WgmmaGroup *g, unsigned warp, Undefined *u) {
  uint64_t reg[WGMMA_A_REGISTERS][LANES];
  const uint64_t *a[WGMMA_A_REGISTERS];
  for (unsigned r = 0; r < WGMMA_A_REGISTERS; r++) {
    add_register(g, warp, g->insn->s[r], reg[r], &u->from);
    a[r] = reg[r];
  }
  arith_wgmma_rows(a, u->tiles.a + warp * WGMMA_WARP_ROWS);
}

static bool any_register(const WgmmaGroup *g) {
  bool any = false;
  for (unsigned i = 0; i < WGMMA_WARPS; i++) any |= g->warp[i]->undefined != 0;
  return any;
}

/* False in the usual case, that all operands are defined. */
static bool find_undefined(const WgmmaGroup *g, const WgmmaOperands *x, Undefined *u) {
  u->from = 0;
  add_pieces(g, &x->a, &u->from);
  add_pieces(g, &x->b, &u->from);
  if (!u->from && !any_register(g)) return false;
  for (unsigned i = 0; i < WGMMA_WARPS; i++) {
    uint64_t ignored = 1, *from = wgmma_adds(g) ? &u->from : &ignored;
    if (g->op->a_in_registers) add_operand(g, i, u);
    for (unsigned r = 0; r < g->insn->n_d; r++) add_register(g, i, g->insn->d[r], u->d[i][r], from);
  }
  wgmma_copy_pieces(&x->a, g->block->undefined, u->tiles.a);
  wgmma_copy_pieces(&x->b, g->block->undefined, u->tiles.b);
  u->from = undef_used(u->from);
  return u->from != 0;
}

/* The ways to fill undefined bits: zeros, ones, and a pattern. */
enum { FILLS = 3, AS_IS = -1 };

static uint8_t fill_byte(int fill, unsigned i) {
  const uint8_t way[FILLS] = {0, 0xff, (uint8_t)(i * 73 + 41)};
  return way[fill];
}

static void fill_tiles(int fill, const ArithTiles *x, const ArithTiles *undefined, ArithTiles *to) {
  const uint8_t *value = (const uint8_t *)x, *bits = (const uint8_t *)undefined;
  uint8_t *out = (uint8_t *)to;
  for (unsigned i = 0; i < sizeof *to; i++)
    out[i] = (uint8_t)((value[i] & ~bits[i]) | (fill_byte(fill, i) & bits[i]));
}

typedef struct {
  uint64_t reg[WGMMA_WARPS][WGMMA_MAX_REGISTERS][LANES];
} Result;

/* The product on copies of the accumulators, whose undefined bits are filled; AS_IS: none are. */
static void try_fill(const WgmmaGroup *g, int fill, const ArithTiles *tiles, const Undefined *u,
                     WgmmaAccumulators d, Result *out) {
  WgmmaAccumulators own;
  for (unsigned i = 0; i < WGMMA_WARPS; i++)
    for (unsigned r = 0; r < g->insn->n_d; r++) {
      const uint64_t set = fill == AS_IS ? 0 : fill_byte(fill, r) * 0x01010101u;
      own[i][r] = out->reg[i][r];
      for (unsigned lane = 0; lane < LANES; lane++) {
        const uint64_t bits = fill == AS_IS ? 0 : u->d[i][r][lane];
        out->reg[i][r][lane] = (d[i][r][lane] & ~bits) | (set & bits);
      }
    }
  wgmma_multiply(g, tiles, own);
}

/* Bits that differ from the real product are undefined. */
static void note_undefined(const WgmmaGroup *g, const WgmmaOperands *x, Undefined *u,
                           WgmmaAccumulators d) {
  Result real, other;
  ArithTiles tiles;
  uint64_t from[LANES];
  try_fill(g, AS_IS, &x->tiles, u, d, &real);
  Undefined sum = {.from = u->from};
  for (int fill = 0; fill < FILLS; fill++) {
    fill_tiles(fill, &x->tiles, &u->tiles, &tiles);
    try_fill(g, fill, &tiles, u, d, &other);
    for (unsigned i = 0; i < WGMMA_WARPS; i++)
      for (unsigned r = 0; r < g->insn->n_d; r++)
        for (unsigned lane = 0; lane < LANES; lane++)
          sum.d[i][r][lane] |= real.reg[i][r][lane] ^ other.reg[i][r][lane];
  }
  for (unsigned lane = 0; lane < LANES; lane++) from[lane] = u->from;
  for (unsigned i = 0; i < WGMMA_WARPS; i++)
    for (unsigned r = 0; r < g->insn->n_d; r++)
      undef_set_reg(g->warp[i], g->insn->d[r], ALL_LANES, sum.d[i][r], from);
}

static void clear_undefined(const WgmmaGroup *g) {
  for (unsigned i = 0; i < WGMMA_WARPS; i++)
    for (unsigned r = 0; g->warp[i]->undefined && r < g->insn->n_d; r++)
      undef_set_reg(g->warp[i], g->insn->d[r], ALL_LANES, NULL, NULL);
}

void wgmma_note_undefined(const WgmmaGroup *g, const WgmmaOperands *x, WgmmaAccumulators d) {
  Undefined u;
  if (find_undefined(g, x, &u))
    note_undefined(g, x, &u, d);
  else
    clear_undefined(g);
}
