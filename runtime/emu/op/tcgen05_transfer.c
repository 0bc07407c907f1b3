/* SPDX-License-Identifier: MIT */
/* tcgen05.ld and tcgen05.st: the registers of a warp, and its 32 lanes of tensor memory. Which
 * register holds which word is in CUTLASS's copy_traits_sm100.hpp. */
#include "emu/op/tcgen05_transfer.h"

#include <stdlib.h>
#include <string.h>

#include "emu/op/tcgen05.h"
#include "emu/run/race/tensor_uses.h"
#include "emu/run/sched/converge.h"
#include "emu/run/state/finding.h"
#include "emu/run/undef/set.h"

/* --- shapes --- */

typedef struct {
  const char *name;
  uint8_t lanes, most; /* lanes of tensor memory; the largest number of .xN */
  uint8_t registers;   /* for .x1 */
  uint8_t words;       /* columns of .x1, if they are not packed */
} Shape;

static const Shape shapes[TCGEN05_SHAPES] = {[TCGEN05_32X32B] = {"32x32b", 32, 128, 1, 1},
                                             [TCGEN05_16X64B] = {"16x64b", 16, 128, 1, 2},
                                             [TCGEN05_16X128B] = {"16x128b", 16, 64, 2, 4},
                                             [TCGEN05_16X256B] = {"16x256b", 16, 32, 4, 8},
                                             [TCGEN05_16X32BX2] = {"16x32bx2", 16, 128, 1, 1}};

/* The row, and the word in it, that a lane's register holds. */
typedef struct {
  unsigned row, word;
} Place;

static Place place_of(const Tcgen05Op *op, unsigned r, unsigned lane) {
  switch ((Tcgen05Shape)op->shape) {
  case TCGEN05_16X64B: return (Place){lane / 4 + lane % 2 * 8, lane / 2 % 2 + 2 * r};
  case TCGEN05_16X128B: return (Place){lane / 4 + r % 2 * 8, lane % 4 + r / 2 * 4};
  case TCGEN05_16X256B: return (Place){lane / 4 + r / 2 % 2 * 8, lane % 4 * 2 + r % 2 + r / 4 * 8};
  case TCGEN05_16X32BX2: return (Place){lane % 16, r};
  default: return (Place){lane, r};
  }
}

/* --- the words --- */

typedef struct {
  Warp *warp;
  const Insn *insn;
  const Tcgen05Op *op;
  Tmem *tmem;
  unsigned registers;
  uint32_t lane, column; /* the first word */
} Transfer;

static void to_words(const Transfer *x, unsigned r, unsigned lane, uint32_t **word,
                     uint32_t **undefined) {
  const Place at = place_of(x->op, r, lane);
  const bool second = x->op->shape == TCGEN05_16X32BX2 && lane >= LANES / 2;
  const uint32_t column =
      x->column + at.word * (x->op->packs ? 2u : 1u) + (second ? x->op->half : 0);
  for (unsigned i = 0; i < 2; i++) {
    const uint32_t c = i && x->op->packs ? column + 1 : column;
    word[i] = &x->tmem->word[c][x->lane + at.row];
    undefined[i] = &x->tmem->undefined[c][x->lane + at.row];
  }
}

static uint32_t pack(bool packs, uint32_t *const pair[2]) {
  return packs ? (*pair[0] & 0xffff) | *pair[1] << 16 : *pair[0];
}

static void load(const Transfer *x, unsigned r) {
  uint64_t *d = warp_reg(x->warp, x->insn->d[r]), bits[LANES], from[LANES], any = 0;
  for (unsigned lane = 0; lane < LANES; lane++) {
    uint32_t *word[2], *undefined[2];
    to_words(x, r, lane, word, undefined);
    d[lane] = pack(x->op->packs, word);
    any |= bits[lane] = pack(x->op->packs, undefined);
  }
  if (any)
    for (unsigned lane = 0; lane < LANES; lane++)
      from[lane] =
          undef_origin(x->warp, x->insn, lane, x->column + place_of(x->op, r, lane).word, 0);
  if (any || x->warp->undefined)
    undef_set_reg(x->warp, x->insn->d[r], ALL_LANES, any ? bits : NULL, any ? from : NULL);
}

static void unpack(bool packs, uint32_t *const pair[2], uint32_t value) {
  *pair[0] = packs ? value & 0xffff : value;
  if (packs) *pair[1] = value >> 16;
}

static void store(const Transfer *x, unsigned r) {
  const uint64_t *s = warp_reg(x->warp, x->insn->s[r]);
  const UndefBits *b = x->warp->undefined ? undef_of_reg(x->warp, x->insn->s[r]) : NULL;
  for (unsigned lane = 0; lane < LANES; lane++) {
    uint32_t *word[2], *undefined[2];
    to_words(x, r, lane, word, undefined);
    unpack(x->op->packs, word, (uint32_t)s[lane]);
    unpack(x->op->packs, undefined, b && b->lanes >> lane & 1 ? (uint32_t)b->bits[lane] : 0);
  }
}

/* --- checks --- */

/* Warp w of a warpgroup reaches lanes 32 * (w % 4) and the 31 after it. */
static bool reaches(const Transfer *x) {
  const Warp *w = x->warp;
  const uint32_t own = (uint32_t)w->index % WGMMA_WARPS * LANES;
  const uint32_t lanes = shapes[x->op->shape].lanes;
  if (x->lane >= own && x->lane + lanes <= own + LANES) return true;
  if (finding_add(w->block, EMU_TMEM_BOUNDS, x->insn, warp_thread(w, 0), 1))
    finding_describe(w->block,
                     "warp %d uses lanes %u to %u of tensor memory: it reaches lanes %u to %u",
                     w->index, x->lane, x->lane + lanes - 1, own, own + LANES - 1);
  return false;
}

static bool is_uniform(const Transfer *x) {
  const uint32_t first = tcgen05_address(x->warp, x->op->at, 0);
  for (unsigned lane = 1; lane < LANES; lane++)
    if (tcgen05_address(x->warp, x->op->at, lane) != first) {
      finding_report(x->warp, x->insn, EMU_TMEM_BOUNDS, lane,
                     "threads of the warp have different addresses of tensor memory: 0x%x and 0x%x",
                     first, tcgen05_address(x->warp, x->op->at, lane));
      return false;
    }
  return true;
}

/* The boxes that it uses; returns their number. */
static int boxes_of(const Transfer *x, TmemBox box[2]) {
  const Shape *shape = &shapes[x->op->shape];
  const uint32_t words = x->registers / shape->registers * shape->words;
  box[0] = box[1] = (TmemBox){x->lane, shape->lanes, x->column, words * (x->op->packs ? 2u : 1u)};
  box[1].column += x->op->half;
  return x->op->shape == TCGEN05_16X32BX2 ? 2 : 1;
}

/* False if it may not access its words. */
static bool check(Transfer *x, bool stores) {
  TmemBox box[2];
  Block *block = x->warp->block;
  if (!is_uniform(x) || !reaches(x)) return false;
  const int boxes = boxes_of(x, box);
  for (int i = 0; i < boxes; i++)
    if (!tmem_check_box(block, x->warp, x->insn, 0, &box[i])) return false;
  x->tmem = block->tmem;
  tensor_issue(block, x->warp, 0, x->insn, stores ? TENSOR_BY_WAIT_ST : TENSOR_BY_WAIT_LD);
  for (int i = 0; i < boxes; i++)
    tensor_use(block, x->warp, 0, x->insn, &box[i], stores ? TENSOR_WRITES : TENSOR_READS);
  return true;
}

static Transfer transfer_of(Warp *w, const Insn *insn) {
  const Tcgen05Op *op = insn->memory.tcgen05;
  const uint32_t address = tcgen05_address(w, op->at, 0);
  return (Transfer){.warp = w,
                    .insn = insn,
                    .op = op,
                    .registers = insn->n_d ? insn->n_d : insn->n_s,
                    .lane = tmem_lane(address),
                    .column = tmem_column(address)};
}

static Flow exec_load(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  Transfer x = transfer_of(w, insn);
  const bool valid = check(&x, false);
  for (unsigned r = 0; r < x.registers; r++) {
    if (valid)
      load(&x, r);
    else
      memset(warp_reg(w, insn->d[r]), 0, LANES * sizeof(uint64_t));
  }
  return FLOW_NEXT;
}

static Flow exec_store(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  Transfer x = transfer_of(w, insn);
  const bool valid = check(&x, true);
  for (unsigned r = 0; valid && r < x.registers; r++) store(&x, r);
  w->changed = true;
  return FLOW_NEXT;
}

/* --- decoding --- */

static int take_shape(Decoder *d) {
  const char *names[TCGEN05_SHAPES + 1] = {NULL};
  for (int i = 0; i < TCGEN05_SHAPES; i++) names[i] = shapes[i].name;
  const int found = decode_take_one(d, names);
  if (found < 0) decode_fail(d, "this shape is not supported");
  return found < 0 ? 0 : found;
}

/* N of .xN; 0 after an error. */
static unsigned take_repetitions(Decoder *d, unsigned most) {
  static const char *const names[] = {"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128", NULL};
  const int found = decode_take_one(d, names);
  if (found >= 0 && 1u << found <= most) return 1u << found;
  decode_fail(d, "the number of repetitions is missing, or too large for the shape");
  return 0;
}

/* ld: {registers}, [address] {, half}; st: [address] {, half}, {registers} */
void tcgen05_decode_transfer(Decoder *d, bool stores) {
  Tcgen05Op *op = ARENA_NEW(d->arena, Tcgen05Op);
  Insn *insn = d->insn;
  if (decode_take(d, "red")) decode_fail(d, ".red is not supported yet");
  const bool named = decode_take(d, "sync") && decode_take(d, "aligned") && decode_take(d, "b32");
  if (!named) decode_fail(d, "only the .sync.aligned...b32 form is supported");
  op->shape = (uint8_t)take_shape(d);
  op->packs = decode_take(d, stores ? "unpack::16b" : "pack::16b");
  const unsigned n = take_repetitions(d, shapes[op->shape].most);
  const int halves = op->shape == TCGEN05_16X32BX2, address = stores ? 0 : 1;
  if (d->failed || !decode_count(d, 2 + halves, 2 + halves)) return;
  const int count = (int)n * shapes[op->shape].registers;
  Ref *refs = decode_refs(d, count);
  decode_fragment(d, decode_operand(d, stores ? 1 + halves : 0), count, !stores, refs);
  op->at = tcgen05_decode_address(d, address);
  const Operand *half = halves ? decode_operand(d, address + 1) : NULL;
  if (half && half->kind != OPERAND_INT) decode_fail(d, "the half's offset is not a constant");
  if (half) op->half = (uint32_t)half->value;
  if (stores)
    insn->s = refs, insn->n_s = (uint8_t)count;
  else
    insn->d = refs, insn->n_d = (uint8_t)count;
  insn->kind = INSN_TENSOR;
  insn->memory.tcgen05 = op;
  insn->fn = stores ? exec_store : exec_load;
}
