/* SPDX-License-Identifier: MIT */
#include "emu/run/undef/set.h"

#include <stdlib.h>
#include <string.h>

#include "emu/run/state/finding.h"

/* --- storage --- */

bool undef_open(Warp *w) {
  if (w->undef || w->block->unchecked) return w->undef != NULL;
  Undef *u = calloc(1, sizeof *u);
  if (!u) return false;
  for (unsigned i = 0; i < UNDEF_SCRATCH; i++) u->ref[i] = ref_make(BANK_SCRATCH, i);
  w->undef = u;
  w->base[BANK_SCRATCH] = u->scratch[0];
  return true;
}

static UndefBits **grow(UndefBits ***list, size_t *count, size_t at) {
  if (at < *count) return &(*list)[at];
  const size_t more = at + 64;
  UndefBits **grown = realloc(*list, more * sizeof **list);
  if (!grown) return NULL;
  memset(grown + *count, 0, (more - *count) * sizeof *grown);
  *list = grown;
  *count = more;
  return &grown[at];
}

static void forget(Warp *w, UndefBits *b) {
  if (!b || !b->lanes) return;
  b->lanes = 0;
  w->undefined--;
}

void undef_start(Warp *w) {
  Undef *u = w->undef;
  if (!u || !w->undefined) return;
  for (size_t i = 0; i < u->regs; i++) forget(w, u->reg[i]);
  for (size_t i = 0; i < u->preds; i++) forget(w, u->pred[i]);
  forget(w, u->carry);
}

void undef_free(Warp *w) {
  Undef *u = w->undef;
  if (!u) return;
  for (size_t i = 0; i < u->regs; i++) free(u->reg[i]);
  for (size_t i = 0; i < u->preds; i++) free(u->pred[i]);
  free(u->reg);
  free(u->pred);
  free(u->carry);
  free(u);
}

/* --- bits --- */

static const UndefBits *any(const UndefBits *b) { return b && b->lanes ? b : NULL; }

const UndefBits *undef_of_reg(const Warp *w, Ref ref) {
  const Undef *u = w->undef;
  const size_t at = (size_t)w->now->frame.slot + (ref & REF_INDEX);
  return u && ref >> REF_SHIFT == BANK_FRAME && at < u->regs ? any(u->reg[at]) : NULL;
}

const UndefBits *undef_of_pred(const Warp *w, int32_t slot) {
  const Undef *u = w->undef;
  const size_t at = (size_t)w->now->frame.pred + (size_t)(slot < 0 ? 0 : slot);
  return u && slot >= 0 && at < u->preds ? any(u->pred[at]) : NULL;
}

const UndefBits *undef_of_carry(const Warp *w) { return w->undef ? any(w->undef->carry) : NULL; }

static void set(Warp *w, UndefBits **at, uint32_t active, const uint64_t *bits,
                const uint64_t *from) {
  uint32_t now = 0;
  FOR_LANES(lane, bits ? active : 0) now |= (bits[lane] != 0 ? 1u : 0) << lane;
  if (!now && !any(*at)) return;
  if (!*at) *at = calloc(1, sizeof **at);
  UndefBits *b = *at;
  if (!b) return;
  FOR_LANES(lane, now) {
    b->bits[lane] = bits[lane];
    b->from[lane] = from[lane];
  }
  const uint32_t lanes = (b->lanes & ~active) | now;
  w->undefined += (lanes != 0) - (b->lanes != 0);
  b->lanes = lanes;
}

void undef_set_reg(Warp *w, Ref ref, uint32_t active, const uint64_t *bits, const uint64_t *from) {
  if (ref >> REF_SHIFT != BANK_FRAME || !undef_open(w)) return;
  const size_t at = (size_t)w->now->frame.slot + (ref & REF_INDEX);
  UndefBits **place = grow(&w->undef->reg, &w->undef->regs, at);
  if (place) set(w, place, active, bits, from);
}

void undef_set_pred(Warp *w, int32_t slot, uint32_t active, const uint64_t *bits,
                    const uint64_t *from) {
  if (slot < 0 || !undef_open(w)) return;
  const size_t at = (size_t)w->now->frame.pred + (size_t)slot;
  UndefBits **place = grow(&w->undef->pred, &w->undef->preds, at);
  if (place) set(w, place, active, bits, from);
}

void undef_set_carry(Warp *w, uint32_t active, const uint64_t *bits, const uint64_t *from) {
  if (undef_open(w)) set(w, &w->undef->carry, active, bits, from);
}

void undef_copy(Warp *w, const uint64_t *to, const uint64_t *from, uint32_t active) {
  const size_t source = (size_t)(from - w->slots) / LANES, target = (size_t)(to - w->slots) / LANES;
  if (!w->undefined || !undef_open(w)) return;
  UndefBits **place = grow(&w->undef->reg, &w->undef->regs, target);
  const UndefBits *b = source < w->undef->regs ? any(w->undef->reg[source]) : NULL;
  uint64_t bits[LANES] = {0};
  FOR_LANES(lane, b ? b->lanes : 0) bits[lane] = b->bits[lane];
  if (place) set(w, place, active, b ? bits : NULL, b ? b->from : NULL);
}

/* --- origins --- */

/* An origin holds, from bit 0: the address of the byte, the thread, the instruction and the kind.
 * The top bit is always set, so that no origin is 0. */
enum {
  BYTE_BITS = 24,
  THREAD_BITS = 10,
  PC_SHIFT = BYTE_BITS + THREAD_BITS,
  KIND_SHIFT = 61,
  PC_BITS = KIND_SHIFT - PC_SHIFT
};

uint64_t undef_origin(const Warp *w, const Insn *insn, unsigned lane, uint64_t byte,
                      UndefOrigin kind) {
  return 1ull << 63 | (uint64_t)kind << KIND_SHIFT | (uint64_t)(insn - w->code) << PC_SHIFT |
         (uint64_t)warp_thread(w, lane) << BYTE_BITS | (byte & ((1u << BYTE_BITS) - 1));
}

bool undef_is_part(uint64_t from) { return from >> KIND_SHIFT & UNDEF_PART; }

uint64_t undef_used(uint64_t from) { return from & ~((uint64_t)UNDEF_PART << KIND_SHIFT); }

void undef_report(Warp *w, const Insn *insn, uint64_t from, const char *what) {
  Block *block = w->block;
  const Insn *read = &w->code[from >> PC_SHIFT & ((1ull << PC_BITS) - 1)];
  const uint64_t byte = from & ((1u << BYTE_BITS) - 1);
  const uint32_t thread = (uint32_t)(from >> BYTE_BITS) & ((1u << THREAD_BITS) - 1);
  if (!finding_add_at(block, EMU_UNINITIALISED, read, block->number, thread, 1)) return;
  const InsnLine line = insn_line_from(block->program, insn, read);
  if (read->kind == INSN_MEET) {
    finding_describe(block, "takes the value of lane %u, which takes no part: it %s at %s",
                     (unsigned)byte, what, line.text);
    return;
  }
  if (read->kind == INSN_TENSOR) {
    finding_describe(block, "reads column %u of tensor memory, which nothing wrote: it %s at %s",
                     (unsigned)byte, what, line.text);
    return;
  }
  finding_describe(block, "%s %s byte 0x%llx, which nothing wrote: it %s at %s",
                   read->kind == INSN_ATOMIC ? "updates" : "reads",
                   from >> KIND_SHIFT & UNDEF_LOCAL ? "local" : "shared", (unsigned long long)byte,
                   what, line.text);
}
