/* SPDX-License-Identifier: MIT */
#include "emu/run/race/report.h"

#include <stdio.h>

#include "emu/run/state/bulk_find.h"
#include "emu/run/state/finding.h"

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
  const RaceAccess a = race_access_at(t, at);
  RacePoint point = race_point_of(t, &old, false);
  char text[128] = "no wait for the copy between";
  if (!race_report_at(&a, &point)) return;
  const AsyncCopy *copy = flying_copy(t->owner, flying->thread - 1u, at);
  const Insn *wait = copy ? copy->left_by : NULL;
  if (wait && copy->was_open)
    snprintf(text, sizeof text, "no cp.async.commit_group between it and the wait at %s",
             insn_line_from(p, wait, t->insn).text);
  else if (wait)
    snprintf(text, sizeof text, "no wait for the copy between: that at %s leaves it in flight",
             insn_line_from(p, wait, t->insn).text);
  point.did = "still copies by cp.async";
  race_describe(&a, &a.now, &point, text);
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
  const RaceAccess a = race_access_at(t, at);
  if (!finding_add(block, EMU_RACE, t->insn, a.now.thread, 1)) return;
  finding_describe(block, "%s shared byte 0x%llx that the bulk copy of %s still %s: %s%s%s",
                   a.now.did, (unsigned long long)at, insn_line(block->program, copy).text,
                   busy->writers ? "writes" : "reads", missing_wait(t, busy, at),
                   before ? "; that for an earlier phase is at " : "",
                   before ? insn_line(block->program, before).text : "");
}
