/* SPDX-License-Identifier: MIT */
#include "emu/run/sched/converge.h"

#include "emu/run/state/finding.h"

static bool is_anywhere(const Insn *insn) { return insn->kind == INSN_MEET && insn->meet.anywhere; }

/* True if `waiting` waits for this instruction with the same member mask. Only bar.warp.sync may be
 * reached at different instructions. */
static bool meets(const Split *waiting, const Split *split, const Insn *insn, uint32_t member) {
  if (waiting->state != SPLIT_SYNC || waiting == split || waiting->member != member) return false;
  if (is_anywhere(insn)) return is_anywhere(waiting->insn);
  return waiting->insn == insn && waiting->depth == split->depth &&
         waiting->frame.slot == split->frame.slot;
}

static bool same_caller(const Warp *w, const Split *a, const Split *b) {
  if (a->depth != b->depth || a->frame.slot != b->frame.slot) return false;
  return a->depth == 0 || w->returns[a->depth - 1][lane_first(a->mask)].pc ==
                              w->returns[b->depth - 1][lane_first(b->mask)].pc;
}

void warp_join(const Warp *w, Split *into, Split *split) {
  if (split->pc != into->pc || split->record != into->record || !same_caller(w, into, split))
    return;
  into->mask |= split->mask;
  split->state = SPLIT_FREE;
}

/* Lets the waiting split continue. It merges with `split` if possible, which is still at its
 * instruction. */
static void release(Warp *w, Split *split, Split *waiting) {
  waiting->state = SPLIT_READY;
  warp_join(w, split, waiting);
  waiting->pc++;
}

/* Removes a convergence point that all its lanes have already reached together. */
static void close_record(Warp *w, Split *split) {
  if (split->record == NO_RECORD) return;
  const Record *record = &w->record[split->record];
  if (record->arrived || record->expect != split->mask || record->depth != split->depth) return;
  w->records &= ~(1ull << split->record);
  split->record = record->parent;
}

bool warp_converge(Warp *w, const Insn *insn, uint32_t member, uint32_t *active) {
  Split *split = w->now;
  uint32_t need = (member & w->alive) | *active, here = *active;
  if (need & ~here) {
    for (int i = 0; i < w->splits; i++) {
      if (meets(&w->split[i], split, insn, member)) here |= w->split[i].waiting;
    }
    if (need & ~here) {
      split->state = SPLIT_SYNC;
      split->waiting = *active;
      split->member = member;
      split->insn = insn;
      return false;
    }
    for (int i = 0; i < w->splits; i++) {
      if (meets(&w->split[i], split, insn, member)) release(w, split, &w->split[i]);
    }
    close_record(w, split);
  }
  *active = here;
  return true;
}

void warp_check_missed(Warp *w, uint32_t ended) {
  ended &= w->block->unchecked ? 0 : w->went_on;
  for (int i = 0; i < w->splits && ended; i++) {
    const Split *split = &w->split[i];
    const uint32_t missed = split->state == SPLIT_SYNC ? split->member & ended : 0;
    const unsigned lane = missed ? lane_first(missed) : 0;
    if (missed && finding_add(w->block, EMU_BARRIER, split->insn, warp_thread(w, lane), 1))
      finding_describe(w->block, "%s: lanes 0x%08x wait here, lane %u bypassed it and exited",
                       split->insn->statement->opcode, split->waiting, lane);
  }
}
