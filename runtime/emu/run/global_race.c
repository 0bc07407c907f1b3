#include "emu/run/global_race.h"

#include <stdlib.h>
#include <string.h>

#include "emu/memory/element.h"
#include "emu/run/finding.h"
#include "emu/run/order.h"
#include "emu/run/shadow.h"

/* What an access may meet unordered: a strong one its like, that of the block's scope only within
 * its block. */
typedef enum { PLAIN, STRONG_IN_BLOCK, STRONG } Strength;

struct GlobalRace {
  Shadow *shadow;
  KnownPool *pool; /* NULL: the program orders no blocks */
};

GlobalRace *global_race_new(const Launch *launch, int workers) {
  GlobalRace *race = calloc(1, sizeof *race);
  if (!race) return NULL;
  const uint32_t *size = launch->config->block;
  const uint32_t threads = size[0] * size[1] * size[2];
  const bool ordered = launch->program->uses_fence && launch->blocks > 1;
  race->shadow = shadow_new(launch->memory, heap_base(launch->heap), workers == 1);
  if (ordered) race->pool = known_pool_new(launch->blocks, (int)((threads + LANES - 1) / LANES));
  if (race->shadow && (race->pool || !ordered)) return race;
  global_race_free(race);
  return NULL;
}

void global_race_free(GlobalRace *race) {
  if (!race) return;
  shadow_free(race->shadow);
  known_pool_free(race->pool);
  free(race);
}

bool global_race_fits(const Program *program, uint64_t blocks) {
  return blocks <= 1ull << SHADOW_BLOCK_BITS && program->count <= 1 << SHADOW_PC_BITS;
}

KnownPool *global_race_pool(GlobalRace *race) { return race ? race->pool : NULL; }

/* --- one access --- */

typedef struct {
  Warp *warp;
  const Insn *insn;
  RaceKind kind;
  const Resolved *access;
  unsigned bytes, piece;
  const uint8_t *const *value; /* of a write */
  Stamp now;                   /* but for the thread */
  OrderView order;
  ShadowPage *page; /* locked, or NULL */
} Touch;

static Strength strength_of(const MemoryOp *op, RaceKind kind) {
  const bool strong = kind == RACE_ATOMIC || op->strong || op->polls || op->spins || op->guess;
  return !strong ? PLAIN : op->of_block ? STRONG_IN_BLOCK : STRONG;
}

static Touch touch_new(Warp *w, const Insn *insn, RaceKind kind, const Resolved *access,
                       unsigned bytes) {
  Touch t = {.warp = w, .insn = insn, .kind = kind, .access = access, .bytes = bytes};
  t.order = order_view(w);
  t.now.block = (uint32_t)w->block->number & ((1u << SHADOW_BLOCK_BITS) - 1);
  t.now.step = (uint32_t)__builtin_ctz(bytes) & 7;
  t.now.tick = order_now(w);
  t.now.pc = (uint32_t)(insn - w->code) & ((1u << SHADOW_PC_BITS) - 1);
  t.now.strength = (uint32_t)strength_of(&insn->memory, kind) & 3;
  return t;
}

static Stamp stamp_of(const Touch *t, unsigned lane) {
  Stamp now = t->now;
  now.thread = warp_thread(t->warp, lane) & ((1u << SHADOW_THREAD_BITS) - 1);
  return now;
}

static bool is_ordered(const Touch *t, const Stamp *old, const Stamp *now) {
  const unsigned warp = old->thread / LANES;
  const Block *block = t->warp->block;
  const uint32_t blocks = (uint32_t)block->cluster->blocks;
  if (old->block != now->block && old->block / blocks == now->block / blocks) {
    const Block *other = block->cluster->block[old->block % blocks];
    return t->order.clock[(unsigned)other->first_slot + warp] >= old->tick;
  }
  if (old->block != now->block) return order_between(t->warp, old->block, warp, old->tick);
  if (old->thread == now->thread) return true;
  const unsigned slot = (unsigned)t->warp->block->first_slot + warp, base = slot - warp;
  if (slot != (unsigned)t->warp->slot) return t->order.clock[slot] >= old->tick;
  return order_within(t->warp->block->order, base * LANES + old->thread, old->tick,
                      base * LANES + now->thread);
}

static bool is_quiet(const Stamp *a, const Stamp *b) {
  return a->strength && b->strength &&
         (a->block == b->block || (a->strength == STRONG && b->strength == STRONG));
}

static bool conflicts(const Touch *t, const Stamp *old, const Stamp *now) {
  return old->tick && !is_quiet(old, now) && !is_ordered(t, old, now);
}

/* Whether memory holds already what the lanes from `lane` on write from `at` on. */
static bool changes_nothing(const Touch *t, unsigned lane, uint64_t at, unsigned bytes) {
  if (!t->value) return false;
  const uint64_t end = at + bytes;
  for (; at < end; lane++) {
    const uint64_t from = at - t->access->offset[lane];
    const uint64_t rest = t->bytes - from, n = end - at < rest ? end - at : rest;
    if (memcmp(t->access->host[lane] + from, t->value[lane] + from, (size_t)n) != 0) return false;
    at += n;
  }
  return true;
}

/* --- reports --- */

typedef struct {
  Stamp at;
  bool reads;
} Side;

static const char *did(const Program *p, const Side *side) {
  static const char *const stores[] = {"st", "sust", "wmma"};
  const char *opcode = p->insn[side->at.pc].statement->opcode;
  if (side->reads) return "reads";
  for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
    if (strncmp(opcode, stores[i], strlen(stores[i])) == 0) return "writes";
  return "updates";
}

/* Which of two blocks comes second is chance: the report stands at the write, of two writes at the
 * later instruction. */
static bool is_told_at_first(const Side *first, const Side *second) {
  if (first->at.block == second->at.block) return false;
  return second->reads || (!first->reads && first->at.pc > second->at.pc);
}

static const char *missing(const Stamp *a, const Stamp *b) {
  if (a->block != b->block) return "nothing orders the blocks";
  return a->thread / LANES == b->thread / LANES && a->pc != b->pc
             ? "no barrier between: lanes of one warp need __syncwarp()"
             : "no barrier between";
}

static void report(const Touch *t, Side first, Side second, uint64_t at) {
  Block *block = t->warp->block;
  const Program *p = block->program;
  const bool swap = is_told_at_first(&first, &second);
  const Side *told = swap ? &first : &second, *other = swap ? &second : &first;
  uint32_t thread[3], index[3];
  const int line = insn_source(p, &p->insn[other->at.pc]).line;
  const bool is_first =
      finding_add_at(block, EMU_RACE, &p->insn[told->at.pc], told->at.block, told->at.thread, 1);
  finding_meets(block, &p->insn[told->at.pc], line);
  if (!is_first) return;
  const Buffer *buffer = memory_find(block->launch->memory, at);
  block_thread(block, other->at.thread, thread);
  block_index(block->launch, other->at.block, index);
  finding_describe(block,
                   "%s byte %llu of buffer %s that thread (%u, %u, %u) of block (%u, %u, %u) %s at "
                   "line %d, %s",
                   did(p, told), (unsigned long long)(buffer ? at - buffer->base : at),
                   buffer ? buffer->name : "?", thread[0], thread[1], thread[2], index[0], index[1],
                   index[2], did(p, other), line, missing(&first.at, &second.at));
}

/* --- cells --- */

/* Readers of two blocks, or else of two threads, are kept: nobody else can write without a race
 * with one of them. What is ordered before a new reader needs no keeping. */
static void note_read(const Touch *t, Cell *cell, const Stamp *now) {
  for (int i = 0; i < 2; i++) {
    if (cell->read[i].tick && !is_ordered(t, &cell->read[i], now)) continue;
    cell->read[i] = *now;
    return;
  }
  const bool one_block = cell->read[0].block == cell->read[1].block;
  cell->read[!one_block && cell->read[0].block == now->block ? 0 : 1] = *now;
}

static bool tests(const Touch *t, const Stamp *load, const Stamp *store) {
  return insn_tests(t->warp->block->program, load->pc, store->pc);
}

/* The lanes from `lane` on touch `bytes` bytes, which the cell stands for. */
static void touch_cell(const Touch *t, Cell *cell, unsigned lane, uint64_t at, unsigned bytes) {
  Stamp now = stamp_of(t, lane);
  const Side second = {now, t->kind == RACE_READ};
  if (conflicts(t, &cell->write, &now) && !changes_nothing(t, lane, at, bytes) &&
      !(second.reads && tests(t, &now, &cell->write)))
    report(t, (Side){cell->write, false}, second, at);
  if (t->kind == RACE_READ) {
    note_read(t, cell, &now);
    return;
  }
  for (int i = 0; i < 2; i++) {
    if (conflicts(t, &cell->read[i], &now) && !tests(t, &cell->read[i], &now))
      report(t, (Side){cell->read[i], true}, second, at);
    cell->read[i].tick = 0;
  }
  cell->write = now;
}

/* --- sectors --- */

static bool lock_page(Touch *t, uint64_t address) {
  Shadow *shadow = t->warp->block->launch->global_race->shadow;
  if (t->page && shadow_holds(t->page, address)) return true;
  shadow_unlock(shadow, t->page);
  t->page = shadow_lock(shadow, address);
  return t->page != NULL;
}

static void store_lane(const Touch *t, unsigned lane) {
  if (t->value) element_copy(t->access->host[lane], t->value[lane], t->bytes, t->piece);
}

/* A read of what nobody has written yet, in a program that orders no blocks. */
static bool note_first_read(const Touch *t, Cell *cell, const Stamp *now) {
  if (cell->write.tick) return false;
  for (int i = 0; i < 2; i++) {
    const Stamp *read = &cell->read[i];
    if (read->tick && (read->block != now->block || !is_ordered(t, read, now))) continue;
    cell->read[i] = *now;
    return true;
  }
  const bool one_block = cell->read[0].block == cell->read[1].block;
  cell->read[!one_block && cell->read[0].block == now->block ? 0 : 1] = *now;
  return true;
}

/* Lanes that read a word of one sector each, one behind the other, from `lane` on: returns the last
 * one. */
static unsigned read_words(Touch *t, unsigned lane) {
  Shadow *shadow = t->warp->block->launch->global_race->shadow;
  const uint64_t *at = t->access->offset;
  Sector *s = lock_page(t, at[lane]) ? shadow_sector(t->page, at[lane]) : NULL;
  if (s && !shadow_split(shadow, s, SHADOW_WORD)) s = NULL;
  for (;; lane++) {
    const Stamp now = stamp_of(t, lane);
    for (unsigned part = 0; s && part < SHADOW_WORD; part += s->cells->unit) {
      Cell *cell = &s->cells->cell[(at[lane] + part) % SHADOW_SECTOR / s->cells->unit];
      if (!note_first_read(t, cell, &now))
        touch_cell(t, cell, lane, at[lane] + part, s->cells->unit);
    }
    if (lane + 1 == LANES || (t->access->global >> lane & 3) != 3) return lane;
    if (at[lane + 1] != at[lane] + SHADOW_WORD || at[lane + 1] % SHADOW_SECTOR == 0) return lane;
  }
}

/* Nothing but barriers orders threads, and those of a block alone. */
static bool is_plain_read(const Touch *t) {
  const Block *block = t->warp->block;
  return t->kind == RACE_READ && t->bytes == SHADOW_WORD && !block->launch->global_race->pool &&
         block->cluster->blocks == 1;
}

static void touch_lane(Touch *t, unsigned lane) {
  Shadow *shadow = t->warp->block->launch->global_race->shadow;
  const uint64_t first = t->access->offset[lane];
  Sector *s = lock_page(t, first) ? shadow_sector(t->page, first) : NULL;
  if (s && shadow_split(shadow, s, t->bytes % SHADOW_WORD ? 1 : SHADOW_WORD)) {
    const unsigned unit = s->cells->unit;
    for (uint64_t at = first; at < first + t->bytes; at += unit)
      touch_cell(t, &s->cells->cell[at % SHADOW_SECTOR / unit], lane, at, unit);
  }
  store_lane(t, lane);
}

/* Whether the lanes from `lane` on touch a whole sector in their order. */
static bool is_sector(const Touch *t, unsigned lane, unsigned lanes) {
  const uint64_t first = t->access->offset[lane];
  if (first % SHADOW_SECTOR || lane + lanes > LANES) return false;
  uint64_t differ = ~(uint64_t)t->access->global >> lane & ((1ull << lanes) - 1);
  for (unsigned i = 1; i < lanes; i++)
    differ |= t->access->offset[lane + i] ^ (first + (uint64_t)i * t->bytes);
  return !differ;
}

/* Whether one answer holds for all bytes: of another warp, or of the same threads. */
static bool is_uniform(const Stamp *old, const Stamp *now) {
  return !old->tick || old->block != now->block || old->thread / LANES != now->thread / LANES ||
         (old->thread == now->thread && old->step == now->step);
}

static bool touch_whole(Touch *t, unsigned lane) {
  if (!lock_page(t, t->access->offset[lane])) return false;
  Sector *s = shadow_sector(t->page, t->access->offset[lane]);
  const Stamp now = stamp_of(t, lane);
  if (s->cells || !is_uniform(&s->whole.write, &now) || !is_uniform(&s->whole.read[0], &now) ||
      !is_uniform(&s->whole.read[1], &now))
    return false;
  touch_cell(t, &s->whole, lane, t->access->offset[lane], SHADOW_SECTOR);
  return true;
}

/* Of lanes that read one place the first and the last are enough. */
static bool is_amid(const Touch *t, unsigned lane) {
  const uint64_t *at = t->access->offset;
  return t->kind == RACE_READ && lane && lane + 1 < LANES && at[lane] == at[lane - 1] &&
         at[lane] == at[lane + 1] && (t->access->global >> (lane - 1) & 7) == 7;
}

/* Whether all lanes touch bytes one behind the other, from a sector's first on. */
static bool is_row(const Touch *t) {
  const uint64_t *at = t->access->offset;
  uint64_t differ = at[0] % SHADOW_SECTOR;
  for (unsigned lane = 0; lane < LANES; lane++) differ |= at[lane] ^ (at[0] + lane * t->bytes);
  return t->access->global == ALL_LANES && !differ;
}

static void touch_all(Touch *t) {
  const unsigned lanes = SHADOW_SECTOR / t->bytes;
  const bool row = is_row(t), words = is_plain_read(t);
  for (unsigned lane = 0; lane < LANES; lane++) {
    if (!(t->access->global >> lane & 1) || is_amid(t, lane)) continue;
    if ((row || is_sector(t, lane, lanes)) && touch_whole(t, lane)) {
      for (unsigned i = 0; i < lanes && t->value; i++) store_lane(t, lane + i);
      lane += lanes - 1;
    } else if (words) {
      lane = read_words(t, lane);
    } else {
      touch_lane(t, lane);
    }
  }
  shadow_unlock(t->warp->block->launch->global_race->shadow, t->page);
}

/* --- for others --- */

void global_race_access(Warp *w, const Insn *insn, RaceKind kind, const Resolved *access,
                        unsigned bytes) {
  Touch t = touch_new(w, insn, kind, access, bytes);
  touch_all(&t);
}

void global_race_write(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes,
                       unsigned piece, const uint8_t *const value[LANES]) {
  Touch t = touch_new(w, insn, RACE_WRITE, access, bytes);
  t.piece = piece;
  t.value = value;
  touch_all(&t);
}
