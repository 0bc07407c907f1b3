#include "emu/run/undef_memory.h"

#include <stdlib.h>
#include <string.h>

#include "emu/run/undef_set.h"

enum { WORD = 4 };

/* --- reading --- */

/* The first of the bytes that is not zero, or `bytes`. */
static unsigned first_set(const uint8_t *at, unsigned bytes) {
  unsigned i = 0;
  for (uint64_t eight = 0; i + sizeof eight <= bytes; i += (unsigned)sizeof eight) {
    memcpy(&eight, at + i, sizeof eight);
    if (eight) break;
  }
  while (i < bytes && !at[i]) i++;
  return i;
}

bool undef_is_read(const Block *block, const Resolved *access, unsigned bytes) {
  FOR_LANES(lane, access->shared) {
    const uint8_t *at = block->undefined + access->offset[lane];
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

Resolved undef_of_access(const Block *block, const Resolved *access) {
  Resolved of = *access;
  of.valid = access->shared;
  FOR_LANES(lane, of.valid) of.host[lane] = block->undefined + access->offset[lane];
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

/* Where the byte's undefined bits came from: what stored them knows, else this very read. */
static uint64_t origin_of(const Warp *w, const Insn *insn, unsigned lane, uint64_t byte) {
  const uint64_t *from = w->block->undefined_from;
  return from && from[byte / WORD] ? from[byte / WORD] : undef_origin(w, insn, lane, byte);
}

/* Of the lane's own read, or of another's that it shares. */
static uint64_t origin_of_lane(const Warp *w, const Insn *insn, const Resolved *access,
                               unsigned bytes, unsigned lane) {
  uint64_t other = 0;
  for (unsigned k = 0; k < LANES; k++) {
    const unsigned by = (lane + k) % LANES;
    if (!(access->shared >> by & 1)) continue;
    const uint64_t at = access->offset[by];
    const unsigned i = first_set(w->block->undefined + at, bytes);
    if (i < bytes) return origin_of(w, insn, by, at + i);
    other = undef_origin(w, insn, by, at);
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
  const Resolved of = undef_of_access(w->block, access);
  if (results.d == insn->d) return;
  move(w, &results, &of, active);
  undef_loaded(w, insn, count, access, bytes, active);
}

/* --- writing --- */

static void note_origin(Block *block, uint64_t at, unsigned bytes, uint64_t from) {
  if (!block->undefined_from)
    block->undefined_from = calloc(block->shared_bytes / WORD + 1, sizeof *block->undefined_from);
  for (uint64_t word = at / WORD; block->undefined_from && word <= (at + bytes - 1) / WORD; word++)
    block->undefined_from[word] = from;
}

/* Of the registers that a lane stores, or of another lane's. */
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
  Block *block = w->block;
  FOR_LANES(lane, access->shared | access->global) {
    if (first_set(value[lane], bytes) == bytes) continue;
    const uint64_t from = origin_of_sources(w, insn, count, lane);
    if (access->global >> lane & 1) {
      undef_tell(w, insn, from, goes_out);
      continue;
    }
    memcpy(block->undefined + access->offset[lane], value[lane], bytes);
    note_origin(block, access->offset[lane], bytes, from);
  }
}

/* What of the lane's operands is undefined, of one element or of all. */
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

/* One lane: what it finds, and leaves. */
static void update_lane(Warp *w, const Insn *insn, const Resolved *access, bool exchanges,
                        unsigned lane, Old *old) {
  const MemoryOp *op = &insn->memory;
  const unsigned bytes = op->bytes, all = bytes * op->elements;
  const uint64_t at = access->offset[lane];
  uint8_t *memory = w->block->undefined + at;
  const uint64_t operands = operand_bits(w, insn, 0, insn->n_s, lane);
  const unsigned i = first_set(memory, all);
  if (i == all && !operands) return;
  old->from[lane] =
      i < all ? origin_of(w, insn, lane, at + i) : origin_of_sources(w, insn, insn->n_s, lane);
  for (unsigned e = 0; e < op->elements; e++) {
    const uint64_t left = exchanges ? operand_bits(w, insn, e, 1, lane) : UINT64_MAX;
    memcpy(&old->bits[e][lane], memory + e * bytes, bytes);
    memcpy(memory + e * bytes, &left, bytes);
  }
  note_origin(w->block, at, all, old->from[lane]);
}

void undef_updated(Warp *w, const Insn *insn, const Resolved *access, bool exchanges) {
  Old old = {.from = {0}};
  FOR_LANES(lane, access->shared) update_lane(w, insn, access, exchanges, lane, &old);
  FOR_LANES(lane, access->global) {
    if (operand_bits(w, insn, 0, insn->n_s, lane))
      undef_tell(w, insn, origin_of_sources(w, insn, insn->n_s, lane), goes_out);
  }
  for (unsigned e = 0; e < insn->n_d; e++)
    undef_set_reg(w, insn->d[e], access->valid, old.bits[e], old.from);
}

void undef_demand(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes,
                  const char *is) {
  FOR_LANES(lane, access->shared) {
    uint8_t *at = w->block->undefined + access->offset[lane];
    const unsigned i = first_set(at, bytes);
    if (i < bytes) undef_tell(w, insn, undef_origin(w, insn, lane, access->offset[lane] + i), is);
    memset(at, 0, bytes);
  }
}
