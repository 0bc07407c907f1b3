/* SPDX-License-Identifier: MIT */
/* tcgen05.cp, from shared to tensor memory, and tcgen05.shift. Which lanes the rows of a shape go
 * to is in CUTLASS's copy_traits_sm100.hpp. */
#include "emu/op/tcgen05_copy.h"

#include <string.h>

#include "emu/op/tcgen05.h"
#include "emu/op/umma_tile.h"
#include "emu/run/access/counters.h"
#include "emu/run/async/proxy.h"
#include "emu/run/race/copies.h"
#include "emu/run/race/tensor_uses.h"
#include "emu/run/state/finding.h"

/* --- shapes --- */

/* Row i goes to lane i / `group` * `stride` + i % `group`, and again to those `again` further. */
typedef struct {
  const char *name, *multicast; /* NULL: none */
  uint8_t rows, units;          /* units of 16 bytes per row */
  uint8_t group, stride, copies, again;
} Shape;

static const Shape shapes[] = {
    {"128x256b", NULL, 128, 2, 128, 128, 1, 0},
    {"4x256b", NULL, 4, 2, 1, 32, 1, 0},
    {"128x128b", NULL, 128, 1, 128, 128, 1, 0},
    {"64x128b", "warpx2::02_13", 64, 1, 64, 64, 2, 64},
    {"64x128b", "warpx2::01_23", 64, 1, 32, 64, 2, 32},
    {"32x128b", "warpx4", 32, 1, 32, 32, 4, 32},
};

enum { SHAPES = sizeof shapes / sizeof *shapes, UNIT_WORDS = UMMA_UNIT / 4 };

static uint32_t lane_of(const Shape *s, unsigned row, unsigned copy) {
  return row / s->group * s->stride + row % s->group + copy * s->again;
}

/* --- copying --- */

typedef struct {
  Warp *warp;
  const Insn *insn;
  unsigned lane;
  const Shape *shape;
  UmmaTile tile;
  uint32_t at; /* in tensor memory */
} Copy;

static bool begin(const Copy *c, EmuFindingKind kind) {
  return finding_add(c->warp->block, kind, c->insn, warp_thread(c->warp, c->lane), 1);
}

static void copy_unit(const Copy *c, Block *block, unsigned row, unsigned unit) {
  Tmem *t = block->tmem;
  const uint32_t from = umma_tile_bytes(&c->tile, row, unit);
  uint32_t word[UNIT_WORDS], undefined[UNIT_WORDS];
  if (from + UMMA_UNIT > block->shared_bytes) {
    if (begin(c, EMU_OUT_OF_BOUNDS))
      finding_describe(c->warp->block,
                       "tcgen05.cp reads shared address 0x%x: beyond the bytes there, which are %u",
                       from, block->shared_bytes);
    return;
  }
  tensor_read_shared(block, from);
  if (block == c->warp->block && race_async_read(c->warp, c->insn, c->lane, from, UMMA_UNIT))
    proxy_check_async_read(c->warp, c->insn, c->lane, from, UMMA_UNIT, "tcgen05.cp");
  memcpy(word, block->shared + from, sizeof word);
  memcpy(undefined, block->undefined + from, sizeof undefined);
  for (unsigned copy = 0; copy < c->shape->copies; copy++)
    for (unsigned i = 0; i < UNIT_WORDS; i++) {
      const uint32_t column = tmem_column(c->at) + unit * UNIT_WORDS + i;
      const uint32_t lane = tmem_lane(c->at) + lane_of(c->shape, row, copy);
      t->word[column][lane] = word[i];
      t->undefined[column][lane] = undefined[i];
    }
}

/* The boxes of lanes that it writes: of rows apart from one another, one each. */
static bool use_target(const Copy *c, Block *block) {
  const Shape *s = c->shape;
  const bool apart = s->group == 1;
  const uint32_t column = tmem_column(c->at), columns = s->units * (uint32_t)UNIT_WORDS;
  for (unsigned i = 0; i < (apart ? s->rows : 1u); i++) {
    const uint32_t lanes = apart ? 1 : s->copies > 1 ? TMEM_LANES : s->rows;
    const TmemBox box = {tmem_lane(c->at) + lane_of(s, i, 0), lanes, column, columns};
    if (!tmem_check_box(block, c->warp, c->insn, c->lane, &box)) return false;
    tensor_use(block, c->warp, c->lane, c->insn, &box, TENSOR_WRITES);
  }
  return true;
}

static void copy_block(const Copy *c, Block *block) {
  if (!tmem_open(block)) return;
  tensor_issue(block, c->warp, c->lane, c->insn, TENSOR_BY_COMMIT);
  if (!use_target(c, block)) return;
  for (unsigned row = 0; row < c->shape->rows; row++)
    for (unsigned unit = 0; unit < c->shape->units; unit++) copy_unit(c, block, row, unit);
}

/* A block, or both of a pair. */
static void for_group(Warp *w, unsigned group, void (*fn)(const Copy *, Block *), const Copy *c) {
  Cluster *cluster = w->block->cluster;
  const int peer = w->block->rank ^ 1;
  fn(c, w->block);
  if (group == 2 && peer < cluster->blocks) fn(c, cluster->block[peer]);
}

static Flow exec_copy(Warp *w, const Insn *insn, uint32_t active) {
  const Tcgen05Op *op = insn->memory.tcgen05;
  tmem_check_group(w, insn, op->group);
  FOR_LANES(lane, active) {
    char why[160];
    Copy c = {.warp = w, .insn = insn, .lane = lane, .shape = &shapes[op->shape]};
    c.tile = umma_tile(warp_reg(w, op->a)[lane], TCGEN05_U8, false, false);
    c.at = tcgen05_address(w, op->at, lane);
    if (!umma_tile_is_sound(&c.tile, why, sizeof why) && begin(&c, EMU_DESCRIPTOR))
      finding_describe(w->block, "descriptor: %s", why);
    for_group(w, op->group, copy_block, &c);
    counters_add_wgmma(w, insn, c.shape->rows * c.shape->units * (uint32_t)UMMA_UNIT / 128);
  }
  w->changed = true;
  return FLOW_NEXT;
}

/* --- shift: 32 bytes of each lane go to the lane before it --- */

static void shift_block(const Copy *c, Block *block) {
  enum { COLUMNS = 8 };
  if (!tmem_open(block)) return;
  Tmem *t = block->tmem;
  const uint32_t lane = tmem_lane(c->at), column = tmem_column(c->at);
  const TmemBox box = {lane, LANES, column, COLUMNS};
  tensor_issue(block, c->warp, c->lane, c->insn, TENSOR_BY_COMMIT);
  if (lane % LANES && begin(c, EMU_TMEM_BOUNDS))
    finding_describe(c->warp->block,
                     "tcgen05.shift begins at lane %u: a multiple of 32 is possible", lane);
  if (lane % LANES || !tmem_check_box(block, c->warp, c->insn, c->lane, &box)) return;
  tensor_use(block, c->warp, c->lane, c->insn, &box, TENSOR_ADDS);
  for (uint32_t i = column; i < column + COLUMNS; i++) {
    memmove(&t->word[i][lane], &t->word[i][lane + 1], (LANES - 1) * sizeof t->word[0][0]);
    memmove(&t->undefined[i][lane], &t->undefined[i][lane + 1],
            (LANES - 1) * sizeof t->undefined[0][0]);
  }
}

static Flow exec_shift(Warp *w, const Insn *insn, uint32_t active) {
  const Tcgen05Op *op = insn->memory.tcgen05;
  tmem_check_group(w, insn, op->group);
  FOR_LANES(lane, active) {
    const Copy c = {.warp = w, .insn = insn, .lane = lane, .at = tcgen05_address(w, op->at, lane)};
    for_group(w, op->group, shift_block, &c);
  }
  w->changed = true;
  return FLOW_NEXT;
}

/* --- decoding --- */

static int take_shape(Decoder *d) {
  for (int i = 0; i < SHAPES; i++) {
    bool named = false, spread = !shapes[i].multicast;
    for (int k = 1; k < d->modifiers; k++) {
      named |= strcmp(d->modifier[k], shapes[i].name) == 0;
      spread |= shapes[i].multicast && strcmp(d->modifier[k], shapes[i].multicast) == 0;
    }
    if (!named || !spread) continue;
    decode_take(d, shapes[i].name);
    if (shapes[i].multicast) decode_take(d, shapes[i].multicast);
    return i;
  }
  decode_fail(d, "this shape is not supported");
  return 0;
}

/* [to], descriptor */
void tcgen05_decode_copy(Decoder *d) {
  Tcgen05Op *op = ARENA_NEW(d->arena, Tcgen05Op);
  op->group = tcgen05_take_group(d);
  op->shape = (uint8_t)take_shape(d);
  if (decode_take(d, "b8x16")) decode_fail(d, "decompression is not supported yet");
  if (d->failed || !decode_count(d, 2, 2)) return;
  op->at = tcgen05_decode_address(d, 0);
  op->a = decode_source(d, decode_operand(d, 1), ARITH_B64);
  d->insn->memory.space = EMU_SHARED;
  d->insn->memory.base = op->a;
  d->insn->memory.tcgen05 = op;
  decode_site(d, INSN_WGMMA);
  d->insn->fn = exec_copy;
}

/* [at] */
void tcgen05_decode_shift(Decoder *d) {
  Tcgen05Op *op = ARENA_NEW(d->arena, Tcgen05Op);
  op->group = tcgen05_take_group(d);
  if (!decode_take(d, "down")) decode_fail(d, "only the .down form exists");
  if (!decode_count(d, 1, 1)) return;
  op->at = tcgen05_decode_address(d, 0);
  d->insn->kind = INSN_TENSOR;
  d->insn->memory.tcgen05 = op;
  d->insn->fn = exec_shift;
}
