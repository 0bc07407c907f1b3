/* SPDX-License-Identifier: MIT */
#include "emu/run/undef/memory.h"

#include <stdlib.h>
#include <string.h>

#include "emu/run/undef/set.h"

enum { WORD = 4 };

/* --- reading --- */

/* The index of the first byte that is not zero, or `bytes`. */
static unsigned first_set(const uint8_t *at, unsigned bytes) {
  unsigned i = 0;
  for (uint64_t eight = 0; i + sizeof eight <= bytes; i += (unsigned)sizeof eight) {
    memcpy(&eight, at + i, sizeof eight);
    if (eight) break;
  }
  while (i < bytes && !at[i]) i++;
  return i;
}

/* The lanes in shared or local memory, where undefined bits are tracked. */
static uint32_t known_lanes(const Resolved *access) { return access->shared | access->local; }

/* The masks of the bytes that a lane accesses there. */
static uint8_t *bits_of(const Warp *w, const Resolved *access, unsigned lane) {
  const uint64_t at = access->offset[lane];
  if (access->local >> lane & 1) return w->local.undefined + local_index(&w->local, lane, at);
  return w->block->undefined + at;
}

bool undef_is_read(const Warp *w, const Resolved *access, unsigned bytes) {
  if (w->block->unchecked) return false;
  FOR_LANES(lane, known_lanes(access)) {
    const uint8_t *at = bits_of(w, access, lane);
    uint32_t word;
    if (bytes == sizeof word) {
      memcpy(&word, at, sizeof word);
      if (word) return true;
    } else if (first_set(at, bytes) < bytes) {
      return true;
    }
  }
  return false;
}

Resolved undef_of_access(const Warp *w, const Resolved *access) {
  Resolved of = *access;
  of.valid = known_lanes(access);
  FOR_LANES(lane, of.valid) of.host[lane] = bits_of(w, access, lane);
  return of;
}

Insn undef_sources(Warp *w, const Insn *insn, unsigned count) {
  Insn of = *insn;
  if (!undef_open(w)) return of;
  for (unsigned i = 0; i < count && i < UNDEF_SCRATCH; i++) {
    const UndefBits *b = undef_of_reg(w, insn->s[i]);
    memset(w->undef->scratch[i], 0, sizeof w->undef->scratch[i]);
    FOR_LANES(lane, b ? b->lanes : 0) w->undef->scratch[i][lane] = b->bits[lane];
  }
  of.s = w->undef->ref;
  return of;
}

Insn undef_results(Warp *w, const Insn *insn) {
  Insn of = *insn;
  if (undef_open(w)) of.d = w->undef->ref;
  return of;
}

/* The origin that a store recorded for a lane's byte; 0: never stored. */
static uint64_t stored_origin(const Warp *w, unsigned lane, bool local, uint64_t byte) {
  const uint64_t *from = local ? w->local.from : w->block->undefined_from;
  const uint64_t at = local ? local_index(&w->local, lane, byte) : byte;
  return from ? from[at / WORD] : 0;
}

/* Copying a structure also copies its padding: a read that finds some defined bytes is not reported
 * if its value is only copied. */
static UndefOrigin kind_of_read(const Warp *w, const Insn *insn, const Resolved *access,
                                unsigned bytes, unsigned lane) {
  const uint8_t *bits = bits_of(w, access, lane);
  const uint64_t at = access->offset[lane];
  const uint32_t end = access->local >> lane & 1 ? w->local.capacity : w->block->shared_room;
  const MemoryOp none = {0}, *op = insn_accesses(insn) ? &insn->memory : &none;
  const uint64_t rest = end - at - bytes;
  const uint64_t before = at < op->before ? at : op->before;
  const uint64_t after = rest < op->after ? rest : op->after;
  const bool part = memchr(bits - before, 0, before + bytes + after) != NULL;
  return (access->local >> lane & 1 ? UNDEF_LOCAL : 0) | (part ? UNDEF_PART : 0);
}

/* The origin that the store of byte `i` recorded, or else this read. */
static uint64_t origin_of(const Warp *w, const Insn *insn, const Resolved *access, unsigned bytes,
                          unsigned lane, unsigned i) {
  const uint64_t byte = access->offset[lane] + i;
  const uint64_t stored = stored_origin(w, lane, access->local >> lane & 1, byte);
  return stored ? stored
                : undef_origin(w, insn, lane, byte, kind_of_read(w, insn, access, bytes, lane));
}

/* The origin of a lane's bits; several lanes may share one lane's read. */
static uint64_t origin_of_lane(const Warp *w, const Insn *insn, const Resolved *access,
                               unsigned bytes, unsigned lane) {
  uint64_t other = 0;
  for (unsigned k = 0; k < LANES; k++) {
    const unsigned by = (lane + k) % LANES;
    if (!(known_lanes(access) >> by & 1)) continue;
    const unsigned i = first_set(bits_of(w, access, by), bytes);
    if (i < bytes) return origin_of(w, insn, access, bytes, by, i);
    other = undef_origin(w, insn, by, access->offset[by], 0);
  }
  return other;
}

void undef_loaded(Warp *w, const Insn *insn, unsigned count, const Resolved *access, unsigned bytes,
                  uint32_t active) {
  uint64_t from[LANES];
  if (!undef_open(w)) return;
  uint32_t lanes = 0;
  for (unsigned i = 0; i < count; i++) {
    FOR_LANES(lane, active) lanes |= (w->undef->scratch[i][lane] != 0 ? 1u : 0) << lane;
  }
  FOR_LANES(lane, lanes) from[lane] = origin_of_lane(w, insn, access, bytes, lane);
  for (unsigned i = 0; i < count; i++)
    undef_set_reg(w, insn->d[i], active, lanes ? w->undef->scratch[i] : NULL, from);
}

void undef_load(Warp *w, const Insn *insn, unsigned count, UndefMove *move, const Resolved *access,
                unsigned bytes, uint32_t active) {
  const Insn results = undef_results(w, insn);
  const Resolved of = undef_of_access(w, access);
  if (results.d == insn->d) return;
  move(w, &results, &of, active);
  undef_loaded(w, insn, count, access, bytes, active);
}

/* --- writing --- */

static void note_origin(Warp *w, const Resolved *access, unsigned lane, unsigned bytes,
                        uint64_t from) {
  Block *block = w->block;
  const uint64_t at = access->offset[lane];
  if (access->local >> lane & 1) {
    local_record_origin(&w->local, lane, at, bytes, from);
    return;
  }
  if (!block->undefined_from)
    block->undefined_from = calloc(block->shared_room / WORD + 1, sizeof *block->undefined_from);
  for (uint64_t word = at / WORD; block->undefined_from && word <= (at + bytes - 1) / WORD; word++)
    block->undefined_from[word] = from;
}

/* The origin of the undefined bits that a lane stores; without one, another lane's. */
static uint64_t origin_of_sources(const Warp *w, const Insn *insn, unsigned count, unsigned lane) {
  uint64_t from = 0;
  for (unsigned i = 0; i < count; i++) {
    const UndefBits *b = undef_of_reg(w, insn->s[i]);
    if (b && b->lanes >> lane & 1) return b->from[lane];
    if (b) from = b->from[lane_first(b->lanes)];
  }
  return from;
}

static const char goes_out[] = "goes to global memory";

void undef_stored(Warp *w, const Insn *insn, unsigned count, const Resolved *access, unsigned bytes,
                  const uint8_t *const value[LANES]) {
  FOR_LANES(lane, known_lanes(access) | access->global) {
    if (first_set(value[lane], bytes) == bytes) continue;
    const uint64_t from = origin_of_sources(w, insn, count, lane);
    if (access->global >> lane & 1) {
      if (!undef_is_part(from)) undef_report(w, insn, from, goes_out);
      continue;
    }
    memcpy(bits_of(w, access, lane), value[lane], bytes);
    note_origin(w, access, lane, bytes, from);
  }
}

/* The undefined bits of a lane's operands: of one element, or of all. */
static uint64_t operand_bits(const Warp *w, const Insn *insn, unsigned first, unsigned count,
                             unsigned lane) {
  uint64_t bits = 0;
  for (unsigned i = first; i < first + count; i++) {
    const UndefBits *b = undef_of_reg(w, insn->s[i]);
    if (b && b->lanes >> lane & 1) bits |= b->bits[lane];
  }
  return bits;
}

typedef struct {
  uint64_t bits[8][LANES], from[LANES];
} Old;

/* Updates one lane: the undefined bits that it reads, and those that it leaves in memory. */
static void update_lane(Warp *w, const Insn *insn, const Resolved *access, bool exchanges,
                        unsigned lane, Old *old) {
  const MemoryOp *op = &insn->memory;
  const unsigned bytes = op->bytes, all = bytes * op->elements;
  uint8_t *memory = bits_of(w, access, lane);
  const uint64_t operands = operand_bits(w, insn, 0, insn->n_s, lane);
  const unsigned i = first_set(memory, all);
  if (i == all && !operands) return;
  old->from[lane] = i < all ? origin_of(w, insn, access, all, lane, i)
                            : origin_of_sources(w, insn, insn->n_s, lane);
  for (unsigned e = 0; e < op->elements; e++) {
    const uint64_t left = exchanges ? operand_bits(w, insn, e, 1, lane) : UINT64_MAX;
    memcpy(&old->bits[e][lane], memory + e * bytes, bytes);
    memcpy(memory + e * bytes, &left, bytes);
  }
  note_origin(w, access, lane, all, old->from[lane]);
}

void undef_updated(Warp *w, const Insn *insn, const Resolved *access, bool exchanges) {
  Old old = {.from = {0}};
  FOR_LANES(lane, known_lanes(access)) update_lane(w, insn, access, exchanges, lane, &old);
  FOR_LANES(lane, access->global) {
    if (operand_bits(w, insn, 0, insn->n_s, lane))
      undef_report(w, insn, origin_of_sources(w, insn, insn->n_s, lane), goes_out);
  }
  for (unsigned e = 0; e < insn->n_d; e++)
    undef_set_reg(w, insn->d[e], access->valid, old.bits[e], old.from);
}

void undef_written(Warp *w, const Resolved *access, unsigned bytes) {
  if (w->block->unchecked) return;
  const uint32_t word = 0;
  FOR_LANES(lane, known_lanes(access)) {
    if (bytes == sizeof word)
      memcpy(bits_of(w, access, lane), &word, sizeof word);
    else
      memset(bits_of(w, access, lane), 0, bytes);
  }
}

void undef_define_at(Warp *w, unsigned lane, uint64_t address, unsigned bytes) {
  const EmuSpace space = memory_space_of(address);
  Resolved access = {.valid = 1u << lane};
  if (space == EMU_LOCAL) access.local = access.valid;
  if (space == EMU_SHARED) access.shared = access.valid;
  access.offset[lane] = address - WINDOW_BASE(space);
  undef_written(w, &access, bytes);
}

void undef_demand_at(Warp *w, const Insn *insn, unsigned lane, uint64_t address, unsigned bytes,
                     const char *is) {
  const EmuSpace space = memory_space_of(address);
  Resolved access = {.valid = 1u << lane};
  if (space == EMU_LOCAL) access.local = access.valid;
  if (space == EMU_SHARED) access.shared = access.valid;
  if (!known_lanes(&access)) return;
  access.offset[lane] = address - WINDOW_BASE(space);
  const unsigned i = first_set(bits_of(w, &access, lane), bytes);
  if (i < bytes) undef_report(w, insn, origin_of(w, insn, &access, bytes, lane, i), is);
}

void undef_demand(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes,
                  const char *is) {
  FOR_LANES(lane, access->shared) {
    uint8_t *at = w->block->undefined + access->offset[lane];
    const unsigned i = first_set(at, bytes);
    const uint64_t from = undef_origin(w, insn, lane, access->offset[lane] + i, 0);
    if (i < bytes) undef_report(w, insn, from, is);
    memset(at, 0, bytes);
  }
}
