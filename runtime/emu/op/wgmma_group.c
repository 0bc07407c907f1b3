/* SPDX-License-Identifier: MIT */
/* The four warps of a warpgroup at one wgmma, and their operands. */
#include "emu/op/wgmma_group.h"

#include "emu/run/access/counters.h"
#include "emu/run/async/proxy.h"
#include "emu/run/race/copies.h"
#include "emu/run/race/warpgroup.h"
#include "emu/run/state/finding.h"

/* --- the four warps --- */

WgmmaGroup wgmma_group(const Warp *w, const Insn *insn) {
  WgmmaGroup g = {.insn = insn, .op = insn->memory.wgmma, .block = w->block};
  for (int i = 0; i < WGMMA_WARPS; i++) {
    g.warp[i] = &w->block->warp[w->index / WGMMA_WARPS * WGMMA_WARPS + i];
    g.split[i] = warpgroup_split(g.warp[i]);
  }
  return g;
}

/* A register of the split that waits: another one may be the warp's current split by now. */
static uint64_t *reg_of(const WgmmaGroup *g, unsigned warp, Ref ref) {
  const Warp *w = g->warp[warp];
  if (ref >> REF_SHIFT != BANK_FRAME) return warp_reg(w, ref);
  return w->slots + ((size_t)g->split[warp]->frame.slot + (ref & REF_INDEX)) * LANES;
}

bool wgmma_adds(const WgmmaGroup *g) {
  const PredRef p = g->insn->p_in;
  const uint32_t *preds = g->warp[0]->preds + g->split[0]->frame.pred;
  const uint32_t value = p.slot < 0 ? ALL_LANES : preds[p.slot];
  return (p.negated ? ~value : value) & 1;
}

/* --- operands in shared memory --- */

/* Whether a finding of the group is new, and needs its text. */
static bool begin(const WgmmaGroup *g, EmuFindingKind kind) {
  return finding_add(g->block, kind, g->insn, warp_thread(g->warp[0], 0), 1);
}

static bool is_uniform(const WgmmaGroup *g, Ref ref, uint64_t value) {
  for (unsigned i = 0; i < WGMMA_WARPS; i++) {
    const uint64_t *reg = reg_of(g, i, ref);
    for (int lane = 0; lane < LANES; lane++)
      if (reg[lane] != value) return false;
  }
  return true;
}

/* Notes a swizzled tile that begins within the pattern of 8 rows: right only where what wrote it
 * went by address bits, too, as TMA does. */
static void note_base(const WgmmaGroup *g, char name, const WgmmaTile *t) {
  enum { ROWS = 8 };
  const uint32_t past = t->width > WGMMA_PIECE ? t->start % (ROWS * t->width) / t->width : 0;
  if (!past || t->base_offset ||
      !finding_add_note(g->block, EMU_MISALIGNED, g->insn, warp_thread(g->warp[0], 0), 1))
    return;
  finding_describe(
      g->block,
      "the descriptor of %c begins at shared 0x%x, row %u of the 8 rows of the %u-byte "
      "swizzle, with base offset 0: align the tile to %u bytes",
      name, t->start, past, t->width, ROWS * t->width);
}

/* The descriptor in a register, which must be the same in all threads of the warpgroup. */
static WgmmaTile tile_of(const WgmmaGroup *g, Ref ref, char name, bool by_mn) {
  char wrong[192];
  const uint64_t bits = reg_of(g, 0, ref)[0];
  const WgmmaTile tile = wgmma_tile(bits, by_mn);
  if (!is_uniform(g, ref, bits) && begin(g, EMU_WARPGROUP))
    finding_describe(g->block, "the threads of the warpgroup have different descriptors of %c",
                     name);
  if (!wgmma_tile_is_sound(&tile, wrong, sizeof wrong) && begin(g, EMU_WARPGROUP))
    finding_describe(g->block, "descriptor of %c: %s", name, wrong);
  note_base(g, name, &tile);
  return tile;
}

static void report_beyond(const WgmmaGroup *g, char name, uint32_t at) {
  if (!begin(g, EMU_OUT_OF_BOUNDS)) return;
  finding_describe(g->block,
                   "wgmma reads %c at shared address 0x%x: beyond the bytes there, which "
                   "are %u",
                   name, at, g->block->shared_bytes);
}

static void find_pieces(const WgmmaGroup *g, Ref ref, char name, bool by_mn, unsigned lines,
                        WgmmaPieces *pieces) {
  pieces->tile = tile_of(g, ref, name, by_mn);
  pieces->count = lines * WGMMA_BYTES / WGMMA_PIECE;
  for (unsigned i = 0; i < pieces->count; i++) {
    const uint32_t at = wgmma_tile_piece(&pieces->tile, i);
    pieces->at[i] = at;
    pieces->valid[i] = at + WGMMA_PIECE <= g->block->shared_bytes;
    if (!pieces->valid[i]) report_beyond(g, name, at);
  }
}

void wgmma_copy_pieces(const WgmmaPieces *pieces, const uint8_t *from,
                       uint8_t (*line)[WGMMA_BYTES]) {
  static const uint8_t nothing[WGMMA_PIECE] = {0};
  for (unsigned i = 0; i < pieces->count; i++)
    wgmma_tile_put(&pieces->tile, i, pieces->valid[i] ? from + pieces->at[i] : nothing, line);
}

/* A's rows are read by the warp that multiplies them. B's columns are read by all four warps: here
 * they are divided among the warps, so that one that has not waited for the tile is found. */
static void check_piece(Warp *w, const Insn *insn, uint32_t at) {
  if (race_async_read(w, insn, 0, at, WGMMA_PIECE))
    proxy_check_async_read(w, insn, 0, at, WGMMA_PIECE, "wgmma");
  warpgroup_read(w, at);
}

static void check_pieces(const WgmmaGroup *g, const WgmmaPieces *pieces, bool of_a) {
  for (unsigned i = 0; i < pieces->count; i++) {
    const unsigned line = wgmma_tile_line(&pieces->tile, i);
    Warp *w = g->warp[of_a ? line / WGMMA_WARP_ROWS : i / 2 % WGMMA_WARPS];
    if (pieces->valid[i]) check_piece(w, g->insn, pieces->at[i]);
  }
}

/* --- the operands --- */

static void rows_of_registers(const WgmmaGroup *g, uint8_t (*row)[WGMMA_BYTES]) {
  for (unsigned i = 0; i < WGMMA_WARPS; i++) {
    const uint64_t *reg[WGMMA_A_REGISTERS];
    for (unsigned r = 0; r < WGMMA_A_REGISTERS; r++) reg[r] = reg_of(g, i, g->insn->s[r]);
    arith_wgmma_rows(reg, row + i * WGMMA_WARP_ROWS);
  }
}

/* Tells the observer of the bytes from the operand's first to its last. */
static void observe(const WgmmaGroup *g, const WgmmaPieces *pieces) {
  uint32_t first = UINT32_MAX, end = 0;
  for (unsigned i = 0; i < pieces->count; i++) {
    const uint32_t at = pieces->at[i];
    if (!pieces->valid[i]) continue;
    if (at < first) first = at;
    if (at + WGMMA_PIECE > end) end = at + WGMMA_PIECE;
  }
  if (end) counters_observe_async(g->warp[0], g->insn, EMU_WGMMA, first, end - first, NULL);
}

void wgmma_read_operands(const WgmmaGroup *g, WgmmaOperands *x) {
  const Insn *insn = g->insn;
  const unsigned n = g->op->arith.n;
  x->a.count = 0;
  find_pieces(g, insn->s[insn->n_s - 1], 'B', g->op->b_by_row, n, &x->b);
  wgmma_copy_pieces(&x->b, g->block->shared, x->tiles.b);
  if (g->op->a_in_registers) {
    rows_of_registers(g, x->tiles.a);
  } else {
    find_pieces(g, insn->s[0], 'A', g->op->a_by_column, WGMMA_ROWS, &x->a);
    wgmma_copy_pieces(&x->a, g->block->shared, x->tiles.a);
  }
  check_pieces(g, &x->a, true);
  check_pieces(g, &x->b, false);
  observe(g, &x->a);
  observe(g, &x->b);
  counters_add_wgmma(g->warp[0], insn, (x->a.count + x->b.count) * WGMMA_PIECE / 128);
}

void wgmma_find_accumulators(const WgmmaGroup *g, WgmmaAccumulators d) {
  for (unsigned i = 0; i < WGMMA_WARPS; i++)
    for (unsigned r = 0; r < g->insn->n_d; r++) d[i][r] = reg_of(g, i, g->insn->d[r]);
}

void wgmma_multiply(const WgmmaGroup *g, const ArithTiles *tiles, WgmmaAccumulators d) {
  const ArithWgmmaMode mode = {.adds = wgmma_adds(g), .negative = g->op->negative};
  arith_wgmma(&g->op->arith, mode, tiles, (uint64_t *const(*)[WGMMA_MAX_REGISTERS])d);
}
