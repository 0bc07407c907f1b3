#include "emu/run/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/run/finding.h"
#include "emu/run/order.h"
#include "emu/run/warpgroup.h"

enum { WORD = 4 };

/* What an access may meet unordered: ATOMIC its like, SPINS (a look at a flag) all but PLAIN. */
typedef enum { PLAIN, VOLATILE, SPINS, ATOMIC } Strength;

/* One access: by which thread, and at which tick of its warp. */
typedef struct {
  uint16_t thread; /* + 1; 0: none */
  uint8_t strength;
  bool proxied : 1; /* of a write: the async proxy sees it without a fence */
  bool covers : 1;  /* of an atomic: the last write that is none lies under it, see keep_under */
  uint32_t tick;
  int32_t pc;
} Stamp;

typedef struct {
  Stamp write, read[2];
  uint32_t epoch; /* of the last of them */
} Cell;

/* Bulk copies under way that write a word, or read it, and the newest one's pc. */
typedef struct {
  uint16_t landing, leaving;
  int32_t pc;
  bool reduces; /* the newest one */
} Busy;

/* A read of whole words that the cells do not know of yet: see note_later. */
typedef struct {
  Warp *warp;
  const Insn *insn;
  uint32_t active, bytes;
  Stamp now;
  uint32_t offset[LANES];
} Later;

enum { MOST_LATER = 2048 };

struct Race {
  uint32_t bytes;
  Cell *word, *byte;
  Stamp *under;      /* per byte, of a word at its first; NULL: none yet */
  uint8_t *is_split; /* per word: look at its bytes */
  uint16_t *flying;  /* per word: the thread, + 1, whose copy is in flight */
  bool any_flying, any_split;
  bool foreign;   /* others than the block's own warps came here: their barriers order too little */
  uint32_t epoch; /* begins with the block, and where all its warps meet */
  bool written;   /* in this epoch */
  int laters;
  Later *later; /* NULL: none yet */
  Busy *busy;   /* per word; NULL: no bulk copy yet */
};

Race *race_new(uint32_t shared_bytes) {
  Race *race = calloc(1, sizeof *race);
  if (!race) return NULL;
  size_t words = shared_bytes / WORD + 1;
  race->bytes = shared_bytes;
  race->word = calloc(words, sizeof *race->word);
  race->byte = calloc(words * WORD, sizeof *race->byte);
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
  free(race->later);
  free(race);
}

/* Stamps of earlier blocks need no erasing: every warp starts behind all of them. */
void race_start(Race *race) {
  if (!race) return;
  size_t words = race->bytes / WORD + 1;
  if (race->any_split) memset(race->is_split, 0, words);
  race->any_split = false;
  if (race->any_flying) memset(race->flying, 0, words * sizeof *race->flying);
  race->any_flying = false;
  if (race->busy) memset(race->busy, 0, words * sizeof *race->busy);
  race->foreign = race->busy != NULL;
  race->laters = 0;
  race->written = false;
  race->epoch++;
}

/* What was only read before all warps met, nobody will ever race with. */
void race_meet(Race *race) {
  if (!race || race->foreign) return;
  race->laters = 0;
  race->written = false;
  race->epoch++;
}

/* --- accesses --- */

typedef struct {
  Warp *warp;
  Block *owner; /* of the memory */
  Race *race;
  OrderView order;
  const Insn *insn;
  RaceKind kind;
  uint32_t active;
  const uint64_t *offset;
  unsigned bytes;
  const uint8_t *const *value;
  Stamp now;
} Touch;

static bool is_ordered(const Touch *t, const Stamp *old, const Stamp *now) {
  if (!old->thread || old->thread == now->thread) return true;
  const unsigned other = (old->thread - 1u) / LANES;
  if (other != (unsigned)t->warp->slot) return t->order.clock[other] >= old->tick;
  return old->tick < t->order.meeting ||
         order_within(t->warp->block->order, old->thread - 1u, old->tick, now->thread - 1u);
}

static const char *const did[] = {"reads", "writes", "updates"};

/* Lanes of a warp run in no order of their own since sm_70, but one instruction's are at once. */
static const char *missing(const Touch *t, const Stamp *old) {
  const bool same_warp = (old->thread - 1u) / LANES == (uint32_t)t->warp->slot;
  return same_warp && old->pc != t->now.pc ? "barrier between: lanes of one warp need __syncwarp()"
                                           : "barrier between";
}

static uint32_t thread_of(const Touch *t, const Stamp *now) {
  return now->thread - 1u - (uint32_t)t->warp->block->first_slot * LANES;
}

/* Whom an access was by: "that thread (3, 0, 0)", of another block with that block. */
static const char *name_of(const Touch *t, const Stamp *old, char text[96]) {
  const Block *block = t->warp->block;
  const uint32_t slots = (uint32_t)block->warps + 1, slot = (old->thread - 1u) / LANES;
  const Block *other = block->cluster->block[slot / slots];
  uint32_t xyz[3];
  if (slot % slots == (uint32_t)block->warps) return "that a bulk copy";
  block_thread(block, slot % slots * LANES + (old->thread - 1u) % LANES, xyz);
  const int n = snprintf(text, 96, "that thread (%u, %u, %u)", xyz[0], xyz[1], xyz[2]);
  if (other != block)
    snprintf(text + n, 96 - (size_t)n, " of block (%u, %u, %u)", other->index[0], other->index[1],
             other->index[2]);
  return text;
}

static bool by_copy(const Touch *t, const Stamp *old) {
  const uint32_t slots = (uint32_t)t->warp->block->warps + 1;
  return (old->thread - 1u) / LANES % slots == slots - 1;
}

static void report(const Touch *t, const Stamp *old, const char *other_did, uint64_t at) {
  Block *block = t->warp->block;
  char name[96];
  const Insn *other = &block->program->insn[old->pc];
  const bool first = finding_add(block, EMU_RACE, t->insn, thread_of(t, &t->now), 1);
  finding_meets(block, t->insn, insn_source(block->program, other).line);
  if (!first) return;
  finding_describe(block, "%s shared byte 0x%llx %s %s at %s, no %s", did[t->kind],
                   (unsigned long long)at, name_of(t, old, name), other_did,
                   insn_line(block->program, other).text,
                   by_copy(t, old) ? "wait on its mbarrier between" : missing(t, old));
}

/* What a lane of this very instruction writes to the byte, or what memory holds. */
static const uint8_t *byte_of_writer(const Touch *t, const Stamp *old, uint64_t at) {
  unsigned lane = (old->thread - 1u) % LANES;
  bool this_warp = (old->thread - 1u) / LANES == (uint32_t)t->warp->slot;
  if (this_warp && old->pc == t->now.pc && old->tick == t->now.tick && (t->active >> lane & 1) &&
      at - t->offset[lane] < t->bytes) {
    return t->value[lane] + (at - t->offset[lane]);
  }
  return t->owner->shared + at;
}

/* Two writes of the same value do not race: `if (found) flag = 1` is correct. */
static bool same_value(const Touch *t, const Stamp *old, unsigned lane, uint64_t at,
                       unsigned bytes) {
  if (!t->value) return false;
  for (unsigned i = 0; i < bytes; i++) {
    if (*byte_of_writer(t, old, at + i) != t->value[lane][at + i - t->offset[lane]]) return false;
  }
  return true;
}

static bool is_quiet(const Stamp *a, const Stamp *b) {
  if (a->strength == SPINS || b->strength == SPINS) return a->strength && b->strength;
  return a->strength == ATOMIC && b->strength == ATOMIC;
}

static Strength strength_of(const MemoryOp *op, RaceKind kind) {
  if (kind == RACE_ATOMIC || op->strong || op->guess) return ATOMIC;
  return op->spins ? SPINS : op->polls ? VOLATILE : PLAIN;
}

/* Two atomics are quiet, and so what raced with the one before must not be forgotten: a write that
 * is none stays under those that follow, until another such write comes. */
__attribute__((noinline)) static void keep_under(Race *race, uint64_t at, const Stamp *write) {
  if (!race->under) race->under = calloc(race->bytes + WORD, sizeof *race->under);
  if (race->under) race->under[at] = *write;
}

static const Stamp *under_of(const Race *race, const Cell *cell, uint64_t at) {
  return cell->write.covers ? &race->under[at] : NULL;
}

/* Whether a write that is there races with the access. */
static bool meets_write(const Touch *t, const Stamp *old, unsigned lane, uint64_t at,
                        unsigned bytes) {
  return !is_quiet(&t->now, old) && !is_ordered(t, old, &t->now) &&
         !(t->kind == RACE_READ && insn_tests(t->warp->block->program, t->now.pc, old->pc)) &&
         !(t->kind == RACE_WRITE && same_value(t, old, lane, at, bytes));
}

static void note_write(const Touch *t, Cell *cell, uint64_t at) {
  const Stamp *old = &cell->write;
  bool covers = old->covers;
  if (t->now.strength == ATOMIC && old->strength != ATOMIC && old->thread) {
    keep_under(t->race, at, old);
    covers = t->race->under != NULL;
  }
  cell->write = t->now;
  cell->write.covers = covers && t->now.strength == ATOMIC;
}

/* An atomic behind others, and nothing else: the counters of a histogram. */
static bool is_one_more(const Cell *cell, const Stamp *now) {
  return now->strength == ATOMIC && cell->write.strength == ATOMIC && !cell->write.covers &&
         !cell->read[0].thread && !cell->read[1].thread;
}

/* Apart from the loops over lanes, which seldom come here. */
__attribute__((noinline)) static void touch_cell(Touch *t, Cell *cell, unsigned lane, uint64_t at,
                                                 unsigned bytes) {
  const Stamp *now = &t->now, *under = under_of(t->race, cell, at);
  cell->epoch = t->race->epoch;
  if (is_one_more(cell, now) && t->kind != RACE_READ) {
    cell->write = *now;
    return;
  }
  if (meets_write(t, &cell->write, lane, at, bytes))
    report(t, &cell->write, cell->write.strength == ATOMIC ? "updates" : "writes", at);
  else if (under && meets_write(t, under, lane, at, bytes))
    report(t, under, "writes", at);
  if (t->kind == RACE_READ) {
    bool first = cell->read[0].thread == now->thread || is_ordered(t, &cell->read[0], now);
    cell->read[first ? 0 : 1] = *now;
    return;
  }
  const Program *p = t->warp->block->program;
  for (int i = 0; i < 2; i++) {
    const Stamp *read = &cell->read[i];
    if (!is_quiet(now, read) && !is_ordered(t, read, now) && !insn_tests(p, read->pc, now->pc)) {
      report(t, read, "reads", at);
    }
    if (now->strength != ATOMIC) cell->read[i].thread = 0;
  }
  note_write(t, cell, at);
}

static void split_word(Race *race, uint64_t word) {
  if (race->is_split[word]) return;
  race->is_split[word] = 1;
  race->any_split = true;
  for (uint64_t i = 0; i < WORD; i++) race->byte[word * WORD + i] = race->word[word];
  for (uint64_t i = 1; i < WORD && race->word[word].write.covers; i++)
    race->under[word * WORD + i] = race->under[word * WORD];
}

/* What a bulk copy still writes nobody touches; what it still reads nobody writes. */
static void touch_busy(const Touch *t, uint64_t at) {
  const Busy *busy = &t->race->busy[at / WORD];
  const bool read = t->kind == RACE_READ;
  const bool both_reduce = busy->reduces && t->kind == RACE_ATOMIC && t->insn->kind == INSN_BULK;
  if ((!busy->landing || both_reduce) && (read || !busy->leaving)) return;
  Block *block = t->warp->block;
  if (!finding_add(block, EMU_RACE, t->insn, thread_of(t, &t->now), 1)) return;
  finding_describe(block,
                   "%s shared byte 0x%llx that the bulk copy of %s still %s: no wait "
                   "for its %s between",
                   did[t->kind], (unsigned long long)at,
                   insn_line(block->program, &block->program->insn[busy->pc]).text,
                   busy->landing ? "writes" : "reads", busy->landing ? "mbarrier" : "bulk group");
}

static void touch_lane(Touch *t, unsigned lane) {
  Race *race = t->race;
  uint64_t at = t->offset[lane], end = at + t->bytes;
  t->now.thread = (uint16_t)(warp_stamp(t->warp, lane) + 1);
  while (at < end) {
    uint64_t word = at / WORD;
    bool whole = at % WORD == 0 && end - at >= WORD;
    if (!whole) split_word(race, word);
    if (race->flying[word] && race->any_flying) {
      Stamp copy = {.thread = race->flying[word], .pc = t->now.pc};
      report(t, &copy, "still copies by cp.async", at);
    }
    if (race->busy) touch_busy(t, at);
    unsigned step = race->is_split[word] ? 1 : WORD;
    touch_cell(t, race->is_split[word] ? &race->byte[at] : &race->word[word], lane, at, step);
    at += step;
  }
}

/* What a word remembers of earlier epochs is ordered before the access: nothing is to be looked
 * into. */
static inline void renew(Cell *cell, const Stamp *now, uint32_t epoch, bool reads) {
  cell->epoch = epoch;
  *(reads ? &cell->read[0] : &cell->write) = *now;
  if (!reads) cell->read[0].thread = 0;
  cell->read[1].thread = 0;
}

/* The lanes that read the place of `lane` with it: where nothing is to be looked into, the first
 * and the last are enough. Returns those between. */
static uint32_t lanes_amid(const Touch *t, unsigned lane) {
  uint32_t amid = 0;
  for (unsigned i = lane + 1; i + 1 < LANES; i++) {
    if (t->offset[i] != t->offset[lane] || t->offset[i + 1] != t->offset[lane] ||
        (t->active >> i & 3) != 3)
      break;
    amid |= 1u << i;
  }
  return amid;
}

/* A word a lane. */
static void touch_words(Touch *t) {
  const uint32_t first = warp_stamp(t->warp, 0) + 1, epoch = t->race->epoch;
  const bool reads = t->kind == RACE_READ;
  const uint64_t *offset = t->offset;
  Cell *const word = t->race->word;
  Stamp now = t->now;
  for (uint32_t rest = t->active; rest; rest &= rest - 1) {
    const unsigned lane = lane_first(rest);
    Cell *cell = &word[offset[lane] / WORD];
    now.thread = t->now.thread = (uint16_t)(first + lane);
    if (cell->epoch == epoch) {
      touch_cell(t, cell, lane, offset[lane], WORD);
      continue;
    }
    renew(cell, &now, epoch, reads);
    if (reads && lane + 1 < LANES && offset[lane] == offset[lane + 1]) rest &= ~lanes_amid(t, lane);
  }
}

/* Several words a lane. */
static void touch_vectors(Touch *t) {
  const uint32_t first = warp_stamp(t->warp, 0) + 1, epoch = t->race->epoch;
  FOR_LANES(lane, t->active) {
    Cell *cell = &t->race->word[t->offset[lane] / WORD];
    t->now.thread = (uint16_t)(first + lane);
    for (unsigned i = 0; i < t->bytes; i += WORD, cell++) {
      if (cell->epoch == epoch)
        touch_cell(t, cell, lane, t->offset[lane] + i, WORD);
      else
        renew(cell, &t->now, epoch, t->kind == RACE_READ);
    }
  }
}

/* --- reads that are noted later --- */

/* Whether the warp is one of the block whose memory it is, and not of its cluster, nor a copy. */
static bool is_own(const Race *race, const Warp *w) {
  const Block *block = w->block;
  return race == block->race && (unsigned)(w->slot - block->first_slot) < (unsigned)block->warps;
}

/* So long as nobody writes, reads race with nothing: they are noted in the cells, in their order,
 * when somebody does, or when something else than a meeting of all warps orders threads; where all
 * meet before, never. False for other accesses. */
static bool note_later(Race *race, Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                       const uint64_t offset[LANES], unsigned bytes) {
  if (kind != RACE_READ || race->written || race->foreign || bytes % WORD || !is_own(race, w) ||
      race->any_split || race->any_flying || race->busy)
    return false;
  if (!race->later) race->later = malloc(MOST_LATER * sizeof *race->later);
  if (!race->later) return false;
  if (race->laters == MOST_LATER) race_catch_up(race);
  Later *later = &race->later[race->laters++];
  later->warp = w;
  later->insn = insn;
  later->active = active;
  later->bytes = bytes;
  later->now = (Stamp){.strength = (uint8_t)strength_of(&insn->memory, kind),
                       .tick = order_now(w),
                       .pc = (int32_t)(insn - w->code)};
  for (int i = 0; i < LANES; i++) later->offset[i] = (uint32_t)offset[i];
  return true;
}

static void note_now(Race *race, const Later *later) {
  uint64_t offset[LANES];
  for (int i = 0; i < LANES; i++) offset[i] = later->offset[i];
  Touch t = {.warp = later->warp,
             .owner = later->warp->block,
             .race = race,
             .order = order_view(later->warp),
             .insn = later->insn,
             .kind = RACE_READ,
             .active = later->active,
             .offset = offset,
             .bytes = later->bytes,
             .now = later->now};
  (t.bytes == WORD ? touch_words : touch_vectors)(&t);
}

void race_catch_up(Race *race) {
  const int count = race ? race->laters : 0;
  if (!count) return;
  race->laters = 0;
  for (int i = 0; i < count; i++) note_now(race, &race->later[i]);
}

void race_access_of(Block *owner, Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                    const uint64_t offset[LANES], unsigned bytes,
                    const uint8_t *const value[LANES]) {
  Race *race = owner->race;
  if (!race || note_later(race, w, insn, kind, active, offset, bytes)) return;
  Touch touch = {w, owner, race, order_view(w), insn, kind, active, offset, bytes, value, {0}};
  touch.now.strength = (uint8_t)strength_of(&insn->memory, kind);
  touch.now.tick = order_now(w);
  touch.now.pc = (int32_t)(insn - w->code);
  touch.now.proxied = insn->kind == INSN_COPY || insn->kind == INSN_BULK;
  race->foreign |= !is_own(race, w);
  if (kind != RACE_READ || race->foreign || bytes % WORD) {
    race_catch_up(race);
    race->written = true;
  }
  /* Accesses are aligned to what they access: these are of whole words. */
  const bool plain = !race->any_split && !race->any_flying && !race->busy && !race->foreign;
  if (plain && bytes % WORD == 0) {
    (bytes == WORD ? touch_words : touch_vectors)(&touch);
  } else {
    FOR_LANES(lane, active) touch_lane(&touch, lane);
  }
  if (kind == RACE_READ || !warpgroup_reads(owner)) return;
  FOR_LANES(lane, active)
  warpgroup_check_write(owner, w, insn, lane, offset[lane], bytes);
}

void race_access(Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                 const uint64_t offset[LANES], unsigned bytes, const uint8_t *const value[LANES]) {
  race_access_of(w->block, w, insn, kind, active, offset, bytes, value);
}

/* --- the async proxy --- */

static bool is_generic(const Stamp *write) { return write->thread && !write->proxied; }

RaceWrite race_last_write(const Race *race, uint64_t at) {
  const bool split = race->is_split[at / WORD];
  const Stamp *write = split ? &race->byte[at].write : &race->word[at / WORD].write;
  return (RaceWrite){is_generic(write), write->thread - 1u, write->tick, write->pc,
                     split ? 1 : WORD};
}

bool race_async_read(Warp *w, const Insn *insn, unsigned lane, uint64_t offset, uint64_t bytes) {
  Race *race = w->block->race;
  if (!race) return true;
  race_catch_up(race);
  Touch t = {.warp = w, .race = race, .order = order_view(w), .insn = insn, .kind = RACE_READ};
  t.now = (Stamp){.thread = (uint16_t)(warp_stamp(w, lane) + 1), .pc = (int32_t)(insn - w->code)};
  for (uint64_t at = offset, step; at < offset + bytes; at += step) {
    const bool split = race->is_split[at / WORD];
    const Stamp *write = split ? &race->byte[at].write : &race->word[at / WORD].write;
    const bool flies = race->any_flying && race->flying[at / WORD];
    const Stamp copy = {.thread = race->flying[at / WORD], .pc = t.now.pc};
    step = split ? 1 : WORD - at % WORD;
    if (write->covers && is_ordered(&t, write, &t.now))
      write = &race->under[split ? at : at - at % WORD];
    if (!flies && is_ordered(&t, write, &t.now)) continue;
    report(&t, flies ? &copy : write,
           flies                       ? "still copies by cp.async"
           : write->strength == ATOMIC ? "updates"
                                       : "writes",
           at);
    return false;
  }
  return true;
}

/* Whether a lane of the mask comes behind the write. */
static bool is_behind(const Touch *t, const Stamp *write) {
  FOR_LANES(lane, t->active) {
    const Stamp now = {.thread = (uint16_t)(warp_stamp(t->warp, lane) + 1)};
    if (is_ordered(t, write, &now)) return true;
  }
  return false;
}

static void fence_cell(const Touch *t, Cell *cell) {
  if (is_generic(&cell->write) && is_behind(t, &cell->write)) cell->write.proxied = true;
}

void race_proxy_fence(Warp *w, uint32_t lanes) {
  Race *race = w->block->race;
  if (!race) return;
  race_catch_up(race);
  const Touch touch = {
      .warp = w, .owner = w->block, .race = race, .order = order_view(w), .active = lanes};
  for (uint64_t word = 0; word < race->bytes / WORD + 1; word++) {
    if (!race->is_split[word]) fence_cell(&touch, &race->word[word]);
    for (uint64_t i = 0; i < WORD && race->is_split[word]; i++)
      fence_cell(&touch, &race->byte[word * WORD + i]);
  }
}

/* --- bulk copies --- */

typedef void PieceFn(void *context, uint32_t at, uint32_t bytes);

/* The box in as few pieces as may be. */
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
  Stamp stamp;
} Bulk;

static void issue_piece(void *context, uint32_t at, uint32_t bytes) {
  const Bulk *b = context;
  uint64_t offset[LANES];
  offset[b->lane] = at;
  race_access_of(b->owner, b->warp, b->insn, b->kind, 1u << b->lane, offset, bytes, NULL);
  for (uint32_t word = at / WORD; word <= (at + bytes - 1) / WORD; word++) {
    Busy *busy = &b->owner->race->busy[word];
    (*(b->kind == RACE_READ ? &busy->leaving : &busy->landing))++;
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
  race->foreign = true; /* what lands is behind no barrier */
  if (!race->busy) race->busy = calloc(race->bytes / WORD + 1, sizeof *race->busy);
  if (!race->busy) atomic_store(&owner->launch->out_of_memory, true);
  if (race->busy) for_pieces(box, issue_piece, &bulk);
}

static void set_write(Cell *cell, const Stamp *now) {
  cell->write = *now;
  cell->read[0].thread = cell->read[1].thread = 0;
}

static void land_piece(void *context, uint32_t at, uint32_t bytes) {
  const Bulk *b = context;
  Race *race = b->owner->race;
  for (uint32_t word = at / WORD; word <= (at + bytes - 1) / WORD; word++) {
    if (race->busy[word].landing) race->busy[word].landing--;
    if (!race->is_split[word]) set_write(&race->word[word], &b->stamp);
    for (uint32_t i = 0; i < WORD && race->is_split[word]; i++)
      set_write(&race->byte[word * WORD + i], &b->stamp);
  }
}

void race_bulk_land(Block *owner, const Insn *insn, const Box *box) {
  if (!owner->race || !owner->race->busy) return;
  Bulk bulk = {.owner = owner, .insn = insn};
  bulk.stamp = (Stamp){.thread = (uint16_t)(order_copy_thread(owner) + 1),
                       .proxied = true,
                       .tick = order_copy_tick(owner),
                       .pc = (int32_t)(insn - owner->program->insn)};
  for_pieces(box, land_piece, &bulk);
}

static void leave_piece(void *context, uint32_t at, uint32_t bytes) {
  const Bulk *b = context;
  Race *race = b->owner->race;
  for (uint32_t word = at / WORD; word <= (at + bytes - 1) / WORD; word++) {
    if (race->busy[word].leaving) race->busy[word].leaving--;
    if (!b->stamp.thread) continue;
    if (!race->is_split[word]) race->word[word].read[0] = b->stamp;
    for (uint32_t i = 0; i < WORD && race->is_split[word]; i++)
      race->byte[word * WORD + i].read[0] = b->stamp;
  }
}

void race_bulk_read(Warp *w, const Insn *insn, unsigned lane, const Box *box) {
  if (!w->block->race || !w->block->race->busy) return;
  Bulk bulk = {.owner = w->block};
  bulk.stamp = (Stamp){.thread = (uint16_t)(warp_stamp(w, lane) + 1),
                       .tick = order_now(w),
                       .pc = (int32_t)(insn - w->code)};
  for_pieces(box, leave_piece, &bulk);
}

void race_bulk_leave(Block *owner, const Box *box) {
  Bulk bulk = {.owner = owner};
  if (owner->race && owner->race->busy) for_pieces(box, leave_piece, &bulk);
}

/* --- the end of a block in a cluster --- */

static void check_remote(Block *block, const Stamp *stamp) {
  const uint32_t slots = (uint32_t)block->warps + 1;
  if (!stamp->thread) return;
  const uint32_t slot = (stamp->thread - 1u) / LANES, rank = slot / slots;
  if (rank == (uint32_t)block->rank) return;
  for (int i = 0; i < block->warps; i++)
    if (order_view(&block->warp[i]).clock[slot] >= stamp->tick) return;
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

static void check_cell(Block *block, const Cell *cell) {
  check_remote(block, &cell->write);
  check_remote(block, &cell->read[0]);
  check_remote(block, &cell->read[1]);
}

void race_check_remote(Block *block) {
  const Race *race = block->race;
  if (!race) return;
  for (uint64_t word = 0; word < race->bytes / WORD; word++) {
    if (!race->is_split[word]) check_cell(block, &race->word[word]);
    for (uint64_t i = 0; i < WORD && race->is_split[word]; i++)
      check_cell(block, &race->byte[word * WORD + i]);
  }
}

/* --- asynchronous copies --- */

static void set_flying(Race *race, uint32_t offset, unsigned bytes, uint16_t thread) {
  for (uint32_t word = offset / WORD; word <= (offset + bytes - 1) / WORD; word++) {
    race->flying[word] = thread;
  }
}

void race_async_issue(Warp *w, unsigned lane, uint32_t offset, unsigned bytes) {
  if (!w->block->race) return;
  race_catch_up(w->block->race);
  w->block->race->any_flying = true;
  set_flying(w->block->race, offset, bytes, (uint16_t)(warp_stamp(w, lane) + 1));
}

void race_async_done(Warp *w, uint32_t offset, unsigned bytes) {
  if (w->block->race) set_flying(w->block->race, offset, bytes, 0);
}
