/* SPDX-License-Identifier: MIT */
#include "emu/run/sched/warp.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "emu/run/async/flight.h"
#include "emu/run/async/mbarrier.h"
#include "emu/run/race/inflight.h"
#include "emu/run/sched/barrier.h"
#include "emu/run/sched/converge.h"
#include "emu/run/sched/hang.h"
#include "emu/run/sched/schedule.h"
#include "emu/run/sched/translated.h"
#include "emu/run/state/finding.h"
#include "emu/run/undef/set.h"
#include "emu/run/undef/values.h"
#include "emu/translate/translate.h"

enum { TIME_SLICE = 256, MAX_SLOTS = 1 << 17 };

/* --- frames --- */

void warp_set_frame(Warp *w, Frame frame) {
  w->now->frame = frame;
  w->base[BANK_FRAME] = w->slots + (size_t)frame.slot * LANES;
  w->pred = w->preds + frame.pred;
}

static void switch_to(Warp *w, Split *split) {
  w->now = split;
  warp_set_frame(w, split->frame);
}

static Split *split_new(Warp *w) {
  for (int i = 0; i < LANES; i++) {
    if (w->split[i].state != SPLIT_FREE) continue;
    if (i >= w->splits) w->splits = i + 1;
    return &w->split[i];
  }
  die("emu: more splits than lanes");
}

/* --- convergence --- */

static int record_new(Warp *w) {
  if (w->records == UINT64_MAX) return NO_RECORD;
  int i = __builtin_ctzll(~w->records);
  w->records |= 1ull << i;
  return i;
}

static void record_free(Warp *w, int i) { w->records &= ~(1ull << i); }

/* True if lanes already wait for each other at `join` through the split's innermost record. */
static bool already_joins(const Warp *w, const Split *split, int32_t join) {
  if (split->record == NO_RECORD) return false;
  const Record *record = &w->record[split->record];
  return record->pc == join && record->depth == split->depth;
}

/* Records a convergence point. If all records are in use, the lanes reconverge only at the
 * enclosing point, which is slower but correct. */
static void open_record(Warp *w, Split *split, int32_t join) {
  if (join < 0 || already_joins(w, split, join)) return;
  int i = record_new(w);
  if (i == NO_RECORD) return;
  w->record[i] = (Record){.expect = split->mask,
                          .pc = join,
                          .depth = split->depth,
                          .parent = split->record,
                          .frame = split->frame};
  split->record = i;
}

void warp_diverge(Warp *w, uint32_t active, int32_t target, int32_t other, int32_t join) {
  Split *split = w->now;
  if (active == split->mask) {
    split->pc = target;
    return;
  }
  open_record(w, split, join);
  if (target == join && already_joins(w, split, join)) {
    w->record[split->record].arrived |= active;
  } else {
    Split *taken = split_new(w);
    *taken = *split;
    taken->mask = active;
    taken->pc = target;
  }
  split->mask &= ~active;
  split->pc = other;
}

/* Removes lanes that exited or took another path from a record. If all remaining lanes have
 * arrived, they continue. */
static void record_drop(Warp *w, int i, uint32_t gone) {
  Record *record = &w->record[i];
  record->expect &= ~gone;
  if (record->expect != record->arrived) return;
  record_free(w, i);
  if (!record->expect) return;
  *split_new(w) = (Split){.state = SPLIT_READY,
                          .mask = record->expect,
                          .pc = record->pc,
                          .depth = record->depth,
                          .record = record->parent,
                          .frame = record->frame};
}

/* The innermost record, among the split's own and the enclosing ones, that joins at the split's
 * pc. */
static int record_here(const Warp *w, const Split *split) {
  int i = split->record;
  while (i != NO_RECORD && (w->record[i].pc != split->pc || w->record[i].depth != split->depth)) {
    i = w->record[i].parent;
  }
  return i;
}

/* The split reaches a convergence point. Returns false if it is absorbed there to wait for others.
 * A path that bypasses inner convergence points removes its lanes from them. */
static bool arrive(Warp *w, Split *split) {
  for (int here = record_here(w, split); here != NO_RECORD; here = record_here(w, split)) {
    while (split->record != here) {
      int inner = split->record;
      split->record = w->record[inner].parent;
      record_drop(w, inner, split->mask);
    }
    Record *record = &w->record[here];
    record->arrived |= split->mask;
    if (record->arrived != record->expect) {
      split->state = SPLIT_FREE;
      return false;
    }
    split->mask = record->arrived;
    split->record = record->parent;
    record_free(w, here);
  }
  return true;
}

static void forget_lanes(Warp *w, uint32_t gone) {
  for (uint64_t rest = w->records; rest; rest &= rest - 1) {
    record_drop(w, __builtin_ctzll(rest), gone);
  }
}

/* Splits that wait at a warp-wide instruction check again, because lanes that they wait for have
 * exited. */
static void wake(Warp *w) {
  for (int i = 0; i < w->splits; i++) {
    if (w->split[i].state == SPLIT_SYNC) w->split[i].state = SPLIT_READY;
  }
}

Flow warp_exit(Warp *w, const Insn *insn, uint32_t active) {
  Split *split = w->now;
  warp_check_missed(w, active);
  barrier_lanes_exit(w, insn, active);
  split->mask &= ~active;
  if (!split->mask)
    split->state = SPLIT_FREE;
  else
    split->pc++;
  forget_lanes(w, active);
  wake(w);
  return FLOW_GONE;
}

/* --- execution --- */

static Split *next_ready(const Warp *w, const Split *after) {
  int at = after ? (int)(after - w->split) : -1;
  for (int i = 0; i < w->splits; i++) {
    if (++at >= w->splits) at = 0;
    if (w->split[at].state == SPLIT_READY) return &((Warp *)w)->split[at];
  }
  return NULL;
}

/* True if the instruction continues the current straight-line run. */
static bool runs_on(const Warp *w, const Insn *insn, bool all) {
  return insn_runs_on(insn, all, insn->join && warp_reconverges_at(w, (int32_t)(insn - w->code)));
}

/* Executes at most `most` instructions of a straight-line run; returns their number. */
static int run_plain(Warp *w, int most) {
  Split *split = w->now;
  const Insn *insn = &w->code[split->pc], *const first = insn;
  const uint32_t mask = split->mask;
  const bool all = mask == ALL_LANES;
  const unsigned lanes = all ? LANES : lane_count(mask);
  uint64_t lane_steps = 0;
  w->run++;
  for (; runs_on(w, insn, all) && insn - first < most && !w->undefined; insn++) {
    if (insn_is_always(insn)) {
      lane_steps += lanes;
      insn->fn(w, insn, mask);
      continue;
    }
    const uint32_t active = mask & warp_pred(w, insn->guard);
    lane_steps += lane_count(active);
    if (active) insn->fn(w, insn, active);
  }
  const int done = (int)(insn - first);
  split->pc += done;
  w->steps += (uint64_t)done;
  w->lane_steps += lane_steps;
  return done;
}

/* Like run_plain(), for an unchecked launch. The slice ends only where lanes may diverge or wait,
 * so that results do not depend on how much of the kernel is compiled so far. */
static int run_unchecked(Warp *w, int slice) {
  const bool translates = w->block->launch->config->translator;
  Split *split = w->now;
  const bool all = split->mask == ALL_LANES;
  const NativeRun *runs = translates ? translation_runs(w->block->program, all) : NULL;
  int done = 0;
  if (!runs) return run_plain(w, INT_MAX);
  for (bool ended = false; !ended && runs_on(w, &w->code[split->pc], all);)
    done += runs[split->pc] ? translated_run(w, runs, slice - done, &ended) : run_plain(w, 1);
  return done;
}

/* Executes one instruction of the current split, or none if a straight-line run starts there. False
 * if the split cannot continue now. */
static bool step(Warp *w, int *slice) {
  Split *split = w->now;
  const Insn *insn = &w->code[split->pc];
  if (insn->join && !arrive(w, split)) return false;
  const bool fast = w->block->unchecked && !w->watched;
  if (insn->join && fast && runs_on(w, insn, split->mask == ALL_LANES)) return true;
  uint32_t active = split->mask & warp_pred(w, insn->guard);
  w->steps++;
  w->run++;
  w->lane_steps += active == ALL_LANES ? LANES : lane_count(active);
  if (w->watched && active) inflight_touch(w, insn);
  Flow flow = w->undefined ? undef_step(w, insn, active)
              : active     ? insn->fn(w, insn, active)
                           : FLOW_NEXT;
  if (flow == FLOW_NEXT) split->pc++;
  const bool goes_on = flow <= FLOW_JUMP;
  *slice -= goes_on;
  return goes_on;
}

/* True if lanes that reconverge at the record exit there. */
static bool ends_at(const Warp *w, const Record *record) {
  const Insn *insn = &w->code[record->pc];
  return record->depth == 0 && insn->kind == INSN_END && insn_is_always(insn) && !insn->end.traps;
}

bool warp_stop_waiting(Warp *w, bool to_end) {
  bool any = false;
  for (uint64_t rest = w->records; rest; rest &= rest - 1) {
    int i = __builtin_ctzll(rest);
    Record *record = &w->record[i];
    if (!record->arrived || (to_end && !ends_at(w, record))) continue;
    any = true;
    w->went_on |= record->arrived;
    *split_new(w) = (Split){.state = SPLIT_READY,
                            .mask = record->arrived,
                            .pc = record->pc,
                            .depth = record->depth,
                            .record = record->parent,
                            .frame = record->frame};
    record->expect &= ~record->arrived;
    record->arrived = 0;
  }
  return any;
}

/* True if a whole time slice, or one that led to a barrier, only polled memory that others write
 * and changed none. A polling loop may pass several barriers per poll. */
static bool only_polled(Warp *w, int whole, int slice) {
  const bool is_whole = slice <= 0 || w->yields || w->meets, still = is_whole && !w->changed;
  const bool polled = still && w->polled;
  const uint64_t steps = (uint64_t)(whole - slice) + w->meets;
  w->ends_between_polls = !is_whole && !w->polled && !w->changed && w->poll_slices;
  w->idle_or_at_barrier &= polled || w->ends_between_polls || (still && w->meets);
  if (polled)
    w->waited += steps;
  else
    w->followed += steps;
  if (!w->ends_between_polls) w->poll_slices = w->polled ? w->poll_slices + 1 : 0;
  w->polled = polled && w->meets;
  w->changed = false;
  return polled;
}

/* Vary the slice length: if the length of a lock/unlock loop divided it, every slice could end with
 * the lock held, and the other warps would starve. */
static int next_slice(const Warp *w) {
  enum { STEPS = 61 }; /* a prime, which loop lengths rarely divide */
  Launch *launch = w->block->launch;
  /* a polling loop must fit in a slice, or else it would not be recognised */
  if (launch->schedule.number && !w->poll_slices) return schedule_slice(launch, TIME_SLICE);
  return TIME_SLICE + (int)(w->poll_slices % STEPS);
}

/* Ends the launch; true if the caller must describe the finding. */
static bool out_of_steps(Warp *w) {
  const Insn *insn = &w->code[w->now->pc];
  uint32_t thread = warp_thread(w, lane_first(w->now->mask ? w->now->mask : 1));
  atomic_store(&w->block->launch->out_of_steps, true);
  block_stop(w->block);
  return finding_add(w->block, EMU_MAX_STEPS, insn, thread, 1);
}

static void check_steps(Warp *w) {
  const uint64_t most = w->block->launch->max_steps;
  if (w->steps - w->waited <= most || !out_of_steps(w)) return;
  finding_describe(w->block, "warp %d executed more than %llu instructions", w->index,
                   (unsigned long long)most);
}

void warp_report_hang(Warp *w, uint64_t idle) {
  if (!out_of_steps(w)) return;
  finding_describe(w->block,
                   "warp %d is spinning: no warp changed memory while all running warps executed "
                   "%llu instructions",
                   w->index, (unsigned long long)idle);
  w->block->findings->found[w->block->findings->current].finding.spins = true;
  hang_add_others(w);
}

bool warp_run(Warp *w) {
  Split *split = next_ready(w, w->now);
  bool ran = split != NULL;
  w->stalled = w->idle_or_at_barrier = ran;
  w->followed = 0;
  while (split && !w->block->stop) {
    switch_to(w, split);
    const int whole = next_slice(w);
    int slice = whole;
    w->yields = w->meets = false;
    do {
      if (!w->watched) slice -= w->block->unchecked ? run_unchecked(w, slice) : run_plain(w, slice);
    } while (slice > 0 && step(w, &slice) && slice > 0 && !w->yields);
    const bool polled = only_polled(w, whole, slice);
    w->stalled &= polled || w->ends_between_polls;
    check_steps(w);
    if (slice <= 0 || w->yields || polled) return true;
    split = next_ready(w, w->now);
  }
  return ran;
}

/* --- storage --- */

/* Grows an array. The new part is zeroed, so that reads of uninitialized registers give the same
 * value in every run. The array is aligned to cache lines, so that vectors of registers do not
 * cross lines. */
static bool reserve(void **array, size_t *capacity, size_t need, size_t size) {
  enum { LINE = 64 };
  if (need <= *capacity) return true;
  char *grown = aligned_alloc(LINE, number_up_bytes(need * size, LINE));
  if (!grown) return false;
  if (*capacity) memcpy(grown, *array, *capacity * size);
  memset(grown + *capacity * size, 0, (need - *capacity) * size);
  free(*array);
  *array = grown;
  *capacity = need;
  return true;
}

static bool reserve_returns(Warp *w, int depth) {
  if (depth <= w->return_capacity) return true;
  int capacity = depth + 15;
  void *grown = realloc(w->returns, (size_t)capacity * sizeof *w->returns);
  if (!grown) return false;
  w->returns = grown;
  w->return_capacity = capacity;
  return true;
}

bool warp_reserve(Warp *w, const FunctionCode *f, Frame frame, int depth) {
  size_t slots = (size_t)frame.slot + (size_t)f->slots + 1;
  size_t preds = (size_t)frame.pred + (size_t)f->preds + 1;
  uint32_t local = frame.local + f->local_bytes;
  if (slots > MAX_SLOTS || local > MAX_LOCAL_BYTES || depth > MAX_CALL_DEPTH) return false;
  void *slot = w->slots, *pred = w->preds;
  bool ok = reserve(&slot, &w->slot_capacity, slots, LANES * sizeof *w->slots);
  ok &= reserve(&pred, &w->pred_capacity, preds, sizeof *w->preds);
  w->slots = slot;
  w->preds = pred;
  return ok && local_reserve(&w->local, local) && reserve_returns(w, depth);
}

void warp_release(Warp *w) {
  free(w->slots);
  free(w->preds);
  free(w->special);
  local_release(&w->local);
  free(w->returns);
  free(w->async);
  flight_free_outbound(w);
  undef_free(w);
  inflight_free(w);
}

/* Zeroes the registers: all of them if the launch is checked, otherwise those that the kernel may
 * read before it writes them. */
static void clear_registers(Warp *w, const FunctionCode *kernel) {
  const Program *p = w->block->program;
  const size_t bytes = LANES * sizeof *w->slots;
  uint64_t *const slots = w->slots;
  if (!w->block->unchecked) {
    memset(slots, 0, (size_t)kernel->slots * bytes);
    return;
  }
  for (const SlotRange *r = p->unset, *end = r + p->unsets; r < end; r++)
    memset(slots + (size_t)r->first * LANES, 0, (size_t)r->count * bytes);
}

void warp_start(Warp *w, const FunctionCode *kernel, uint32_t initial) {
  undef_start(w);
  inflight_start(w);
  if (!w->block->unchecked) local_enter(&w->local, initial, 0, kernel->local_bytes);
  if (w->splits > 1) memset(w->split + 1, 0, (size_t)(w->splits - 1) * sizeof *w->split);
  w->splits = 1;
  w->initial = w->alive = initial;
  w->records = 0;
  w->carry = 0;
  w->went_on = w->ended_after = 0;
  w->polled = false;
  w->changed = false;
  w->stalled = w->idle_or_at_barrier = false;
  w->steps = w->waited = w->followed = w->poll_slices = 0;
  w->asyncs = 0;
  w->waits.insn = w->passed.insn = NULL;
  memset(w->acquired, 0, sizeof w->acquired);
  if (!w->block->unchecked || w->counted) memset(w->counts, 0, sizeof w->counts);
  w->counted = false;
  clear_registers(w, kernel);
  memset(w->preds, 0, (size_t)kernel->preds * sizeof *w->preds);
  w->base[BANK_SPECIAL] = w->special;
  w->split[0] =
      (Split){.state = SPLIT_READY, .mask = initial, .pc = kernel->entry, .record = NO_RECORD};
  switch_to(w, &w->split[0]);
}
