#include "emu/run/race/report.h"

#include <stdio.h>

#include "emu/run/race/shortfall.h"
#include "emu/run/state/bulk_find.h"
#include "emu/run/state/finding.h"

static const char *const did[] = {"reads", "writes", "updates"};

static bool in_one_warp(const SharedAccess *t, const RaceStamp *old) {
  return (old->thread - 1u) / LANES == (uint32_t)t->warp->slot;
}

static bool by_copy(const SharedAccess *t, const RaceStamp *old) {
  const uint32_t slots = (uint32_t)t->warp->block->warps + 1;
  return (old->thread - 1u) / LANES % slots == slots - 1;
}

/* The blocks of a cluster have consecutive numbers. */
static Shortfall missing(const SharedAccess *t, const RaceStamp *old) {
  const Block *block = t->warp->block;
  const uint32_t slots = (uint32_t)block->warps + 1, slot = (old->thread - 1u) / LANES;
  const uint32_t rank = slot / slots;
  const ShortfallAccess access = {(uint32_t)block->number - (uint32_t)block->rank + rank,
                                  (slot - rank * slots) * LANES + (old->thread - 1u) % LANES,
                                  old->tick};
  if (by_copy(t, old)) return (Shortfall){"no wait on its mbarrier between"};
  if (in_one_warp(t, old) && old->pc == t->now.pc)
    return (Shortfall){"by the same instruction: which value stays is not defined"};
  return shortfall_of(t->warp, (t->now.thread - 1u) % LANES, &access, t->insn);
}

static uint32_t thread_of(const SharedAccess *t, const RaceStamp *now) {
  return now->thread - 1u - (uint32_t)t->warp->block->first_slot * LANES;
}

/* Names who made an access: "that thread (3, 0, 0)", with its block where that is another one. */
static const char *name_of(const SharedAccess *t, const RaceStamp *old, char text[96]) {
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

static bool add(const SharedAccess *t, const RaceStamp *old, bool of_warp) {
  const Block *block = t->warp->block;
  return finding_add_race(t->warp->block, EMU_SHARED, t->insn, &block->program->insn[old->pc],
                          block->number, thread_of(t, &t->now), of_warp);
}

static void tell(const SharedAccess *t, const RaceStamp *old, const char *other_did, uint64_t at,
                 const char *lacks) {
  Block *block = t->warp->block;
  char name[96];
  finding_describe(block, "%s shared byte 0x%llx %s %s at %s, %s", did[t->kind],
                   (unsigned long long)at, name_of(t, old, name), other_did,
                   insn_line_from(block->program, &block->program->insn[old->pc], t->insn).text,
                   lacks);
}

/* Since sm_70 the lanes of a warp run in no order of their own; __syncwarp() cannot part those of
 * one instruction. */
void race_report(const SharedAccess *t, const RaceStamp *old, const char *other_did, uint64_t at) {
  const bool of_warp = in_one_warp(t, old) && old->pc != t->now.pc;
  if (add(t, old, of_warp)) tell(t, old, other_did, at, missing(t, old).text);
}

/* The copy in flight that a thread, by warp_stamp, has issued and that writes the byte, or NULL. */
static const AsyncCopy *flying_copy(const Block *owner, uint32_t thread, uint64_t at) {
  const Warp *w = &owner->warp[thread / LANES - (uint32_t)owner->first_slot];
  for (int i = 0; i < w->asyncs; i++) {
    const AsyncCopy *copy = &w->async[i];
    if (copy->lane == thread % LANES && at >= copy->to && at < copy->to + copy->bytes) return copy;
  }
  return NULL;
}

void race_report_flying(const SharedAccess *t, const CpAsyncPending *flying, uint64_t at) {
  const RaceStamp old = {.thread = flying->thread, .pc = flying->pc};
  const Program *p = t->warp->block->program;
  char text[128] = "no wait for the copy between";
  if (!add(t, &old, false)) return;
  const AsyncCopy *copy = flying_copy(t->owner, flying->thread - 1u, at);
  const Insn *wait = copy ? copy->left_by : NULL;
  if (wait && copy->was_open)
    snprintf(text, sizeof text, "no cp.async.commit_group between it and the wait at %s",
             insn_line_from(p, wait, t->insn).text);
  else if (wait)
    snprintf(text, sizeof text, "no wait for the copy between: that at %s leaves it in flight",
             insn_line_from(p, wait, t->insn).text);
  tell(t, &old, "still copies by cp.async", at, text);
}

/* The wait of the warp for the copy's mbarrier, if it was for an earlier phase, or NULL. */
static const Insn *wait_before(const SharedAccess *t, const Insn *copy, uint64_t at) {
  const MbarrierWait *passed = &t->warp->passed;
  const Flight *f = flight_inbound(t->owner, copy, at);
  if (!f || !passed->insn || passed->owner != t->owner || passed->offset != f->mbarrier)
    return NULL;
  return passed->phase <= f->phase ? passed->insn : NULL;
}

static const char *missing_wait(const SharedAccess *t, const BulkPending *busy, uint64_t at) {
  const Insn *copy = &t->warp->block->program->insn[busy->pc];
  if (busy->writers || copy->memory.bulk->mbarrier) return "no wait for its mbarrier between";
  return flight_lacks_commit(t->owner, copy, at) ? "no cp.async.bulk.commit_group has committed it"
                                                 : "no wait for its bulk group between";
}

void race_report_busy(const SharedAccess *t, const BulkPending *busy, uint64_t at) {
  Block *block = t->warp->block;
  const Insn *copy = &block->program->insn[busy->pc];
  const Insn *before = busy->writers ? wait_before(t, copy, at) : NULL;
  if (!finding_add(block, EMU_RACE, t->insn, thread_of(t, &t->now), 1)) return;
  finding_describe(block, "%s shared byte 0x%llx that the bulk copy of %s still %s: %s%s%s",
                   did[t->kind], (unsigned long long)at, insn_line(block->program, copy).text,
                   busy->writers ? "writes" : "reads", missing_wait(t, busy, at),
                   before ? "; that for an earlier phase is at " : "",
                   before ? insn_line(block->program, before).text : "");
}
