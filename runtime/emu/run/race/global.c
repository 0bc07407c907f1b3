/* SPDX-License-Identifier: MIT */
#include "emu/run/race/global.h"

#include <stdlib.h>
#include <string.h>

#include "emu/memory/heap.h"
#include "emu/run/race/core.h"
#include "emu/run/race/global_rows.h"
#include "emu/run/race/overlap.h"
#include "emu/run/state/finding.h"

/* Two strong accesses do not race with each other though nothing orders them; one of the block's
 * scope only counts as strong within its block. */
typedef enum { WEAK, STRONG_IN_BLOCK, STRONG } Strength;

struct GlobalRace {
  EmuMemory *memory;
  Shadow *shadow;
  RemoteClockPool *pool; /* NULL: the program orders no blocks */
};

GlobalRace *global_race_new(const Launch *launch, int workers) {
  GlobalRace *race = calloc(1, sizeof *race);
  if (!race) return NULL;
  const uint32_t *size = launch->config->block;
  const uint32_t threads = size[0] * size[1] * size[2];
  const bool ordered = launch->program->uses_fence && launch->blocks > 1;
  race->memory = launch->memory;
  race->shadow =
      shadow_new(launch->memory, heap_base(launch->heap), workers == 1, launch->config->race_bytes);
  if (ordered)
    race->pool = remote_clock_pool_new(launch->blocks, (int)((threads + LANES - 1) / LANES));
  if (race->shadow && (race->pool || !ordered)) return race;
  global_race_free(race);
  return NULL;
}

void global_race_free(GlobalRace *race) {
  if (!race) return;
  shadow_free(race->shadow, race->memory);
  remote_clock_pool_free(race->pool);
  free(race);
}

bool global_race_fits(const Program *program, uint64_t blocks) {
  return blocks <= 1ull << SHADOW_BLOCK_BITS && program->count <= 1 << SHADOW_PC_BITS;
}

RemoteClockPool *global_race_pool(GlobalRace *race) { return race ? race->pool : NULL; }

/* --- one access --- */

/* A call is the device runtime's copy, whose accesses are weak. */
static Strength strength_of(const Insn *insn, RaceKind kind) {
  if (insn->kind == INSN_CALL) return WEAK;
  const MemoryOp *op = &insn->memory;
  const bool strong = kind == RACE_ATOMIC || op->strong || op->polls || op->spins || op->guess;
  return !strong ? WEAK : op->scope == SCOPE_BLOCK ? STRONG_IN_BLOCK : STRONG;
}

/* The stamp of lane 0. */
static Stamp stamp_new(const Warp *w, const Insn *insn, RaceKind kind, unsigned bytes) {
  return (Stamp){.block = (uint32_t)w->block->number & ((1u << SHADOW_BLOCK_BITS) - 1),
                 .step = (uint32_t)__builtin_ctz(bytes) & 7,
                 .tick = order_now(w),
                 .thread = warp_thread(w, 0) & ((1u << SHADOW_THREAD_BITS) - 1),
                 .strength = (uint32_t)strength_of(insn, kind) & 3,
                 .pc = (uint32_t)(insn - w->code) & ((1u << SHADOW_PC_BITS) - 1)};
}

static Shadow *shadow_of(const Warp *w) { return w->block->launch->global_race->shadow; }

static bool is_lone(const Block *block) {
  return !block->launch->global_race->pool && block->cluster->blocks == 1;
}

static Stamp stamp_of(const GlobalAccess *t, unsigned lane) {
  Stamp now = t->now;
  now.thread = warp_thread(t->warp, lane) & ((1u << SHADOW_THREAD_BITS) - 1);
  return now;
}

static const char *did(const Program *p, const Stamp *stamp, bool reads) {
  static const char *const stores[] = {"st", "sust", "wmma", "call"};
  const char *opcode = p->insn[stamp->pc].statement->opcode;
  if (reads) return "reads";
  for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
    if (strncmp(opcode, stores[i], strlen(stores[i])) == 0) return "writes";
  return "updates";
}

static RacePoint point_of(const GlobalAccess *t, const Stamp *stamp, bool reads) {
  return (RacePoint){.block = stamp->block,
                     .thread = stamp->thread,
                     .tick = stamp->tick,
                     .pc = (int32_t)stamp->pc,
                     .reads = reads,
                     .strong = stamp->strength != WEAK,
                     .did = did(t->warp->block->program, stamp, reads)};
}

static RaceAccess access_at(const GlobalAccess *t, const Stamp *now, uint64_t at) {
  return (RaceAccess){t->warp, t->insn, point_of(t, now, t->kind == RACE_READ), true, at};
}

/* True if the order of warps alone shows that the two are ordered. */
static bool is_surely_ordered(const GlobalAccess *t, const Stamp *old, const Stamp *now) {
  const Block *block = t->warp->block;
  if (!old->tick) return true;
  if (old->block != now->block) return false;
  if (old->thread == now->thread) return true;
  return t->order.is_exact &&
         t->order.tick[block->first_slot + (int)(old->thread / LANES)] >= old->tick;
}

static bool is_ordered(const GlobalAccess *t, const Stamp *old, const Stamp *now) {
  if (is_surely_ordered(t, old, now)) return true;
  const RaceAccess a = access_at(t, now, 0);
  const RacePoint point = point_of(t, old, false);
  return race_is_before(&a, &point);
}

/* Whether memory already holds what the lanes from `lane` on write from `at` on. */
static bool changes_nothing(const GlobalAccess *t, unsigned lane, uint64_t at, unsigned bytes) {
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

/* --- units --- */

/* Marks a unit as touched by the lanes from `lane` on. */
static void set_marks(const GlobalAccess *t, MarkKind kind, unsigned lane, uint64_t at,
                      unsigned unit) {
  Mark *marks = shadow_marks(t->page, kind, at);
  marks[0] = t->mark + lane;
  for (unsigned i = SHADOW_WORD; i < unit; i += SHADOW_WORD)
    marks[i / SHADOW_WORD] = t->mark + lane + (i >> t->now.step);
  t->page->any_write |= kind == MARK_WRITE;
  t->page->any_second |= kind == MARK_SECOND_READ;
}

static void clear_marks(const GlobalAccess *t, MarkKind kind, uint64_t at, unsigned unit) {
  Mark *marks = shadow_marks(t->page, kind, at);
  marks[0] = 0;
  for (unsigned i = SHADOW_WORD; i < unit; i += SHADOW_WORD) marks[i / SHADOW_WORD] = 0;
}

/* Which mark a reader takes. Two readers are kept, of two blocks if there are two, else of two
 * threads: any third party's write then races with one of them. A reader that happens before the
 * new one gives way to it. */
static MarkKind kind_of_read(const GlobalAccess *t, const Cell *cell, const Stamp *now) {
  for (int i = 0; i < 2; i++)
    if (!cell->read[i].tick || is_ordered(t, &cell->read[i], now)) return MARK_READ + (MarkKind)i;
  const bool one_block = cell->read[0].block == cell->read[1].block;
  return !one_block && cell->read[0].block == now->block ? MARK_READ : MARK_SECOND_READ;
}

/* A call, the device runtime's copy, has no memory operand. */
static bool waits(const Insn *insn) {
  return insn_accesses(insn) && (insn->memory.acquire || insn->memory.spins);
}

/* Whether a load that waits for a strong write has seen the unit's last one, and is ordered before
 * this access: in the PTX model a write precedes what follows a read of it, as a lock's release
 * what its next holder does to it, although no fence follows the write. Later marks are of later
 * accesses. */
static bool is_awaited(const GlobalAccess *t, const Cell *cell, const Stamp *now, uint64_t at) {
  const Program *p = t->warp->block->program;
  const Mark write = *shadow_marks(t->page, MARK_WRITE, at);
  if (cell->write.strength == WEAK) return false;
  for (int i = 0; i < 2; i++) {
    const Stamp *read = &cell->read[i];
    if (!read->tick || !waits(&p->insn[read->pc])) continue;
    if (*shadow_marks(t->page, MARK_READ + (MarkKind)i, at) > write && is_ordered(t, read, now))
      return true;
  }
  return false;
}

/* Reports a race of an access from `lane` on with one that a unit remembers; false if there is
 * none. */
static bool check(const GlobalAccess *t, const Stamp *old, bool reads, const Stamp *now,
                  unsigned lane, uint64_t at, unsigned unit) {
  if (is_surely_ordered(t, old, now)) return false;
  const RaceAccess a = access_at(t, now, at);
  const RacePoint point = point_of(t, old, reads);
  if (!race_is_found(&a, &point)) return false;
  if (!reads && changes_nothing(t, lane, at, unit)) return false;
  race_report(&a, &point);
  return true;
}

/* Strong writes do not race with each other, so that a weaker one before them must be remembered
 * beside them: it stays under those that follow. */
static void note_write(const GlobalAccess *t, const Cell *cell, unsigned lane, uint64_t at,
                       unsigned unit) {
  if (t->now.strength == WEAK && cell->under.tick)
    shadow_drop_under(t->page, at, unit);
  else if (cell->write.tick && cell->write.strength < t->now.strength &&
           !(cell->under.tick && cell->under.strength <= cell->write.strength))
    shadow_keep_under(t->shadow, t->page, at, unit);
  set_marks(t, MARK_WRITE, lane, at, unit);
}

/* A proxy fence must lie between a write by an ordinary instruction of the block and a read of it
 * by the async proxy. Writes of other blocks are not checked: whether they fenced is not kept. */
static void check_proxy(const GlobalAccess *t, const Stamp *write, const Stamp *now, uint64_t at) {
  Block *block = t->warp->block;
  const Insn *insn = &block->program->insn[write->pc];
  if (t->insn->kind != INSN_BULK || t->is_map || t->kind != RACE_READ || !write->tick ||
      write->block != now->block || insn->kind == INSN_BULK)
    return;
  const int slot = block->first_slot + (int)(write->thread / LANES);
  if (order_is_proxied(t->warp, now->thread % LANES, PROXY_GLOBAL, slot, write->thread % LANES,
                       write->tick))
    return;
  if (!finding_add(block, EMU_PROXY, t->insn, now->thread, 1)) return;
  const Buffer *buffer = memory_find(block->launch->memory, at);
  finding_describe(block,
                   "a bulk copy reads byte %llu of buffer %s that an ordinary instruction wrote at "
                   "%s: no fence.proxy.async between",
                   (unsigned long long)(buffer ? at - buffer->base : at),
                   buffer ? buffer->name : "?", insn_line(block->program, insn).text);
}

/* The lanes from `lane` on touch a unit: compares it with what is remembered, and marks it. */
static void touch_unit(const GlobalAccess *t, unsigned lane, uint64_t at, unsigned unit) {
  const Cell cell = shadow_cell(t->page, at);
  const Stamp now = stamp_of(t, lane);
  const bool raced =
      (!is_awaited(t, &cell, &now, at) && check(t, &cell.write, false, &now, lane, at, unit)) ||
      check(t, &cell.under, false, &now, lane, at, unit);
  if (!raced) check_proxy(t, &cell.write, &now, at);
  if (t->kind == RACE_READ) {
    set_marks(t, kind_of_read(t, &cell, &now), lane, at, unit);
    return;
  }
  for (int i = 0; i < 2; i++) {
    if (!cell.read[i].tick) continue;
    check(t, &cell.read[i], true, &now, lane, at, unit);
    if (now.strength == WEAK) clear_marks(t, MARK_READ + (MarkKind)i, at, unit);
  }
  note_write(t, &cell, lane, at, unit);
}

/* --- sectors --- */

static void touch_lane(GlobalAccess *t, unsigned lane) {
  const uint64_t first = t->at[lane];
  const unsigned least = t->bytes % SHADOW_WORD ? 1 : SHADOW_WORD;
  if (rows_open(t, first) && shadow_split(t->shadow, t->page, first, least)) {
    const unsigned unit = shadow_unit(t->page, first);
    for (uint64_t at = first; at < first + t->bytes; at += unit) touch_unit(t, lane, at, unit);
  }
  touch_store(t, lane);
}

/* Whether `lanes` lanes from `lane` on touch a whole sector, one piece after another. */
static bool is_sector(const GlobalAccess *t, unsigned lane, unsigned lanes) {
  const uint64_t first = t->at[lane];
  if (first % SHADOW_SECTOR || lane + lanes > LANES) return false;
  uint64_t differ = ~(uint64_t)t->active >> lane & ((1ull << lanes) - 1);
  for (unsigned i = 1; i < lanes; i++) differ |= t->at[lane + i] ^ (first + (uint64_t)i * t->bytes);
  return !differ;
}

static bool touch_whole(GlobalAccess *t, unsigned lane) {
  const uint64_t at = t->at[lane];
  if (!rows_open(t, at) || shadow_unit(t->page, at) != SHADOW_SECTOR ||
      !rows_are_uniform(t, at, lane))
    return false;
  touch_unit(t, lane, at, SHADOW_SECTOR);
  return true;
}

/* --- all lanes --- */

/* Whether both neighbours of a lane read what it reads: of such lanes the first and the last are
 * noted. */
static bool is_amid(const GlobalAccess *t, unsigned lane) {
  const uint64_t *at = t->at;
  return t->kind == RACE_READ && lane && lane + 1 < LANES && at[lane] == at[lane - 1] &&
         at[lane] == at[lane + 1] && (t->active >> (lane - 1) & 7) == 7;
}

static void touch_all(GlobalAccess *t) {
  const unsigned lanes = SHADOW_SECTOR / t->bytes;
  unsigned tried = 0; /* lanes below this have been tried as rows */
  for (unsigned lane = 0; lane < LANES; lane++) {
    if (!(t->active >> lane & 1) || is_amid(t, lane)) continue;
    if (lane >= tried && t->bytes % SHADOW_WORD == 0 && t->at[lane] % t->bytes == 0) {
      const Row row = rows_from(t, lane);
      tried = lane + row.lanes;
      if (rows_touch(t, &row)) {
        lane = tried - 1;
        continue;
      }
    }
    if (is_sector(t, lane, lanes) && touch_whole(t, lane)) {
      for (unsigned i = 0; i < lanes && t->value; i++) touch_store(t, lane + i);
      lane += lanes - 1;
    } else {
      touch_lane(t, lane);
    }
  }
  shadow_unlock(t->shadow, t->page);
}

static GlobalAccess touch_of(Warp *w, const Insn *insn, RaceKind kind, const Resolved *access,
                             unsigned bytes, unsigned piece, const uint8_t *const *value) {
  return (GlobalAccess){.warp = w,
                        .insn = insn,
                        .kind = kind,
                        .active = access->global,
                        .at = access->offset,
                        .bytes = bytes,
                        .piece = piece,
                        .value = value,
                        .host = access->host,
                        .now = stamp_new(w, insn, kind, bytes),
                        .order = order_view(w),
                        .lone = is_lone(w->block),
                        .shadow = shadow_of(w)};
}

static void touch_resolved(Warp *w, const Insn *insn, RaceKind kind, const Resolved *access,
                           unsigned bytes, unsigned piece, const uint8_t *const *value) {
  overlap_access(w, insn, kind, strength_of(insn, kind) == STRONG, access->global, access->offset,
                 bytes);
  GlobalAccess t = touch_of(w, insn, kind, access, bytes, piece, value);
  touch_all(&t);
}

/* --- copies --- */

/* Touches the bytes in pieces of up to a sector, each aligned to its size. */
static void touch_range(Warp *w, const Insn *insn, unsigned lane, RaceKind kind, uint64_t from,
                        uint64_t bytes, bool is_map) {
  const uint64_t end = from + bytes;
  Resolved access = {.global = 1u << lane};
  for (uint64_t at = from, piece; at < end; at += piece) {
    for (piece = SHADOW_SECTOR; at % piece || piece > end - at;) piece /= 2;
    access.offset[lane] = at;
    overlap_access(w, insn, kind, false, access.global, access.offset, piece);
    GlobalAccess t = touch_of(w, insn, kind, &access, (unsigned)piece, 0, NULL);
    t.is_map = is_map;
    touch_all(&t);
  }
}

void global_race_copy(Warp *w, const Insn *insn, unsigned lane, uint64_t to, uint64_t from,
                      uint64_t bytes) {
  if (!w->block->launch->global_race) return;
  touch_range(w, insn, lane, RACE_READ, from, bytes, false);
  touch_range(w, insn, lane, RACE_WRITE, to, bytes, false);
}

void global_race_map(Warp *w, const Insn *insn, unsigned lane, RaceKind kind, uint64_t at,
                     unsigned bytes) {
  if (w->block->launch->global_race) touch_range(w, insn, lane, kind, at, bytes, true);
}

uint64_t global_race_digest(Warp *w, const Insn *insn, uint64_t at, unsigned bytes, int32_t *pc) {
  const uint64_t prime = 0x100000001b3;
  uint64_t digest = 0;
  if (!w->block->launch->global_race) return 0;
  Resolved access = {.global = 1};
  GlobalAccess t = touch_of(w, insn, RACE_READ, &access, SHADOW_WORD, 0, NULL);
  for (unsigned i = 0; i < bytes; i += SHADOW_WORD) {
    if (!rows_open(&t, at + i)) continue;
    const uint64_t unit = shadow_unit(t.page, at + i);
    const Stamp write = shadow_cell(t.page, (at + i) / unit * unit).write;
    if (!write.tick) continue;
    const uint64_t warp = write.thread / LANES; /* lanes depend on the unit */
    digest = (digest ^ write.block ^ (uint64_t)write.tick << 20 ^ warp << 52) * prime + i + 1;
    *pc = (int32_t)write.pc;
  }
  shadow_unlock(t.shadow, t.page);
  return digest;
}

/* --- constants --- */

void global_race_constant(Warp *w, const Insn *insn, uint32_t active, const uint64_t at[LANES],
                          unsigned bytes) {
  Block *block = w->block;
  Resolved access = {.global = active};
  int32_t pc = 0;
  FOR_LANES(lane, active) {
    const uint64_t word = at[lane] / SHADOW_WORD * SHADOW_WORD;
    const bool known = lane && active >> (lane - 1) & 1 && at[lane] == at[lane - 1];
    access.offset[lane] = at[lane];
    if (known || !global_race_digest(w, insn, word, bytes, &pc)) continue;
    if (!finding_add(block, EMU_RACE, insn, warp_thread(w, lane), 1)) return;
    finding_describe(block,
                     "reads constant memory that this launch writes at %s: its cache is not "
                     "coherent, so that only later launches see the write",
                     insn_line(block->program, &block->program->insn[pc]).text);
    return;
  }
  touch_resolved(w, insn, RACE_READ, &access, bytes, 0, NULL);
}

/* --- for others --- */

void global_race_fetch(const GlobalRace *race, uint64_t address) {
  shadow_fetch(race->shadow, address);
}

void global_race_read(Warp *w, const Insn *insn, uint32_t active, const uint64_t at[LANES],
                      unsigned bytes, bool is_row) {
  const bool whole = is_row && active == ALL_LANES;
  overlap_access(w, insn, RACE_READ, strength_of(insn, RACE_READ) == STRONG, active, at, bytes);
  const OrderView order = order_view(w);
  const Stamp now = stamp_new(w, insn, RACE_READ, bytes);
  if (whole && order.level && rows_list_read(shadow_of(w), now, at[0], bytes * LANES)) return;
  GlobalAccess t = {.warp = w,
                    .insn = insn,
                    .kind = RACE_READ,
                    .active = active,
                    .is_row = whole,
                    .at = at,
                    .bytes = bytes,
                    .now = now,
                    .order = order,
                    .lone = is_lone(w->block),
                    .shadow = shadow_of(w)};
  touch_all(&t);
}

void global_race_access(Warp *w, const Insn *insn, RaceKind kind, const Resolved *access,
                        unsigned bytes) {
  touch_resolved(w, insn, kind, access, bytes, 0, NULL);
}

void global_race_write(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes,
                       unsigned piece, const uint8_t *const value[LANES]) {
  touch_resolved(w, insn, RACE_WRITE, access, bytes, piece, value);
}
