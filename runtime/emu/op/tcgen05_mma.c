/* SPDX-License-Identifier: MIT */
/* Decoding of tcgen05.mma. */
#include "emu/op/tcgen05_mma.h"

#include <stdio.h>

#include "emu/op/tcgen05.h"
#include "emu/op/tcgen05_product.h"

static int take_kind(Decoder *d) {
  static const char *const names[] = {"kind::f16",      "kind::tf32", "kind::f8f6f4",   "kind::i8",
                                      "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4", NULL};
  const int found = decode_take_one(d, names);
  if (found < 0) decode_fail(d, "this kind is not supported");
  return found < 0 ? 0 : found;
}

/* Elements per scale, by the words that name it. `kinds`: a set of Tcgen05Kind. */
typedef struct {
  const char *name;
  uint8_t block;
  uint16_t kinds;
} BlockSize;

static const BlockSize sizes[] = {
    {"scale_vec::1X", 32, 1 << TCGEN05_KIND_MXF8F6F4},
    {"scale_vec::2X", 32, 1 << TCGEN05_KIND_MXF4 | 1 << TCGEN05_KIND_MXF4NVF4},
    {"scale_vec::4X", 16, 1 << TCGEN05_KIND_MXF4NVF4},
    {"block32", 32,
     1 << TCGEN05_KIND_MXF8F6F4 | 1 << TCGEN05_KIND_MXF4 | 1 << TCGEN05_KIND_MXF4NVF4},
    {"block16", 16, 1 << TCGEN05_KIND_MXF4NVF4},
};

static void take_block(Decoder *d, Tcgen05Op *op) {
  op->scale_block = 32;
  if (decode_take(d, "block_scale") != (op->kind >= TCGEN05_KIND_MXF8F6F4))
    decode_fail(d, ".block_scale belongs to the kinds mxf8f6f4, mxf4 and mxf4nvf4");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    if (!decode_take(d, sizes[i].name)) continue;
    op->scale_block = sizes[i].block;
    if (!(sizes[i].kinds >> op->kind & 1)) decode_fail(d, "the kind has no scales of this size");
  }
}

/* Hints about the buffers of A and B, which change no result. */
static void take_hints(Decoder *d) {
  static const char *const uses[] = {"fill", "use", "lastuse", "discard"};
  static const char *const buffers[] = {"a", "b0", "b1", "b2", "b3"};
  for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++)
    for (size_t u = 0; u < sizeof uses / sizeof *uses; u++) {
      char name[32];
      snprintf(name, sizeof name, "collector::%s::%s", buffers[b], uses[u]);
      decode_take(d, name);
    }
}

/* {m0, m1, ...}: one bit per lane of tensor memory, in 4 registers per block */
static void decode_masks(Decoder *d, int index, Tcgen05Op *op) {
  op->masks = (uint8_t)(op->group * TMEM_LANES / LANES);
  decode_fragment(d, decode_operand(d, index), op->masks, false, op->mask);
}

static void decode_scale(Decoder *d, int index, Tcgen05Op *op) {
  const Operand *scale = decode_operand(d, index);
  if (scale->kind != OPERAND_INT || scale->value > 15)
    decode_fail(d, "scale-input-d is a constant from 0 to 15");
  if (op->kind > TCGEN05_KIND_TF32) decode_fail(d, "only .kind::f16 and .kind::tf32 scale D");
  op->scaled = (uint8_t)scale->value;
}

static void decode_matrices(Decoder *d, Tcgen05Op *op) {
  op->at = tcgen05_decode_address(d, 0);
  op->a_in_tmem = decode_operand(d, 1)->kind == OPERAND_MEMORY;
  if (op->a_in_tmem)
    op->a_at = tcgen05_decode_address(d, 1);
  else
    op->a = decode_source(d, decode_operand(d, 1), ARITH_B64);
  op->b = decode_source(d, decode_operand(d, 2), ARITH_B64);
  if (op->is_sparse) op->metadata = tcgen05_decode_address(d, 3);
  op->instruction = decode_source(d, decode_operand(d, 3 + op->is_sparse), ARITH_U32);
}

/* The operands after the instruction descriptor: the scales or the masks, enable-input-d,
 * scale-input-d. */
static void decode_rest(Decoder *d, Tcgen05Op *op) {
  int at = 4 + op->is_sparse;
  if (op->kind >= TCGEN05_KIND_MXF8F6F4) {
    op->scale_a = tcgen05_decode_address(d, at++);
    op->scale_b = tcgen05_decode_address(d, at++);
  } else if (!op->is_ws && decode_operand(d, at)->kind == OPERAND_VECTOR) {
    decode_masks(d, at++, op);
  }
  d->insn->p_in = decode_pred(d, decode_operand(d, at++));
  const bool more = at < d->statement->operands;
  if (more && op->is_ws)
    decode_fail(d, "a zero-column mask is not supported yet");
  else if (more)
    decode_scale(d, at++, op);
  if (at != d->statement->operands)
    decode_fail(d, "%d operands, expected %d", d->statement->operands, at);
}

/* [d], a or [a], b {, [metadata]}, instruction {, {masks}}, enable-input-d {, scale-input-d}; with
 * block scales [d], a or [a], b {, [metadata]}, instruction, [scales of a], [scales of b],
 * enable-input-d */
void tcgen05_decode_mma(Decoder *d) {
  Tcgen05Op *op = ARENA_NEW(d->arena, Tcgen05Op);
  Insn *insn = d->insn;
  if (decode_take(d, "ashift")) decode_fail(d, ".ashift is not supported yet");
  op->is_ws = decode_take(d, "ws");
  op->is_sparse = decode_take(d, "sp");
  op->group = tcgen05_take_group(d);
  op->kind = (uint8_t)take_kind(d);
  take_block(d, op);
  take_hints(d);
  if (op->is_ws && op->is_sparse) decode_fail(d, ".ws.sp is not supported yet");
  if (op->is_ws && (op->group != 1 || op->kind >= TCGEN05_KIND_MXF8F6F4))
    decode_fail(d, ".ws has .cta_group::1 and no block scales");
  if (d->failed || !decode_count(d, 5, 8)) return;
  decode_matrices(d, op);
  decode_rest(d, op);
  insn->memory.space = EMU_SHARED;
  insn->memory.base = op->b;
  insn->memory.tcgen05 = op;
  decode_site(d, INSN_WGMMA);
  insn->fn = tcgen05_multiply;
}
