/* SPDX-License-Identifier: MIT */
/* Races of copies that run beside the threads. */
#include "emu/run/race/copies.h"

#include <stdlib.h>

#include "emu/run/race/report.h"
#include "emu/run/race/shared.h"
#include "emu/run/state/finding.h"

/* --- the async proxy --- */

static bool is_generic(const RaceStamp *old) { return old->thread && !old->proxied; }

/* The last write to the unit, a word or a byte, that holds a byte. */
static const RaceStamp *write_at(const Race *race, uint64_t at) {
  const uint64_t word = at / RACE_WORD;
  return race->is_split[word] ? &race->byte[at].write : &race->word[word].write;
}

static const RaceCell *cell_at(const Race *race, uint64_t at) {
  const uint64_t word = at / RACE_WORD;
  return race->is_split[word] ? &race->byte[at] : &race->word[word];
}

/* True for an ordinary access that happens before the lane's next one, with no proxy fence between.
 */
static bool is_unfenced(const Warp *w, unsigned lane, const RaceStamp *old) {
  if (!is_generic(old)) return false;
  const int slot = (int)((old->thread - 1u) / LANES);
  const unsigned old_lane = (old->thread - 1u) % LANES;
  const bool own = slot == w->slot && old_lane == lane;
  return (own || order_has(w, lane, slot, old_lane, old->tick)) &&
         !order_is_proxied(w, lane, PROXY_SHARED, slot, old_lane, old->tick);
}

RaceUnfenced race_unfenced(const Race *race, const Warp *w, unsigned lane, uint64_t at,
                           bool with_reads) {
  const RaceCell *cell = cell_at(race, at);
  const unsigned bytes = race->is_split[at / RACE_WORD] ? 1 : RACE_WORD;
  if (is_unfenced(w, lane, &cell->write))
    return (RaceUnfenced){.found = true, .pc = cell->write.pc, .bytes = bytes};
  for (int i = 0; i < 2 && with_reads; i++)
    if (is_unfenced(w, lane, &cell->read[i]))
      return (RaceUnfenced){.found = true, .reads = true, .pc = cell->read[i].pc, .bytes = bytes};
  return (RaceUnfenced){.bytes = bytes};
}

/* Reports a read of the unit that holds a byte, if its last write does not happen before it. */
static bool async_read_unit(const SharedAccess *t, uint64_t at) {
  const Race *race = t->race;
  const uint64_t word = at / RACE_WORD;
  const RaceStamp *write = write_at(race, at);
  if (race->any_flying && race->flying[word].thread) {
    race_report_flying(t, &race->flying[word], at);
    return false;
  }
  if (write->covers && race_is_ordered(t, write, &t->now))
    write = &race->under[race->is_split[word] ? at : word * RACE_WORD];
  if (race_is_ordered(t, write, &t->now)) return true;
  const RaceAccess a = race_access_at(t, at);
  const RacePoint point = race_point_of(t, write, false);
  race_report(&a, &point);
  return false;
}

bool race_async_read(Warp *w, const Insn *insn, unsigned lane, uint64_t offset, uint64_t bytes) {
  Race *race = w->block->race;
  if (!race) return true;
  race_catch_up(race);
  SharedAccess t = {.warp = w,
                    .owner = w->block,
                    .race = race,
                    .order = order_view(w),
                    .insn = insn,
                    .kind = RACE_READ};
  t.now =
      (RaceStamp){.thread = (uint16_t)(warp_stamp(w, lane) + 1), .pc = (int32_t)(insn - w->code)};
  for (uint64_t at = offset, step; at < offset + bytes; at += step) {
    step = race->is_split[at / RACE_WORD] ? 1 : RACE_WORD - at % RACE_WORD;
    if (!async_read_unit(&t, at)) return false;
  }
  return true;
}

/* --- bulk copies --- */

typedef void PieceFn(void *context, uint32_t at, uint32_t bytes);

/* Calls fn with the box in as few pieces as possible. */
static void for_pieces(const Box *box, PieceFn *fn, void *context) {
  if (box_is_dense(box)) {
    fn(context, box->at, box->bytes);
    return;
  }
  for (uint32_t i = 0; i < box->bytes; i += box_piece(box, i))
    fn(context, box_place(box, i), box_piece(box, i));
}

typedef struct {
  Block *owner;
  Warp *warp;
  const Insn *insn;
  unsigned lane;
  RaceKind kind;
  RaceStamp stamp;
} Bulk;

static void issue_piece(void *context, uint32_t at, uint32_t bytes) {
  const Bulk *b = context;
  uint64_t offset[LANES];
  offset[b->lane] = at;
  race_access_of(b->owner, b->warp, b->insn, b->kind, 1u << b->lane, offset, bytes, NULL);
  for (uint32_t word = at / RACE_WORD; word <= (at + bytes - 1) / RACE_WORD; word++) {
    BulkPending *busy = &b->owner->race->busy[word];
    (*(b->kind == RACE_READ ? &busy->readers : &busy->writers))++;
    busy->pc = (int32_t)(b->insn - b->warp->code);
    busy->reduces = b->kind == RACE_ATOMIC;
  }
}

void race_bulk_issue(Block *owner, Warp *w, const Insn *insn, unsigned lane, RaceKind kind,
                     const Box *box) {
  Race *race = owner->race;
  if (!race) return;
  race_catch_up(race);
  Bulk bulk = {.owner = owner, .warp = w, .insn = insn, .lane = lane, .kind = kind};
  race->foreign = true; /* no barrier orders what lands */
  if (!race->busy) race->busy = calloc(race->bytes / RACE_WORD + 1, sizeof *race->busy);
  if (!race->busy) atomic_store(&owner->launch->out_of_memory, true);
  if (race->busy) for_pieces(box, issue_piece, &bulk);
}

/* What lies under atomics stays there: race/shared.c. */
static void set_write(RaceCell *cell, const RaceStamp *now) {
  const bool covers = cell->write.covers && now->strength == ATOMIC;
  cell->write = *now;
  cell->write.covers = covers;
  cell->read[0].thread = cell->read[1].thread = 0;
}

static void land_piece(void *context, uint32_t at, uint32_t bytes) {
  const Bulk *b = context;
  Race *race = b->owner->race;
  for (uint32_t word = at / RACE_WORD; word <= (at + bytes - 1) / RACE_WORD; word++) {
    if (race->busy[word].writers) race->busy[word].writers--;
    if (!race->is_split[word]) set_write(&race->word[word], &b->stamp);
    for (uint32_t i = 0; i < RACE_WORD && race->is_split[word]; i++)
      set_write(&race->byte[word * RACE_WORD + i], &b->stamp);
  }
}

void race_bulk_land(Block *owner, const Insn *insn, const Box *box) {
  if (!owner->race || !owner->race->busy) return;
  Bulk bulk = {.owner = owner, .insn = insn};
  bulk.stamp = (RaceStamp){.thread = (uint16_t)(order_copy_thread(owner) + 1),
                           .strength = insn->memory.bulk->reduce ? ATOMIC : WEAK,
                           .proxied = true,
                           .tick = order_copy_tick(owner),
                           .pc = (int32_t)(insn - owner->program->insn)};
  for_pieces(box, land_piece, &bulk);
}

static void leave_piece(void *context, uint32_t at, uint32_t bytes) {
  const Bulk *b = context;
  Race *race = b->owner->race;
  for (uint32_t word = at / RACE_WORD; word <= (at + bytes - 1) / RACE_WORD; word++) {
    if (race->busy[word].readers) race->busy[word].readers--;
    if (!b->stamp.thread) continue;
    if (!race->is_split[word]) race->word[word].read[0] = b->stamp;
    for (uint32_t i = 0; i < RACE_WORD && race->is_split[word]; i++)
      race->byte[word * RACE_WORD + i].read[0] = b->stamp;
  }
}

void race_bulk_read(Warp *w, const Insn *insn, unsigned lane, const Box *box) {
  if (!w->block->race || !w->block->race->busy) return;
  Bulk bulk = {.owner = w->block};
  bulk.stamp = (RaceStamp){.thread = (uint16_t)(warp_stamp(w, lane) + 1),
                           .proxied = true,
                           .tick = order_now(w),
                           .pc = (int32_t)(insn - w->code)};
  for_pieces(box, leave_piece, &bulk);
}

void race_bulk_leave(Block *owner, const Box *box) {
  Bulk bulk = {.owner = owner};
  if (owner->race && owner->race->busy) for_pieces(box, leave_piece, &bulk);
}

/* --- cp.async --- */

static void set_flying(Race *race, uint32_t offset, unsigned bytes, CpAsyncPending copy) {
  for (uint32_t word = offset / RACE_WORD; word <= (offset + bytes - 1) / RACE_WORD; word++) {
    race->flying[word] = copy;
  }
}

void race_async_issue(Warp *w, const Insn *insn, unsigned lane, uint32_t offset) {
  const CpAsyncPending copy = {(uint16_t)(warp_stamp(w, lane) + 1), (int32_t)(insn - w->code)};
  if (!w->block->race) return;
  race_catch_up(w->block->race);
  w->block->race->any_flying = true;
  set_flying(w->block->race, offset, insn->memory.bytes, copy);
}

/* What had touched the bytes was held against the copy as it was issued, and what did so since then
 * is reported: its arrival races with nothing, a barrier before it would not help. */
static void forget(RaceCell *cell) {
  cell->write.thread = cell->read[0].thread = cell->read[1].thread = 0;
  cell->write.covers = false;
}

void race_async_done(Warp *w, uint32_t offset, unsigned bytes) {
  Race *race = w->block->race;
  if (!race) return;
  set_flying(race, offset, bytes, (CpAsyncPending){0});
  for (uint32_t at = offset; at < offset + bytes; at++) {
    if (at % RACE_WORD == 0) forget(&race->word[at / RACE_WORD]);
    if (race->is_split[at / RACE_WORD]) forget(&race->byte[at]);
  }
}

/* --- the end of a block in a cluster --- */

static void check_remote(Block *block, const RaceStamp *stamp) {
  const uint32_t slots = (uint32_t)block->warps + 1;
  if (!stamp->thread) return;
  const uint32_t slot = (stamp->thread - 1u) / LANES, rank = slot / slots;
  if (rank == (uint32_t)block->rank) return;
  for (int i = 0; i < block->warps; i++)
    for (unsigned lane = 0; lane < LANES; lane++)
      if (order_has(&block->warp[i], lane, (int)slot, (stamp->thread - 1u) % LANES, stamp->tick))
        return;
  const uint32_t thread = slot % slots * LANES + (stamp->thread - 1u) % LANES;
  const Block *other = block->cluster->block[rank];
  if (!finding_add_at(block, EMU_EXITED, &block->program->insn[stamp->pc], other->number, thread,
                      1))
    return;
  finding_describe(block,
                   "touches shared memory of block (%u, %u, %u), which does not wait for it "
                   "and may have ended before",
                   block->index[0], block->index[1], block->index[2]);
}

static void check_cell(Block *block, const RaceCell *cell) {
  check_remote(block, &cell->write);
  check_remote(block, &cell->read[0]);
  check_remote(block, &cell->read[1]);
}

void race_check_remote(Block *block) {
  const Race *race = block->race;
  if (!race) return;
  for (uint64_t word = 0; word < race->bytes / RACE_WORD; word++) {
    if (!race->is_split[word]) check_cell(block, &race->word[word]);
    for (uint64_t i = 0; i < RACE_WORD && race->is_split[word]; i++)
      check_cell(block, &race->byte[word * RACE_WORD + i]);
  }
}
