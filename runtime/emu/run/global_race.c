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
  EmuMemory *memory;
  Shadow *shadow;
  KnownPool *pool; /* NULL: the program orders no blocks */
};

GlobalRace *global_race_new(const Launch *launch, int workers) {
  GlobalRace *race = calloc(1, sizeof *race);
  if (!race) return NULL;
  const uint32_t *size = launch->config->block;
  const uint32_t threads = size[0] * size[1] * size[2];
  const bool ordered = launch->program->uses_fence && launch->blocks > 1;
  race->memory = launch->memory;
  race->shadow = shadow_new(launch->memory, heap_base(launch->heap), workers == 1);
  if (ordered) race->pool = known_pool_new(launch->blocks, (int)((threads + LANES - 1) / LANES));
  if (race->shadow && (race->pool || !ordered)) return race;
  global_race_free(race);
  return NULL;
}

void global_race_free(GlobalRace *race) {
  if (!race) return;
  shadow_free(race->shadow, race->memory);
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
  uint32_t active;
  bool is_row;        /* the lanes, all of them, lie one behind the other */
  const uint64_t *at; /* addresses of the lanes */
  unsigned bytes, piece;
  const uint8_t *const *value; /* of a write */
  uint8_t *const *host;        /* where it goes */
  Stamp now;                   /* of lane 0 */
  OrderView order;
  Shadow *shadow;
  ShadowPage *page; /* locked, or NULL */
  Mark mark;        /* of lane 0 there */
} Touch;

static Strength strength_of(const MemoryOp *op, RaceKind kind) {
  const bool strong = kind == RACE_ATOMIC || op->strong || op->polls || op->spins || op->guess;
  return !strong ? PLAIN : op->of_block ? STRONG_IN_BLOCK : STRONG;
}

static Touch touch_new(Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                       const uint64_t at[LANES], unsigned bytes) {
  Touch t = {.warp = w, .insn = insn, .kind = kind, .active = active, .at = at, .bytes = bytes};
  t.shadow = w->block->launch->global_race->shadow;
  t.order = order_view(w);
  t.now.block = (uint32_t)w->block->number & ((1u << SHADOW_BLOCK_BITS) - 1);
  t.now.step = (uint32_t)__builtin_ctz(bytes) & 7;
  t.now.tick = order_now(w);
  t.now.thread = warp_thread(w, 0) & ((1u << SHADOW_THREAD_BITS) - 1);
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
    const uint64_t from = at - t->at[lane];
    const uint64_t rest = t->bytes - from, n = end - at < rest ? end - at : rest;
    if (memcmp(t->host[lane] + from, t->value[lane] + from, (size_t)n) != 0) return false;
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

/* --- units --- */

/* The marks of a unit, which the lanes from `lane` on touch. */
static void set_marks(const Touch *t, MarkKind kind, unsigned lane, uint64_t at, unsigned unit) {
  Mark *marks = shadow_marks(t->page, kind, at);
  marks[0] = t->mark + lane;
  for (unsigned i = SHADOW_WORD; i < unit; i += SHADOW_WORD)
    marks[i / SHADOW_WORD] = t->mark + lane + (i >> t->now.step);
  t->page->any_write |= kind == MARK_WRITE;
  t->page->any_second |= kind == MARK_SECOND_READ;
}

static void clear_marks(const Touch *t, MarkKind kind, uint64_t at, unsigned unit) {
  Mark *marks = shadow_marks(t->page, kind, at);
  marks[0] = 0;
  for (unsigned i = SHADOW_WORD; i < unit; i += SHADOW_WORD) marks[i / SHADOW_WORD] = 0;
}

/* Readers of two blocks, or else of two threads, are kept: nobody else can write without a race
 * with one of them. What is ordered before a new reader needs no keeping. */
static MarkKind kind_of_read(const Touch *t, const Cell *cell, const Stamp *now) {
  for (int i = 0; i < 2; i++)
    if (!cell->read[i].tick || is_ordered(t, &cell->read[i], now)) return MARK_READ + (MarkKind)i;
  const bool one_block = cell->read[0].block == cell->read[1].block;
  return !one_block && cell->read[0].block == now->block ? MARK_READ : MARK_SECOND_READ;
}

static bool tests(const Touch *t, const Stamp *load, const Stamp *store) {
  return insn_tests(t->warp->block->program, load->pc, store->pc);
}

/* The lanes from `lane` on touch a unit. */
static void touch_unit(const Touch *t, unsigned lane, uint64_t at, unsigned unit) {
  const Cell cell = shadow_cell(t->page, at);
  const Stamp now = stamp_of(t, lane);
  const Side second = {now, t->kind == RACE_READ};
  if (conflicts(t, &cell.write, &now) && !changes_nothing(t, lane, at, unit) &&
      !(second.reads && tests(t, &now, &cell.write)))
    report(t, (Side){cell.write, false}, second, at);
  if (t->kind == RACE_READ) {
    set_marks(t, kind_of_read(t, &cell, &now), lane, at, unit);
    return;
  }
  for (int i = 0; i < 2; i++) {
    if (!cell.read[i].tick) continue;
    if (conflicts(t, &cell.read[i], &now) && !tests(t, &cell.read[i], &now))
      report(t, (Side){cell.read[i], true}, second, at);
    clear_marks(t, MARK_READ + (MarkKind)i, at, unit);
  }
  set_marks(t, MARK_WRITE, lane, at, unit);
}

/* --- sectors --- */

/* False if the address is not watched. */
static bool lock_page(Touch *t, uint64_t address) {
  if (t->page && shadow_holds(t->page, address)) return true;
  shadow_unlock(t->shadow, t->page);
  t->page = shadow_lock(t->shadow, address);
  t->mark = t->page ? shadow_mark(t->shadow, t->page, t->now) : 0;
  if (t->mark) return true;
  shadow_unlock(t->shadow, t->page);
  t->page = NULL;
  return false;
}

static void store_lane(const Touch *t, unsigned lane) {
  if (t->value) element_copy(t->host[lane], t->value[lane], t->bytes, t->piece);
}

static void touch_lane(Touch *t, unsigned lane) {
  const uint64_t first = t->at[lane];
  const unsigned least = t->bytes % SHADOW_WORD ? 1 : SHADOW_WORD;
  if (lock_page(t, first) && shadow_split(t->shadow, t->page, first, least)) {
    const unsigned unit = shadow_unit(t->page, first);
    for (uint64_t at = first; at < first + t->bytes; at += unit) touch_unit(t, lane, at, unit);
  }
  store_lane(t, lane);
}

/* Whether the lanes from `lane` on touch a whole sector in their order. */
static bool is_sector(const Touch *t, unsigned lane, unsigned lanes) {
  const uint64_t first = t->at[lane];
  if (first % SHADOW_SECTOR || lane + lanes > LANES) return false;
  uint64_t differ = ~(uint64_t)t->active >> lane & ((1ull << lanes) - 1);
  for (unsigned i = 1; i < lanes; i++) differ |= t->at[lane + i] ^ (first + (uint64_t)i * t->bytes);
  return !differ;
}

/* Whether one answer holds for all bytes of a sector: of another warp, or of the same threads. */
static bool is_uniform(const Touch *t, uint64_t sector, unsigned lane) {
  const bool any[MARKS] = {t->page->any_write, true, t->page->any_second};
  for (MarkKind kind = 0; kind < MARKS; kind++) {
    const Mark mark = any[kind] ? *shadow_marks(t->page, kind, sector) : 0;
    const Stamp *old = mark ? shadow_record(t->page, mark) : NULL;
    if (old && old->block == t->now.block && old->thread == t->now.thread &&
        ((mark & MARK_LANE) != lane || old->step != t->now.step))
      return false;
  }
  return true;
}

static bool touch_whole(Touch *t, unsigned lane) {
  const uint64_t at = t->at[lane];
  if (!lock_page(t, at) || shadow_unit(t->page, at) != SHADOW_SECTOR || !is_uniform(t, at, lane))
    return false;
  touch_unit(t, lane, at, SHADOW_SECTOR);
  return true;
}

/* --- rows: words of lanes that lie one behind the other --- */

typedef struct {
  uint64_t at;
  unsigned lane, lanes, words;
  unsigned shift; /* the logarithm of a lane's words */
} Row;

/* From `lane` on, on one page. */
static Row row_from(const Touch *t, unsigned lane) {
  const uint64_t at = t->at[lane];
  const unsigned room = (unsigned)((SHADOW_PAGE - at % SHADOW_PAGE) / t->bytes);
  unsigned lanes = 1;
  if (t->is_row) lanes = LANES - lane < room ? LANES - lane : room;
  while (!t->is_row && lane + lanes < LANES && lanes < room && t->active >> (lane + lanes) & 1 &&
         t->at[lane + lanes] == at + (uint64_t)lanes * t->bytes)
    lanes++;
  return (Row){at, lane, lanes, lanes * t->bytes / SHADOW_WORD, t->now.step - 2u};
}

static bool any_mark(const Mark *mark, unsigned words) {
  Mark any = 0;
  for (unsigned i = 0; i < words; i++) any |= mark[i];
  return any;
}

/* Sectors that the row touches in part, or that no one answer holds for, are no longer judged as a
 * whole; false if it takes smaller units than words. */
static bool part_sectors(const Touch *t, const Row *row) {
  const uint64_t end = row->at + row->words * SHADOW_WORD;
  if (t->page->byte) return false;
  for (uint64_t at = row->at / SHADOW_SECTOR * SHADOW_SECTOR; at < end; at += SHADOW_SECTOR) {
    if (shadow_unit(t->page, at) != SHADOW_SECTOR) continue;
    const bool covered = at >= row->at && end - at >= SHADOW_SECTOR;
    const unsigned lane = row->lane + (unsigned)((at - row->at) >> t->now.step);
    if (covered && is_uniform(t, at, lane)) continue;
    if (!shadow_split(t->shadow, t->page, at, SHADOW_WORD) || t->page->byte) return false;
  }
  return true;
}

/* Whether a reader is ordered before the access: by lane, where they are lanes of one warp. */
typedef enum { KEPT, ORDERED, BY_LANE } Standing;

/* In a program in which nothing but barriers orders threads. */
static Standing standing_of(const Touch *t, Mark mark) {
  if (mark <= MARK_LANE) return ORDERED;
  const Stamp *old = shadow_record(t->page, mark);
  if (old->block != t->now.block) return KEPT;
  const unsigned slot = (unsigned)t->warp->block->first_slot + old->thread / LANES;
  if (slot != (unsigned)t->warp->slot) return t->order.clock[slot] >= old->tick ? ORDERED : KEPT;
  return old->tick < t->order.meeting ? ORDERED : BY_LANE;
}

static bool gives_way(const Touch *t, Standing standing, Mark old, Mark now) {
  if (standing != BY_LANE) return standing == ORDERED;
  if ((old & MARK_LANE) == (now & MARK_LANE)) return true;
  const uint32_t first = warp_stamp(t->warp, 0);
  return t->order.lanes_met &&
         order_within(t->warp->block->order, first + (old & MARK_LANE),
                      shadow_record(t->page, old)->tick, first + (now & MARK_LANE));
}

/* Whether a word's mark goes to its first place, where neither says so for all words alike. */
static bool goes_first(const Touch *t, const Standing standing[2], const Mark old[2], Mark now) {
  if (gives_way(t, standing[0], old[0], now)) return true;
  if (gives_way(t, standing[1], old[1], now)) return false;
  const uint32_t block = shadow_record(t->page, old[0])->block;
  return block == t->now.block && block != shadow_record(t->page, old[1])->block;
}

/* Words [from, end) of a row, whose two readers have the same records each: as kind_of_read says
 * of each. */
static void note_alike(Touch *t, const Row *row, Mark *read, Mark *second, unsigned from,
                       unsigned end) {
  const Mark old[2] = {read[from], t->page->any_second ? second[from] : 0};
  const Standing standing[2] = {standing_of(t, old[0]), standing_of(t, old[1])};
  const bool by_lane = standing[0] == BY_LANE || (standing[0] == KEPT && standing[1] == BY_LANE);
  const bool first = !by_lane && goes_first(t, standing, old, 0);
  const Mark mark = t->mark + row->lane;
  t->page->any_second |= !first;
  for (unsigned i = from; i < end && by_lane; i++) {
    const Mark now = mark + (i >> row->shift), of[2] = {read[i], second[i]};
    *(goes_first(t, standing, of, now) ? &read[i] : &second[i]) = now;
  }
  Mark *to = first ? read : second;
  for (unsigned i = from; i < end && !by_lane; i++) to[i] = mark + (i >> row->shift);
}

static void note_reads(Touch *t, const Row *row) {
  const uint64_t word = row->at % SHADOW_PAGE / SHADOW_WORD;
  Mark *read = &t->page->word[MARK_READ][word], *second = &t->page->word[MARK_SECOND_READ][word];
  for (unsigned i = 0, end; i < row->words; i = end) {
    const bool two = t->page->any_second;
    for (end = i + 1; end < row->words; end++)
      if (((read[end] ^ read[i]) | (two ? second[end] ^ second[i] : 0)) > MARK_LANE) break;
    note_alike(t, row, read, second, i, end);
  }
}

/* Reads of what nobody has written yet, in a program in which nothing but barriers orders threads,
 * and those of a block alone: they race with nothing. False for others. */
static bool read_row(Touch *t, const Row *row) {
  const Block *block = t->warp->block;
  if (block->launch->global_race->pool || block->cluster->blocks > 1) return false;
  if (!lock_page(t, row->at)) return true;
  const Mark *write = &t->page->word[MARK_WRITE][row->at % SHADOW_PAGE / SHADOW_WORD];
  if (t->page->any_write && any_mark(write, row->words)) return false;
  if (!part_sectors(t, row)) return false;
  note_reads(t, row);
  return true;
}

/* Writes of what nobody has touched yet. False for others. */
static bool write_row(Touch *t, const Row *row) {
  if (lock_page(t, row->at)) {
    const uint64_t word = row->at % SHADOW_PAGE / SHADOW_WORD;
    const bool any[MARKS] = {t->page->any_write, true, t->page->any_second};
    for (MarkKind kind = 0; kind < MARKS; kind++)
      if (any[kind] && any_mark(&t->page->word[kind][word], row->words)) return false;
    if (!part_sectors(t, row)) return false;
    Mark *write = &t->page->word[MARK_WRITE][word];
    t->page->any_write = true;
    for (unsigned i = 0; i < row->words; i++) write[i] = t->mark + row->lane + (i >> row->shift);
  }
  for (unsigned i = 0; i < row->lanes; i++) store_lane(t, row->lane + i);
  return true;
}

static bool touch_row(Touch *t, const Row *row) {
  return t->kind == RACE_READ ? read_row(t, row) : write_row(t, row);
}

/* --- all lanes --- */

/* Of lanes that read one place the first and the last are enough. */
static bool is_amid(const Touch *t, unsigned lane) {
  const uint64_t *at = t->at;
  return t->kind == RACE_READ && lane && lane + 1 < LANES && at[lane] == at[lane - 1] &&
         at[lane] == at[lane + 1] && (t->active >> (lane - 1) & 7) == 7;
}

static void touch_all(Touch *t) {
  const unsigned lanes = SHADOW_SECTOR / t->bytes;
  unsigned tried = 0; /* as rows, up to there */
  for (unsigned lane = 0; lane < LANES; lane++) {
    if (!(t->active >> lane & 1) || is_amid(t, lane)) continue;
    if (lane >= tried && t->bytes % SHADOW_WORD == 0 && t->at[lane] % t->bytes == 0) {
      const Row row = row_from(t, lane);
      tried = lane + row.lanes;
      if (touch_row(t, &row)) {
        lane = tried - 1;
        continue;
      }
    }
    if (is_sector(t, lane, lanes) && touch_whole(t, lane)) {
      for (unsigned i = 0; i < lanes && t->value; i++) store_lane(t, lane + i);
      lane += lanes - 1;
    } else {
      touch_lane(t, lane);
    }
  }
  shadow_unlock(t->shadow, t->page);
}

/* --- for others --- */

void global_race_fetch(const GlobalRace *race, uint64_t address) {
  shadow_fetch(race->shadow, address);
}

void global_race_read(Warp *w, const Insn *insn, uint32_t active, const uint64_t at[LANES],
                      unsigned bytes, bool is_row) {
  Touch t = touch_new(w, insn, RACE_READ, active, at, bytes);
  t.is_row = is_row && active == ALL_LANES;
  touch_all(&t);
}

void global_race_access(Warp *w, const Insn *insn, RaceKind kind, const Resolved *access,
                        unsigned bytes) {
  Touch t = touch_new(w, insn, kind, access->global, access->offset, bytes);
  touch_all(&t);
}

void global_race_write(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes,
                       unsigned piece, const uint8_t *const value[LANES]) {
  Touch t = touch_new(w, insn, RACE_WRITE, access->global, access->offset, bytes);
  t.piece = piece;
  t.value = value;
  t.host = access->host;
  touch_all(&t);
}
