/* SPDX-License-Identifier: MIT */
/* Data races in shared memory. */
#include "emu/run/race/shared.h"

#include <stdlib.h>
#include <string.h>

#include "emu/run/race/report.h"
#include "emu/run/race/tensor_uses.h"
#include "emu/run/race/warpgroup.h"

/* Reads that are put off at most, 0.3 MB of them. */
enum { MAX_DEFERRED = 2048 };

Race *race_new(uint32_t shared_bytes) {
  Race *race = calloc(1, sizeof *race);
  if (!race) return NULL;
  size_t words = shared_bytes / RACE_WORD + 1;
  race->bytes = shared_bytes;
  race->word = calloc(words, sizeof *race->word);
  race->byte = calloc(words * RACE_WORD, sizeof *race->byte);
  race->is_split = calloc(words, 1);
  race->flying = calloc(words, sizeof *race->flying);
  if (race->word && race->byte && race->is_split && race->flying) return race;
  race_free(race);
  return NULL;
}

void race_free(Race *race) {
  if (!race) return;
  free(race->word);
  free(race->byte);
  free(race->under);
  free(race->is_split);
  free(race->flying);
  free(race->busy);
  free(race->deferred);
  free(race);
}

/* Stamps of earlier blocks need no erasing: every warp starts at a tick after all of theirs. */
void race_start(Race *race) {
  if (!race) return;
  size_t words = race->bytes / RACE_WORD + 1;
  if (race->any_split) memset(race->is_split, 0, words);
  race->any_split = false;
  if (race->any_flying) memset(race->flying, 0, words * sizeof *race->flying);
  race->any_flying = false;
  if (race->busy) memset(race->busy, 0, words * sizeof *race->busy);
  race->foreign = race->busy != NULL;
  race->deferred_count = 0;
  race->written = false;
  race->epoch++;
}

/* Reads that were put off happen before all that follows: they need never be noted. */
void race_block_barrier(Race *race) {
  if (!race || race->foreign) return;
  race->deferred_count = 0;
  race->written = false;
  race->epoch++;
}

/* --- accesses --- */

/* What the other writer has put into the byte: a lane of this very instruction its value, which is
 * not stored yet, and any other writer what memory holds. */
static const uint8_t *byte_of_writer(const SharedAccess *t, const RaceStamp *old, uint64_t at) {
  unsigned lane = (old->thread - 1u) % LANES;
  bool this_warp = (old->thread - 1u) / LANES == (uint32_t)t->warp->slot;
  if (this_warp && old->pc == t->now.pc && old->tick == t->now.tick && (t->active >> lane & 1) &&
      at - t->offset[lane] < t->bytes) {
    return t->value[lane] + (at - t->offset[lane]);
  }
  return t->owner->shared + at;
}

/* Two writes of the same value are no race: `if (found) flag = 1` is correct. */
static bool same_value(const SharedAccess *t, const RaceStamp *old, unsigned lane, uint64_t at,
                       unsigned bytes) {
  if (!t->value) return false;
  for (unsigned i = 0; i < bytes; i++) {
    if (*byte_of_writer(t, old, at + i) != t->value[lane][at + i - t->offset[lane]]) return false;
  }
  return true;
}

static RaceStrength strength_of(const MemoryOp *op, RaceKind kind) {
  if (kind == RACE_ATOMIC || op->strong || op->guess) return ATOMIC;
  return op->spins ? SPINS : op->polls ? VOLATILE : WEAK;
}

/* Atomics do not race with each other, so that a plain write before them must be remembered beside
 * them: it lies under the atomics until another plain write comes. */
__attribute__((noinline)) static void keep_under(Race *race, uint64_t at, const RaceStamp *write) {
  if (!race->under) race->under = calloc(race->bytes + RACE_WORD, sizeof *race->under);
  if (race->under) race->under[at] = *write;
}

static const RaceStamp *under_of(const Race *race, const RaceCell *cell, uint64_t at) {
  return cell->write.covers ? &race->under[at] : NULL;
}

/* Reports a race with an access that the cell, or the one under its atomics, remembers; false if
 * there is none. */
static bool check(const SharedAccess *t, const RaceStamp *old, bool reads, unsigned lane,
                  uint64_t at, unsigned bytes) {
  if (race_is_ordered(t, old, &t->now)) return false;
  const RaceAccess a = race_access_at(t, at);
  const RacePoint point = race_point_of(t, old, reads);
  if (!race_is_found(&a, &point)) return false;
  if (!reads && t->kind == RACE_WRITE && same_value(t, old, lane, at, bytes)) return false;
  race_report(&a, &point);
  return true;
}

static void note_write(const SharedAccess *t, RaceCell *cell, uint64_t at) {
  const RaceStamp *old = &cell->write;
  bool covers = old->covers;
  if (t->now.strength == ATOMIC && old->strength != ATOMIC && old->thread) {
    keep_under(t->race, at, old);
    covers = t->race->under != NULL;
  }
  cell->write = t->now;
  cell->write.covers = covers && t->now.strength == ATOMIC;
}

/* Whether the cell has seen nothing but atomics, and this is one more: a histogram's counters. */
static bool is_one_more(const RaceCell *cell, const RaceStamp *now) {
  return now->strength == ATOMIC && cell->write.strength == ATOMIC && !cell->write.covers &&
         !cell->read[0].thread && !cell->read[1].thread;
}

/* Compares an access with what a cell holds, and notes it there. Kept out of line, since the loops
 * over lanes seldom need it. */
__attribute__((noinline)) static void touch_cell(SharedAccess *t, RaceCell *cell, unsigned lane,
                                                 uint64_t at, unsigned bytes) {
  const RaceStamp *now = &t->now, *under = under_of(t->race, cell, at);
  cell->epoch = t->race->epoch;
  if (is_one_more(cell, now) && t->kind != RACE_READ) {
    cell->write = *now;
    return;
  }
  if (!check(t, &cell->write, false, lane, at, bytes) && under)
    check(t, under, false, lane, at, bytes);
  if (t->kind == RACE_READ) {
    bool first = cell->read[0].thread == now->thread || race_is_ordered(t, &cell->read[0], now);
    cell->read[first ? 0 : 1] = *now;
    return;
  }
  for (int i = 0; i < 2; i++) {
    check(t, &cell->read[i], true, lane, at, bytes);
    if (now->strength != ATOMIC) cell->read[i].thread = 0;
  }
  note_write(t, cell, at);
}

static void split_word(Race *race, uint64_t word) {
  if (race->is_split[word]) return;
  race->is_split[word] = 1;
  race->any_split = true;
  for (uint64_t i = 0; i < RACE_WORD; i++) race->byte[word * RACE_WORD + i] = race->word[word];
  for (uint64_t i = 1; i < RACE_WORD && race->word[word].write.covers; i++)
    race->under[word * RACE_WORD + i] = race->under[word * RACE_WORD];
}

/* Reports a touch of what a bulk copy still writes, and a write of what one still reads. Reductions
 * in flight do not race with each other. */
static void touch_busy(const SharedAccess *t, uint64_t at) {
  const BulkPending *busy = &t->race->busy[at / RACE_WORD];
  const bool read = t->kind == RACE_READ;
  const bool both_reduce = busy->reduces && t->kind == RACE_ATOMIC && t->insn->kind == INSN_BULK;
  if ((!busy->writers || both_reduce) && (read || !busy->readers)) return;
  race_report_busy(t, busy, at);
}

static void touch_lane(SharedAccess *t, unsigned lane) {
  Race *race = t->race;
  uint64_t at = t->offset[lane], end = at + t->bytes;
  t->now.thread = (uint16_t)(warp_stamp(t->warp, lane) + 1);
  while (at < end) {
    uint64_t word = at / RACE_WORD;
    bool whole = at % RACE_WORD == 0 && end - at >= RACE_WORD;
    if (!whole) split_word(race, word);
    if (race->any_flying && race->flying[word].thread)
      race_report_flying(t, &race->flying[word], at);
    if (race->busy) touch_busy(t, at);
    unsigned step = race->is_split[word] ? 1 : RACE_WORD;
    touch_cell(t, race->is_split[word] ? &race->byte[at] : &race->word[word], lane, at, step);
    at += step;
  }
}

/* The first access to a word in an epoch: all that the cell holds happens before it. */
static inline void renew(RaceCell *cell, const RaceStamp *now, uint32_t epoch, bool reads) {
  cell->epoch = epoch;
  *(reads ? &cell->read[0] : &cell->write) = *now;
  if (!reads) cell->read[0].thread = 0;
  cell->read[1].thread = 0;
}

/* Of neighbouring lanes that read one word the first and the last are noted: a cell keeps no more
 * than two readers. Returns the lanes between the two. */
static uint32_t lanes_amid(const SharedAccess *t, unsigned lane) {
  uint32_t amid = 0;
  for (unsigned i = lane + 1; i + 1 < LANES; i++) {
    if (t->offset[i] != t->offset[lane] || t->offset[i + 1] != t->offset[lane] ||
        (t->active >> i & 3) != 3)
      break;
    amid |= 1u << i;
  }
  return amid;
}

/* An access of one word a lane. */
static void touch_words(SharedAccess *t) {
  const uint32_t first = warp_stamp(t->warp, 0) + 1, epoch = t->race->epoch;
  const bool reads = t->kind == RACE_READ;
  const uint64_t *offset = t->offset;
  RaceCell *const word = t->race->word;
  RaceStamp now = t->now;
  for (uint32_t rest = t->active; rest; rest &= rest - 1) {
    const unsigned lane = lane_first(rest);
    RaceCell *cell = &word[offset[lane] / RACE_WORD];
    now.thread = t->now.thread = (uint16_t)(first + lane);
    if (cell->epoch == epoch) {
      touch_cell(t, cell, lane, offset[lane], RACE_WORD);
      continue;
    }
    renew(cell, &now, epoch, reads);
    if (reads && lane + 1 < LANES && offset[lane] == offset[lane + 1]) rest &= ~lanes_amid(t, lane);
  }
}

/* An access of several words a lane. */
static void touch_vectors(SharedAccess *t) {
  const uint32_t first = warp_stamp(t->warp, 0) + 1, epoch = t->race->epoch;
  FOR_LANES(lane, t->active) {
    RaceCell *cell = &t->race->word[t->offset[lane] / RACE_WORD];
    t->now.thread = (uint16_t)(first + lane);
    for (unsigned i = 0; i < t->bytes; i += RACE_WORD, cell++) {
      if (cell->epoch == epoch)
        touch_cell(t, cell, lane, t->offset[lane] + i, RACE_WORD);
      else
        renew(cell, &t->now, epoch, t->kind == RACE_READ);
    }
  }
}

/* --- reads that are put off --- */

/* Whether the warp is one of the block that owns the memory: neither another block's of the
 * cluster, nor a copy. */
static bool is_own(const Race *race, const Warp *w) {
  const Block *block = w->block;
  return race == block->race && (unsigned)(w->slot - block->first_slot) < (unsigned)block->warps;
}

/* So long as nobody writes, reads race with nothing: they are put off, and noted in the cells when
 * somebody writes or something other than a barrier of all warps orders threads; if that barrier
 * comes first, they never are. False for accesses that cannot be put off. */
static bool defer_read(Race *race, Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                       const uint64_t offset[LANES], unsigned bytes) {
  if (kind != RACE_READ || race->written || race->foreign || w->block->program->uses_bulk ||
      bytes % RACE_WORD || !is_own(race, w) || race->any_split || race->any_flying || race->busy)
    return false;
  if (!race->deferred) race->deferred = malloc(MAX_DEFERRED * sizeof *race->deferred);
  if (!race->deferred) return false;
  if (race->deferred_count == MAX_DEFERRED) race_catch_up(race);
  DeferredRead *read = &race->deferred[race->deferred_count++];
  read->warp = w;
  read->insn = insn;
  read->active = active;
  read->bytes = bytes;
  read->now = (RaceStamp){.strength = (uint8_t)strength_of(&insn->memory, kind),
                          .tick = order_now(w),
                          .pc = (int32_t)(insn - w->code)};
  for (int i = 0; i < LANES; i++) read->offset[i] = (uint32_t)offset[i];
  return true;
}

static void record_deferred(Race *race, const DeferredRead *read) {
  uint64_t offset[LANES];
  for (int i = 0; i < LANES; i++) offset[i] = read->offset[i];
  SharedAccess t = {.warp = read->warp,
                    .owner = read->warp->block,
                    .race = race,
                    .order = order_view(read->warp),
                    .insn = read->insn,
                    .kind = RACE_READ,
                    .active = read->active,
                    .offset = offset,
                    .bytes = read->bytes,
                    .now = read->now};
  (t.bytes == RACE_WORD ? touch_words : touch_vectors)(&t);
}

void race_catch_up(Race *race) {
  const int count = race ? race->deferred_count : 0;
  if (!count) return;
  race->deferred_count = 0;
  for (int i = 0; i < count; i++) record_deferred(race, &race->deferred[i]);
}

void race_access_of(Block *owner, Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                    const uint64_t offset[LANES], unsigned bytes,
                    const uint8_t *const value[LANES]) {
  Race *race = owner->race;
  if (!race || defer_read(race, w, insn, kind, active, offset, bytes)) return;
  SharedAccess touch = {w,      owner,  race,  order_view(w), insn, kind,
                        active, offset, bytes, value,         {0}};
  touch.now.strength = (uint8_t)strength_of(&insn->memory, kind);
  touch.now.tick = order_now(w);
  touch.now.pc = (int32_t)(insn - w->code);
  touch.now.proxied = insn->kind == INSN_COPY || insn->kind == INSN_BULK;
  race->foreign |= !is_own(race, w);
  if (kind != RACE_READ || race->foreign || bytes % RACE_WORD) {
    race_catch_up(race);
    race->written = true;
  }
  /* Accesses are aligned to their size: multiples of a word are whole words. */
  const bool plain = !race->any_split && !race->any_flying && !race->busy && !race->foreign;
  if (plain && bytes % RACE_WORD == 0) {
    (bytes == RACE_WORD ? touch_words : touch_vectors)(&touch);
  } else {
    FOR_LANES(lane, active) touch_lane(&touch, lane);
  }
  if (kind != RACE_READ && owner->tensor_uses)
    FOR_LANES(lane, active) tensor_check_write(owner, w, insn, lane, offset[lane], bytes);
  if (kind == RACE_READ || !warpgroup_reads(owner)) return;
  FOR_LANES(lane, active) warpgroup_check_write(owner, w, insn, lane, offset[lane], bytes);
}

void race_access(Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                 const uint64_t offset[LANES], unsigned bytes, const uint8_t *const value[LANES]) {
  race_access_of(w->block, w, insn, kind, active, offset, bytes, value);
}
