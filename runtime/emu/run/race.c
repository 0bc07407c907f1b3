#include "emu/run/race.h"

#include <stdlib.h>
#include <string.h>

#include "emu/run/finding.h"

enum { WORD = 4, PARTIAL_SYNCS = 32, LOCATIONS = 1024 };

/* What an access may meet unordered: ATOMIC its like, SPINS (a look at a flag) all but PLAIN. */
typedef enum { PLAIN, VOLATILE, SPINS, ATOMIC } Strength;

/* One access: by which thread, and when by its warp's clock and count of meetings. */
typedef struct {
  uint16_t thread; /* + 1; 0: none */
  uint8_t strength;
  uint32_t clock, meeting;
  int32_t pc;
} Stamp;

typedef struct {
  Stamp write, read[2];
} Cell;

/* Meetings of a warp's lanes. Those of all lanes order everything before them; the others are kept
 * one by one, and what is older than the kept ones counts as ordered. */
typedef struct {
  uint32_t count, ordered;
  int partials;
  uint32_t mask[PARTIAL_SYNCS], at[PARTIAL_SYNCS];
} Meetings;

typedef uint32_t Clocks[MAX_WARPS];

struct Race {
  uint32_t bytes;
  Cell *word, *byte;
  uint8_t *is_split; /* per word: look at its bytes */
  uint16_t *flying;  /* per word: the thread, + 1, whose copy is in flight */
  bool any_flying;
  Clocks clock[MAX_WARPS];
  Meetings meetings[MAX_WARPS];
  bool uses_fence;
  Clocks fenced[MAX_WARPS], pending[MAX_WARPS]; /* by warp: at its last fence; observed since */
  Clocks *location; /* by hash: locations that share an entry only order more */
};

Race *race_new(uint32_t shared_bytes, bool uses_fence) {
  Race *race = calloc(1, sizeof *race);
  if (!race) return NULL;
  size_t words = shared_bytes / WORD + 1;
  race->bytes = shared_bytes;
  race->uses_fence = uses_fence;
  race->word = calloc(words, sizeof *race->word);
  race->byte = calloc(words * WORD, sizeof *race->byte);
  race->is_split = calloc(words, 1);
  race->flying = calloc(words, sizeof *race->flying);
  race->location = calloc(LOCATIONS, sizeof *race->location);
  if (race->word && race->byte && race->is_split && race->flying && race->location) return race;
  race_free(race);
  return NULL;
}

void race_free(Race *race) {
  if (!race) return;
  free(race->word);
  free(race->byte);
  free(race->is_split);
  free(race->flying);
  free(race->location);
  free(race);
}

/* --- order --- */

static void join(Clocks into, const Clocks from) {
  for (int i = 0; i < MAX_WARPS; i++) {
    if (from[i] > into[i]) into[i] = from[i];
  }
}

static void meet_all(Meetings *m) {
  m->ordered = ++m->count;
  m->partials = 0;
}

/* Stamps of earlier blocks need no erasing: every warp starts behind all of them. */
void race_start(Race *race) {
  Clocks all = {0};
  size_t words = race->bytes / WORD + 1;
  for (int i = 0; i < MAX_WARPS; i++) join(all, race->clock[i]);
  for (int i = 0; i < MAX_WARPS; i++) {
    memcpy(race->clock[i], all, sizeof all);
    race->clock[i][i]++;
    meet_all(&race->meetings[i]);
  }
  memset(race->is_split, 0, words);
  if (race->any_flying) memset(race->flying, 0, words * sizeof *race->flying);
  race->any_flying = false;
  if (!race->uses_fence) return;
  memset(race->fenced, 0, sizeof race->fenced);
  memset(race->pending, 0, sizeof race->pending);
  memset(race->location, 0, LOCATIONS * sizeof *race->location);
}

void race_warp_sync(Warp *w, uint32_t lanes) {
  Meetings *m = &w->block->race->meetings[w->index];
  if ((lanes & w->alive) == w->alive) {
    meet_all(m);
    return;
  }
  if (m->partials == PARTIAL_SYNCS) {
    m->ordered = m->at[0];
    memmove(m->mask, m->mask + 1, sizeof m->mask - sizeof *m->mask);
    memmove(m->at, m->at + 1, sizeof m->at - sizeof *m->at);
    m->partials--;
  }
  m->mask[m->partials] = lanes;
  m->at[m->partials++] = ++m->count;
}

void race_block_sync(Block *block, uint32_t syncs, uint32_t arrivals) {
  Race *race = block->race;
  Clocks all = {0};
  FOR_LANES(i, syncs | arrivals) join(all, race->clock[i]);
  FOR_LANES(i, syncs) {
    join(race->clock[i], all);
    meet_all(&race->meetings[i]);
  }
  FOR_LANES(i, syncs | arrivals) race->clock[i][i]++;
}

/* Lanes that met one another, directly or through others, since the stamp. */
static bool lanes_met(const Meetings *m, const Stamp *old, unsigned lane) {
  uint32_t reached = 1u << (old->thread - 1u) % LANES;
  if (old->meeting < m->ordered) return true;
  for (int i = 0; i < m->partials; i++) {
    if (m->at[i] > old->meeting && (m->mask[i] & reached)) reached |= m->mask[i];
  }
  return reached >> lane & 1;
}

static bool is_ordered(const Race *race, const Stamp *old, const Stamp *now) {
  if (!old->thread || old->thread == now->thread) return true;
  unsigned warp = (now->thread - 1u) / LANES, other = (old->thread - 1u) / LANES;
  if (warp != other) return race->clock[warp][other] >= old->clock;
  return lanes_met(&race->meetings[warp], old, (now->thread - 1u) % LANES);
}

/* --- accesses --- */

typedef struct {
  Warp *warp;
  Race *race;
  const Insn *insn;
  RaceKind kind;
  uint32_t active;
  const uint64_t *offset;
  unsigned bytes;
  const uint8_t *const *value;
  Stamp now;
} Touch;

static const char *const did[] = {"reads", "writes", "updates"};

static void report(const Touch *t, const Stamp *old, const char *other_did, uint64_t at) {
  Block *block = t->warp->block;
  uint32_t xyz[3];
  if (!finding_add(block, EMU_RACE, t->insn, t->now.thread - 1u, 1)) return;
  block_thread(block, old->thread - 1u, xyz);
  SourceLoc source = insn_source(block->program, &block->program->insn[old->pc]);
  finding_describe(
      block, "%s shared byte 0x%llx that thread (%u, %u, %u) %s at line %d, no barrier between",
      did[t->kind], (unsigned long long)at, xyz[0], xyz[1], xyz[2], other_did, source.line);
}

/* What a lane of this very instruction writes to the byte, or what memory holds. */
static const uint8_t *byte_of_writer(const Touch *t, const Stamp *old, uint64_t at) {
  unsigned lane = (old->thread - 1u) % LANES;
  bool this_warp = (old->thread - 1u) / LANES == (uint32_t)t->warp->index;
  if (this_warp && old->pc == t->now.pc && old->meeting == t->now.meeting &&
      (t->active >> lane & 1) && at - t->offset[lane] < t->bytes) {
    return t->value[lane] + (at - t->offset[lane]);
  }
  return t->warp->block->shared + at;
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

static void touch_cell(Touch *t, Cell *cell, unsigned lane, uint64_t at, unsigned bytes) {
  const Stamp *now = &t->now;
  if (!is_quiet(now, &cell->write) && !is_ordered(t->race, &cell->write, now) &&
      !(t->kind == RACE_WRITE && same_value(t, &cell->write, lane, at, bytes))) {
    report(t, &cell->write, cell->write.strength == ATOMIC ? "updates" : "writes", at);
  }
  if (t->kind == RACE_READ) {
    bool first = cell->read[0].thread == now->thread || is_ordered(t->race, &cell->read[0], now);
    cell->read[first ? 0 : 1] = *now;
    return;
  }
  for (int i = 0; i < 2; i++) {
    const Stamp *read = &cell->read[i];
    if (!is_quiet(now, read) && !is_ordered(t->race, read, now)) {
      report(t, read, "reads", at);
    }
    cell->read[i].thread = 0;
  }
  cell->write = *now;
}

static void split_word(Race *race, uint64_t word) {
  if (race->is_split[word]) return;
  race->is_split[word] = 1;
  for (int i = 0; i < WORD; i++) race->byte[word * WORD + (uint64_t)i] = race->word[word];
}

static void touch_lane(Touch *t, unsigned lane) {
  Race *race = t->race;
  uint64_t at = t->offset[lane], end = at + t->bytes;
  t->now.thread = (uint16_t)(warp_thread(t->warp, lane) + 1);
  while (at < end) {
    uint64_t word = at / WORD;
    bool whole = at % WORD == 0 && end - at >= WORD;
    if (!whole) split_word(race, word);
    if (race->flying[word] && race->any_flying) {
      Stamp copy = {.thread = race->flying[word], .pc = t->now.pc};
      report(t, &copy, "still copies by cp.async", at);
    }
    unsigned step = race->is_split[word] ? 1 : WORD;
    touch_cell(t, race->is_split[word] ? &race->byte[at] : &race->word[word], lane, at, step);
    at += step;
  }
}

void race_access(Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                 const uint64_t offset[LANES], unsigned bytes, const uint8_t *const value[LANES]) {
  Race *race = w->block->race;
  Touch touch = {w, race, insn, kind, active, offset, bytes, value, {0}};
  touch.now.strength = (uint8_t)strength_of(&insn->memory, kind);
  touch.now.clock = race->clock[w->index][w->index];
  touch.now.meeting = race->meetings[w->index].count;
  touch.now.pc = (int32_t)(insn - w->code);
  FOR_LANES(lane, active) touch_lane(&touch, lane);
}

/* --- asynchronous copies --- */

static void set_flying(Race *race, uint32_t offset, unsigned bytes, uint16_t thread) {
  for (uint32_t word = offset / WORD; word <= (offset + bytes - 1) / WORD; word++) {
    race->flying[word] = thread;
  }
}

void race_async_issue(Warp *w, unsigned lane, uint32_t offset, unsigned bytes) {
  w->block->race->any_flying = true;
  set_flying(w->block->race, offset, bytes, (uint16_t)(warp_thread(w, lane) + 1));
}

void race_async_done(Warp *w, uint32_t offset, unsigned bytes) {
  set_flying(w->block->race, offset, bytes, 0);
}

/* --- fences --- */

static Clocks *location_of(Race *race, uint64_t location) {
  return &race->location[location * 0x9E3779B97F4A7C15ull >> 54];
}

void race_fence(Warp *w) {
  Race *race = w->block->race;
  uint32_t *clock = race->clock[w->index];
  join(clock, race->pending[w->index]);
  memcpy(race->fenced[w->index], clock, sizeof(Clocks));
  clock[w->index]++;
  meet_all(&race->meetings[w->index]);
}

void race_publish(Warp *w, uint64_t location, bool release) {
  Race *race = w->block->race;
  if (!race->uses_fence) return;
  if (release) race_fence(w);
  join(*location_of(race, location), race->fenced[w->index]);
}

void race_observe(Warp *w, uint64_t location, bool acquire) {
  Race *race = w->block->race;
  if (!race->uses_fence) return;
  join(race->pending[w->index], *location_of(race, location));
  if (!acquire) return;
  join(race->clock[w->index], race->pending[w->index]);
  meet_all(&race->meetings[w->index]);
}
