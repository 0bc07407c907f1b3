/* SPDX-License-Identifier: MIT */
#include "emu/run/async/mbarrier.h"

#include <stdio.h>
#include <stdlib.h>

#include "emu/memory/element.h"
#include "emu/run/race/order.h"
#include "emu/run/race/sync.h"
#include "emu/run/state/bulk_copy.h"
#include "emu/run/state/finding.h"
#include "emu/run/state/sync_log.h"

enum { COUNT_BITS = 20, TX_SHIFT = 40, TX_BITS = 23 };

struct Mbarrier {
  uint32_t offset;
  uint64_t phase;               /* phases completed */
  uint64_t expected, arrived;   /* bytes of this phase */
  const Insn *init, *expect;    /* the last expect_tx; NULL: none */
  uint32_t thread;              /* that initialized it */
  uint32_t warps, warps_before; /* of its block: that arrived in this phase and in the last */
  uint32_t ranks, ranks_before; /* likewise the cluster's other blocks */
  int slot;                     /* of the warp that initialized it, and its tick then */
  uint32_t tick;
};

typedef struct {
  uint32_t missing, expected, phase;
  int32_t tx;
} State;

/* --- the 64 bits --- */

static State unpack(uint64_t bits) {
  const uint64_t count = (1u << COUNT_BITS) - 1, tx = (1u << TX_BITS) - 1;
  const int32_t value = (int32_t)(bits >> TX_SHIFT & tx);
  return (State){.missing = (uint32_t)(bits & count),
                 .expected = (uint32_t)(bits >> COUNT_BITS & count),
                 .phase = (uint32_t)(bits >> MBARRIER_PHASE_SHIFT),
                 .tx = value >= 1 << (TX_BITS - 1) ? value - (1 << TX_BITS) : value};
}

static uint64_t pack(State s) {
  const uint64_t count = (1u << COUNT_BITS) - 1, tx = (1u << TX_BITS) - 1;
  return (s.missing & count) | (uint64_t)(s.expected & count) << COUNT_BITS |
         ((uint64_t)(uint32_t)s.tx & tx) << TX_SHIFT | (uint64_t)s.phase << MBARRIER_PHASE_SHIFT;
}

uint64_t mbarrier_bits(const Block *owner, uint32_t offset) {
  return element_load(owner->shared + offset, MBARRIER_BYTES);
}

uint32_t mbarrier_pending(uint64_t bits) { return unpack(bits).missing; }

/* --- the object beside them --- */

static Mbarrier *find(const Block *owner, uint32_t offset) {
  for (int i = 0; i < owner->mbarriers; i++)
    if (owner->mbarrier[i].offset == offset) return &owner->mbarrier[i];
  return NULL;
}

static Mbarrier *add(Block *owner, uint32_t offset) {
  Mbarrier *old = find(owner, offset);
  if (old) return old;
  if (owner->mbarriers == owner->mbarrier_capacity) {
    const int capacity = 2 * owner->mbarrier_capacity + 8;
    Mbarrier *grown = realloc(owner->mbarrier, (size_t)capacity * sizeof *grown);
    if (!grown) atomic_store(&owner->launch->out_of_memory, true);
    if (!grown) return NULL;
    owner->mbarrier = grown;
    owner->mbarrier_capacity = capacity;
  }
  return &owner->mbarrier[owner->mbarriers++];
}

void mbarrier_start(Block *block) { block->mbarriers = 0; }

/* --- faults --- */

static bool fault(const MbarrierUse *use, EmuFindingKind kind) {
  return finding_add(use->warp->block, kind, use->insn, warp_thread(use->warp, use->lane), 1);
}

static void check_arrivals(const MbarrierUse *use, const State *s, uint32_t count) {
  if (count <= s->missing || !fault(use, EMU_BARRIER)) return;
  finding_describe(use->warp->block,
                   "%u arrive at the mbarrier at shared 0x%x, whose phase lacks %u of %u arrivals",
                   count, use->offset, s->missing, s->expected);
}

static void check_count(const MbarrierUse *use, int64_t tx) {
  if ((tx <= MBARRIER_MOST && tx >= -MBARRIER_MOST) || !fault(use, EMU_TRANSACTION)) return;
  finding_describe(use->warp->block,
                   "the transaction count of the mbarrier at shared 0x%x leaves its range of "
                   "+-1,048,575 bytes",
                   use->offset);
}

/* A phase has completed although copies that signal the object are in flight: fewer bytes were
 * expected than arrive. */
static void check_rest(const MbarrierUse *use, const Mbarrier *m, uint64_t flying) {
  const Insn *at = m && m->expect ? m->expect : use->insn;
  Block *block = use->warp->block;
  if (!flying || !finding_add(block, EMU_TRANSACTION, at, warp_thread(use->warp, use->lane), 1))
    return;
  finding_describe(block,
                   "a phase of the mbarrier at shared 0x%x expects %llu bytes and completes while "
                   "copies of %llu more are under way to it",
                   use->offset, (unsigned long long)(m ? m->expected : 0),
                   (unsigned long long)flying);
}

/* The object ends: its bytes must all have come. */
static void check_end(Block *block, const Mbarrier *m) {
  const Insn *at = m->expect ? m->expect : m->init;
  const State s = unpack(mbarrier_bits(block, m->offset));
  const int64_t open = (int64_t)m->expected - (int64_t)m->arrived;
  if (open == 0 || s.tx != open) return; /* other data may have replaced it */
  if (!finding_add(block, EMU_TRANSACTION, at, m->thread, 1)) return;
  finding_describe(block,
                   "the mbarrier at shared 0x%x was told to expect %llu bytes, and %llu "
                   "arrive",
                   m->offset, (unsigned long long)m->expected, (unsigned long long)m->arrived);
}

/* --- what is done to it --- */

static void complete_phase(Mbarrier *m) {
  m->phase++;
  m->expected = m->arrived = 0;
  m->warps_before = m->warps;
  m->ranks_before = m->ranks;
  m->warps = m->ranks = 0;
}

static void note_arrival(const MbarrierUse *use, Mbarrier *m) {
  const Block *block = use->warp->block;
  if (m && block == use->owner) m->warps |= 1u << use->warp->index;
  if (m && block != use->owner) m->ranks |= 1u << block->rank;
}

static void store(const MbarrierUse *use, State s, Mbarrier *m, uint64_t flying) {
  const bool over = s.missing == 0 && s.tx == 0;
  if (over) {
    check_rest(use, m, flying);
    s.phase ^= 1;
    s.missing = s.expected;
    if (m) complete_phase(m);
    order_phase(use->owner->order, sync_location(use->owner, use->offset));
  }
  element_store(use->owner->shared + use->offset, MBARRIER_BYTES, pack(s));
}

void mbarrier_init(const MbarrierUse *use, uint32_t count) {
  if ((count == 0 || count > MBARRIER_MOST) && fault(use, EMU_BARRIER))
    finding_describe(use->warp->block, "an mbarrier of %u arrivals: 1 to 1,048,575 are possible",
                     count);
  Mbarrier *m = add(use->owner, use->offset);
  sync_log_add(use->warp, use->insn, SYNC_INIT, 1u << use->lane, use->offset, count);
  if (m)
    *m = (Mbarrier){.offset = use->offset,
                    .init = use->insn,
                    .thread = warp_thread(use->warp, use->lane),
                    .slot = use->warp->slot,
                    .tick = order_now(use->warp)};
  const State s = {.missing = count, .expected = count};
  element_store(use->owner->shared + use->offset, MBARRIER_BYTES, pack(s));
}

void mbarrier_check_init(Block *owner, Warp *w, const Flight *f) {
  const Mbarrier *m = find(owner, f->mbarrier);
  if (w->block->unchecked || !m ||
      order_is_proxied(w, f->lane, PROXY_INIT, m->slot, m->thread % LANES, m->tick))
    return;
  if (!finding_add_note(w->block, EMU_PROXY_INIT, f->insn, warp_thread(w, f->lane), 1)) return;
  finding_describe(w->block,
                   "the async proxy signals the mbarrier at shared 0x%x: neither "
                   "fence.mbarrier_init nor fence.proxy.async follows its initialisation at %s",
                   f->mbarrier, insn_line(w->block->program, m->init).text);
}

void mbarrier_invalidate(const MbarrierUse *use) {
  Mbarrier *m = find(use->owner, use->offset);
  if (!m) return;
  check_end(use->owner, m);
  *m = use->owner->mbarrier[--use->owner->mbarriers];
}

void mbarrier_arrive(const MbarrierUse *use, uint32_t count, bool drop, bool completes) {
  State s = unpack(mbarrier_bits(use->owner, use->offset));
  if (drop || !completes) sync_log_refuse(use->warp, use->insn, "arrive_drop or .noComplete");
  sync_log_add(use->warp, use->insn, SYNC_ARRIVE, 1u << use->lane, use->offset, count);
  check_arrivals(use, &s, count);
  if (drop) s.expected -= count <= s.expected ? count : s.expected;
  s.missing -= count <= s.missing ? count : s.missing;
  if (!completes && s.missing == 0 && s.tx == 0 && fault(use, EMU_BARRIER))
    finding_describe(use->warp->block,
                     "arrives with .noComplete, and completes the phase of the "
                     "mbarrier at shared 0x%x",
                     use->offset);
  Mbarrier *m = find(use->owner, use->offset);
  note_arrival(use, m);
  store(use, s, m, 0);
}

void mbarrier_expect(const MbarrierUse *use, uint32_t bytes) {
  State s = unpack(mbarrier_bits(use->owner, use->offset));
  Mbarrier *m = find(use->owner, use->offset);
  sync_log_add(use->warp, use->insn, SYNC_EXPECT, 1u << use->lane, use->offset, bytes);
  check_count(use, (int64_t)s.tx + bytes);
  s.tx += (int32_t)(bytes & MBARRIER_MOST);
  if (m) m->expected += bytes, m->expect = use->insn;
  store(use, s, m, 0);
}

void mbarrier_complete(const MbarrierUse *use, uint32_t bytes, uint64_t flying) {
  State s = unpack(mbarrier_bits(use->owner, use->offset));
  Mbarrier *m = find(use->owner, use->offset);
  check_count(use, (int64_t)s.tx - bytes);
  s.tx -= (int32_t)(bytes & MBARRIER_MOST);
  if (m) m->arrived += bytes;
  store(use, s, m, flying);
}

/* --- waiting --- */

uint64_t mbarrier_phase(const Block *owner, uint32_t offset) {
  const Mbarrier *m = find(owner, offset);
  return m ? m->phase : 0;
}

static MbarrierWait wait_of(const MbarrierUse *use) {
  return (MbarrierWait){use->insn, use->owner, use->offset, use->lane,
                        mbarrier_phase(use->owner, use->offset)};
}

void mbarrier_note_wait(const MbarrierUse *use) { use->warp->waits = wait_of(use); }

void mbarrier_note_pass(const MbarrierUse *use) {
  if (!use->warp->block->unchecked) use->warp->passed = wait_of(use); /* for findings alone */
}

MbarrierState mbarrier_state(const Block *owner, uint32_t offset) {
  static const Mbarrier unknown;
  const Mbarrier *found = find(owner, offset), *m = found ? found : &unknown;
  const State s = unpack(mbarrier_bits(owner, offset));
  return (MbarrierState){.phase = found ? m->phase : s.phase,
                         .missing = s.missing,
                         .arrivals = s.expected,
                         .expected_bytes = m->expected,
                         .arrived_bytes = m->arrived,
                         .init = m->init,
                         .expect = m->expect,
                         .warps = m->warps,
                         .warps_before = m->warps_before,
                         .ranks = m->ranks,
                         .ranks_before = m->ranks_before};
}

void mbarrier_finish(Block *block) {
  for (int i = 0; i < block->mbarriers; i++) check_end(block, &block->mbarrier[i]);
}
