/* SPDX-License-Identifier: MIT */
#include "emu/run/access/counters.h"

#include <stdlib.h>
#include <string.h>

#include "emu/run/access/fast.h"
#include "model/bank.h"
#include "model/cp_async.h"

const char *const emu_access_kind_name[EMU_ACCESS_KINDS] = {
    "load",     "store",    "atomic", "ldmatrix",  "stmatrix",
    "cp.async", "mbarrier", "wgmma",  "bulk load", "bulk store"};
const char *const emu_space_name[EMU_SPACES] = {"global", "shared", "local", "const", "param"};

enum { MAX_SECTORS = 2 * LANES, WAVEFRONT_BYTES = 128 };

/* Passes over the banks per instruction: shared-memory atomics may take more than one
 * [data/h200_atomics.csv]. */
static uint32_t passes_of(const Insn *insn, EmuSpace space) {
  return insn->kind == INSN_ATOMIC && space == EMU_SHARED ? insn->memory.atomic.passes : 1;
}

static EmuEvent event_of(const Program *program, const Insn *insn, const uint32_t block[3],
                         int warp) {
  SourceLoc at = insn_source(program, insn);
  EmuEvent event = {.file = ast_file(program->ast, at.file),
                    .line = at.line,
                    .ptx_line = insn->statement->line,
                    .times = 1,
                    .warp = warp};
  memcpy(event.block, block, sizeof event.block);
  return event;
}

static void observe_pending(const Launch *launch, const PendingEvent *p) {
  EmuEvent event = event_of(launch->program, p->insn, p->block, p->warp);
  event.kind = p->kind;
  event.space = EMU_SHARED;
  event.bytes_per_lane = (int)p->bytes;
  event.active = p->active;
  event.address = p->address;
  event.twice = passes_of(p->insn, EMU_SHARED) > 1;
  event.times = p->times;
  launch->config->observer(launch->config->observer_context, &event);
}

void counters_flush(const Launch *launch, PendingEvents *pending) {
  for (int i = 0; i < pending->count; i++) observe_pending(launch, &pending->event[i]);
  free(pending->event);
  free(pending);
}

/* The event of a slot that is free or another's; NULL when out of memory. */
static PendingEvent *take_slot(const Launch *launch, PendingEvents *all, uint16_t *slot) {
  if (*slot) {
    observe_pending(launch, &all->event[*slot - 1]);
    return &all->event[*slot - 1];
  }
  if (all->count == all->capacity) {
    const int capacity = all->capacity ? 2 * all->capacity : 16;
    PendingEvent *event = realloc(all->event, (size_t)capacity * sizeof *event);
    if (!event) return NULL;
    all->event = event;
    all->capacity = capacity;
  }
  *slot = (uint16_t)++all->count;
  return &all->event[*slot - 1];
}

static bool is_pending(const PendingEvent *p, const Insn *insn, EmuAccessKind kind, unsigned bytes,
                       uint32_t active, const uint64_t address[LANES]) {
  return p->insn == insn && p->active == active && p->kind == kind && p->bytes == bytes &&
         memcmp(p->address, address, sizeof p->address) == 0;
}

/* Adds an execution to those with equal lanes and addresses, or takes the place of others. */
static void add_pending(const Warp *w, const Insn *insn, EmuAccessKind kind, unsigned bytes,
                        uint32_t active, const uint64_t address[LANES]) {
  const Block *block = w->block;
  PendingEvents *all = block->pending;
  const uint64_t first = address[lane_first(active)];
  const uint64_t mixed = first + (address[1] - first) * 3 + (address[31] - first) * 7 +
                         (uint64_t)insn->memory.site * 131 + active;
  uint16_t *slot = &all->slot[(mixed * 0x9E3779B97F4A7C15ull >> 32) % PENDING_SLOTS];
  PendingEvent *p = *slot ? &all->event[*slot - 1] : NULL;
  if (p && is_pending(p, insn, kind, bytes, active, address)) {
    p->times++;
    return;
  }
  p = take_slot(block->launch, all, slot);
  if (!p) {
    atomic_store(&block->launch->out_of_memory, true);
    return;
  }
  *p = (PendingEvent){
      .times = 1, .insn = insn, .kind = kind, .bytes = bytes, .active = active, .warp = w->index};
  memcpy(p->block, block->index, sizeof p->block);
  memcpy(p->address, address, sizeof p->address);
}

void counters_observe(const Warp *w, const Insn *insn, EmuAccessKind kind, EmuSpace space,
                      unsigned bytes, uint32_t active, const uint64_t address[LANES],
                      const uint64_t *source) {
  const EmuLaunch *config = w->block->launch->config;
  if (!config->observer || kind == EMU_MBARRIER) return;
  if (space == EMU_SHARED && !source) {
    add_pending(w, insn, kind, bytes, active, address);
    return;
  }
  EmuEvent event = event_of(w->block->program, insn, w->block->index, w->index);
  event.kind = kind;
  event.space = space;
  event.bytes_per_lane = (int)bytes;
  event.active = active;
  event.address = address;
  event.source = source;
  event.bypass = source && insn->memory.copy.bypass;
  event.twice = passes_of(insn, space) > 1;
  config->observer(config->observer_context, &event);
}

void counters_observe_async(const Warp *w, const Insn *insn, EmuAccessKind kind, uint32_t at,
                            uint32_t bytes, const Box *box) {
  const EmuLaunch *config = w->block->launch->config;
  if (!config->observer || w->block->unchecked) return;
  const uint64_t address[LANES] = {at};
  EmuEvent event = event_of(w->block->program, insn, w->block->index, w->index);
  event.kind = kind;
  event.space = EMU_SHARED;
  event.bytes_per_lane = (int)bytes;
  event.active = 1;
  event.address = address;
  event.box_row = box ? (int)box->row : 0;
  event.swizzle = box ? box->swizzle : 0;
  config->observer(config->observer_context, &event);
}

/* --- shared memory --- */

static const Op bank_op[EMU_ACCESS_KINDS] = {[EMU_LOAD] = OP_LOAD,
                                             [EMU_STORE] = OP_STORE,
                                             [EMU_ATOMIC] = OP_ATOMIC,
                                             [EMU_LDMATRIX] = OP_LDMATRIX,
                                             [EMU_STMATRIX] = OP_STMATRIX};

static AccessCost cost_copy(CopyCache cache, unsigned bytes, uint32_t active,
                            const uint64_t address[LANES], const uint64_t from[LANES]) {
  int64_t target[WARP], source[WARP];
  uint32_t mask[4];
  AccessCost sum = {0};
  for (int lane = 0; lane < WARP; lane++) {
    target[lane] = (int64_t)address[lane];
    source[lane] = from[lane] == EMU_NO_SOURCE ? COPY_ZEROS : (int64_t)from[lane];
  }
  const int groups = cp_async_groups(cache, (int)bytes, active, mask);
  for (int g = 0; g < groups; g++) {
    sum.units += (uint32_t)cp_async_group_wavefronts(cache, mask[g], target, source);
    sum.other += (uint32_t)cp_async_group_ideal(cache, mask[g], source);
  }
  sum.minimum = (lane_count(active) * bytes + WAVEFRONT_BYTES - 1) / WAVEFRONT_BYTES;
  return sum;
}

static AccessCost cost_shared(EmuAccessKind kind, unsigned bytes, uint32_t active,
                              const uint64_t address[LANES]) {
  int64_t at[WARP];
  for (int lane = 0; lane < WARP; lane++) at[lane] = (int64_t)address[lane];
  const BankCost cost = bank_cost(banks_nvidia, bank_op[kind], (int)bytes, active, at);
  uint32_t mask[4];
  const int groups = kind == EMU_ATOMIC ? bank_groups(OP_ATOMIC, (int)bytes, active, at, mask) : 0;
  return (AccessCost){(uint32_t)cost.wavefronts, (uint32_t)cost.ideal, (uint32_t)groups};
}

/* --- global memory --- */

typedef struct {
  int count;
  uint64_t index[MAX_SECTORS];
  uint32_t used[MAX_SECTORS]; /* bit mask of bytes */
} Sectors;

/* Neighbouring lanes usually share a sector, so search from the newest. */
static uint32_t *sector_at(Sectors *s, uint64_t index) {
  for (int i = s->count - 1; i >= 0; i--) {
    if (s->index[i] == index) return &s->used[i];
  }
  s->index[s->count] = index;
  s->used[s->count] = 0;
  return &s->used[s->count++];
}

/* An aligned access of up to 32 bytes is within one sector. */
static AccessCost cost_global(unsigned bytes, uint32_t active, const uint64_t address[LANES]) {
  Sectors sectors = {.count = 0};
  uint32_t span = bytes >= EMU_SECTOR_BYTES ? ALL_LANES : (1u << bytes) - 1, used = 0;
  FOR_LANES(lane, active) {
    uint64_t at = address[lane];
    *sector_at(&sectors, at / EMU_SECTOR_BYTES) |= span << at % EMU_SECTOR_BYTES;
  }
  for (int i = 0; i < sectors.count; i++) used += lane_count(sectors.used[i]);
  return (AccessCost){(uint32_t)sectors.count, used, 0};
}

/* --- remembered costs --- */

/* The cost does not change if all addresses move by a multiple of this period: a word (which
 * rotates the banks), a sector, or for copies a 128-byte line. */
static unsigned period_of(EmuAccessKind kind, EmuSpace space) {
  return space == EMU_GLOBAL ? EMU_SECTOR_BYTES : kind == EMU_CP_ASYNC ? 128 : 4;
}

static AccessMemo *memo_of(AccessMemo *ways, uint64_t first, const uint64_t address[LANES]) {
  const uint64_t mixed = address[1] - first + (address[5] - first) * 3 + (address[16] - first) * 7 +
                         (address[31] - first) * 13;
  return &ways[(mixed * 0x9E3779B97F4A7C15ull >> 32) % COUNTER_WAYS];
}

/* Adds the source addresses of a copy to the key: their distances go into the upper halves of
 * `step`, because shared-memory distances fit the lower halves. False if they do not fit. */
static bool add_source(AccessMemo *key, uint32_t active, const uint64_t source[LANES]) {
  const uint64_t first = source[lane_first(active)];
  bool fits = true;
  key->phase |= (uint32_t)(first % 128) << 16;
  FOR_LANES(lane, active) {
    const int64_t step = (int64_t)(source[lane] - first);
    fits = fits && step == (int32_t)step;
    key->step[lane] = (uint32_t)key->step[lane] | (uint64_t)(uint32_t)step << 32;
  }
  return fits;
}

static AccessCost cost_new(AccessMemo *memo, EmuAccessKind kind, EmuSpace space,
                           const uint64_t address[LANES]) {
  memo->cost = space == EMU_SHARED ? cost_shared(kind, memo->bytes, memo->active, address)
                                   : cost_global(memo->bytes, memo->active, address);
  return memo->cost;
}

/* The cost of a copy, which depends on its source addresses, too. */
static AccessCost cost_of_copy(AccessMemo *ways, const Insn *insn, unsigned bytes, uint32_t active,
                               const uint64_t address[LANES], const uint64_t *source) {
  const uint64_t first = address[lane_first(active)];
  const CopyCache cache = insn->memory.copy.bypass ? COPY_CG : COPY_CA;
  AccessMemo key = {.active = active, .bytes = bytes};
  key.phase = (uint32_t)(first % period_of(EMU_CP_ASYNC, EMU_SHARED));
  for (int lane = 0; lane < LANES; lane++) key.step[lane] = address[lane] - first;
  if (!add_source(&key, active, source)) return cost_copy(cache, bytes, active, address, source);
  AccessMemo *memo = memo_of(ways, 0, key.step);
  if (memo->active == active && memo->bytes == bytes && memo->phase == key.phase &&
      memcmp(memo->step, key.step, sizeof key.step) == 0)
    return memo->cost;
  key.cost = cost_copy(cache, bytes, active, address, source);
  *memo = key;
  return key.cost;
}

/* The cost of an access, cached by access pattern, because loops repeat few patterns. */
static AccessCost cost_of(const Warp *w, AccessMemo *ways, const Insn *insn, EmuAccessKind kind,
                          EmuSpace space, unsigned bytes, uint32_t active,
                          const uint64_t address[LANES], const uint64_t *source) {
  if (source) return cost_of_copy(ways, insn, bytes, active, address, source);
  const uint64_t first = address[lane_first(active)];
  const uint32_t phase = (uint32_t)(first % period_of(kind, space));
  AccessMemo *memo = memo_of(ways, first, address);
  if (memo->active == active && memo->bytes == bytes && memo->phase == phase &&
      w->block->launch->gather->matches(address, first, memo->step))
    return memo->cost;
  memo->active = active;
  memo->bytes = bytes;
  memo->phase = phase;
  for (int lane = 0; lane < LANES; lane++) memo->step[lane] = address[lane] - first;
  return cost_new(memo, kind, space, address);
}

static void note_worst(EmuAccess *counter, uint32_t cost, uint32_t active,
                       const uint64_t address[LANES]) {
  if (cost <= counter->worst) return;
  counter->worst = cost;
  counter->worst_active = active;
  memcpy(counter->worst_address, address, sizeof counter->worst_address);
}

static void count(EmuAccess *counter, EmuAccessKind kind, EmuSpace space, unsigned bytes,
                  uint32_t active) {
  counter->kind = kind;
  counter->space = space;
  counter->bytes_per_lane = (int)bytes;
  counter->executions++;
  counter->lanes += active == ALL_LANES ? LANES : lane_count(active);
}

static void add_cost(EmuAccess *counter, AccessCost cost, uint32_t passes, uint32_t active,
                     const uint64_t address[LANES]) {
  const bool shared = counter->space == EMU_SHARED;
  counter->wavefronts += shared ? cost.units * passes : 0;
  counter->ideal += shared ? cost.other * passes : 0;
  counter->minimum += shared ? cost.minimum * passes : 0;
  counter->sectors += shared ? 0 : cost.units;
  counter->bytes_used += shared ? 0 : cost.other;
  note_worst(counter, cost.units * passes, active, address);
}

void counters_add(Warp *w, const Insn *insn, EmuAccessKind kind, EmuSpace space, unsigned bytes,
                  uint32_t active, const uint64_t address[LANES], const uint64_t *source) {
  EmuAccess *counter = &w->block->access[insn->memory.site * 2 + (space == EMU_SHARED)];
  count(counter, kind, space, bytes, active);
  if (kind == EMU_MBARRIER) return;
  const size_t place = (size_t)(counter - w->block->access);
  AccessMemo *ways = w->block->memo + place * COUNTER_WAYS;
  const AccessCost cost = cost_of(w, ways, insn, kind, space, bytes, active, address, source);
  add_cost(counter, cost, passes_of(insn, space), active, address);
}

/* Computes the cost if the whole warp reads consecutive addresses or one word, without a bank
 * simulation; false for other patterns. */
static bool is_simple(EmuSpace space, unsigned bytes, const Gather *g, AccessCost *cost) {
  const uint32_t all = bytes * LANES, groups = (all + 127) / 128;
  if (g->row && space == EMU_SHARED) {
    *cost = (AccessCost){groups, groups, 0};
  } else if (g->row) {
    const uint32_t first = (uint32_t)(g->address[0] % EMU_SECTOR_BYTES);
    *cost = (AccessCost){(first + all + EMU_SECTOR_BYTES - 1) / EMU_SECTOR_BYTES, all, 0};
  } else if (g->uniform && bytes <= 4) {
    *cost = (AccessCost){1, space == EMU_SHARED ? 1 : bytes, 0};
  } else {
    return false;
  }
  return true;
}

/* The cost of a warp-wide load. Equals the leader's cost if all addresses have moved by a multiple
 * of the period. */
static AccessCost cost_fast(Warp *w, const Insn *insn, unsigned bytes, uint32_t active,
                            const Gather *g, const uint64_t address[LANES], AccessMemo *ways) {
  const EmuSpace space = (EmuSpace)insn->memory.space;
  ResolvedLanes *placed = fast_resolved(w, &insn->memory);
  if (placed && &placed->gather != g) placed = NULL;
  const bool steady = placed && g->shift % period_of(EMU_LOAD, space) == 0;
  AccessCost cost;
  if (steady && placed->costed) return placed->cost;
  if (active != ALL_LANES || bytes > 16 || g->shift || !is_simple(space, bytes, g, &cost))
    cost = cost_of(w, ways, insn, EMU_LOAD, space, bytes, active, address, NULL);
  if (steady) {
    placed->cost = cost;
    placed->costed = true;
  }
  return cost;
}

void counters_add_fast(Warp *w, const Insn *insn, unsigned bytes, uint32_t active, const Gather *g,
                       const uint64_t address[LANES]) {
  const EmuSpace space = (EmuSpace)insn->memory.space;
  const size_t place = (size_t)insn->memory.site * 2 + (space == EMU_SHARED);
  EmuAccess *counter = &w->block->access[place];
  AccessMemo *ways = w->block->memo + place * COUNTER_WAYS;
  counters_observe(w, insn, EMU_LOAD, space, bytes, active, address, NULL);
  const AccessCost cost = cost_fast(w, insn, bytes, active, g, address, ways);
  count(counter, EMU_LOAD, space, bytes, active);
  add_cost(counter, cost, 1, active, address);
}

void counters_add_wgmma(Warp *w, const Insn *insn, uint32_t wavefronts) {
  if (w->block->unchecked) return;
  EmuAccess *counter = &w->block->access[insn->memory.site * 2 + 1];
  counter->kind = EMU_WGMMA;
  counter->space = EMU_SHARED;
  counter->executions++;
  counter->lanes += WGMMA_WARPS * LANES;
  counter->wavefronts += wavefronts;
  counter->ideal += wavefronts;
  if (wavefronts > counter->worst) counter->worst = wavefronts;
}

static EmuAccess *count_bulk(Warp *w, const Insn *insn, EmuAccessKind kind, EmuSpace space,
                             uint32_t bytes) {
  EmuAccess *counter = &w->block->access[insn->memory.site * 2 + (space == EMU_SHARED)];
  counter->kind = kind;
  counter->space = space;
  counter->bytes_per_lane = (int)bytes;
  counter->executions++;
  counter->lanes++;
  return counter;
}

/* TMA takes one wavefront per 128 bytes, whatever the swizzle [measured on an H200]. */
void counters_bulk(Warp *w, const Insn *insn, EmuAccessKind kind, uint32_t bytes, uint64_t sectors,
                   uint64_t used) {
  if (w->block->unchecked) return;
  EmuAccess *shared = count_bulk(w, insn, kind, EMU_SHARED, bytes);
  shared->wavefronts += (bytes + WAVEFRONT_BYTES - 1) / WAVEFRONT_BYTES;
  shared->ideal = shared->wavefronts;
  if (!sectors) return;
  EmuAccess *global = count_bulk(w, insn, kind, EMU_GLOBAL, bytes);
  global->sectors += sectors;
  global->bytes_used += used;
}

void counters_merge(EmuAccess *into, const EmuAccess *from) {
  if (!from->executions) return;
  EmuAccess sum = into->worst >= from->worst && into->executions ? *into : *from;
  sum.executions = into->executions + from->executions;
  sum.lanes = into->lanes + from->lanes;
  sum.wavefronts = into->wavefronts + from->wavefronts;
  sum.ideal = into->ideal + from->ideal;
  sum.minimum = into->minimum + from->minimum;
  sum.sectors = into->sectors + from->sectors;
  sum.bytes_used = into->bytes_used + from->bytes_used;
  *into = sum;
}
