/* SPDX-License-Identifier: MIT */
#include "emu/run/search/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu/run/search/search.h"
#include "emu/run/search/taint.h"

static EmuWhere where_of(const Program *p, const Insn *insn) {
  const SourceLoc at = insn_source(p, insn);
  return (EmuWhere){.at = {ast_file(p->ast, at.file), at.line}, .ptx_line = insn->statement->line};
}

static bool repeats(const Program *p, const SearchResult *r, int i) {
  return r->step[i - 1]->warp == r->step[i]->warp &&
         insn_same_source(p, &p->insn[r->step[i - 1]->pc], &p->insn[r->step[i]->pc]);
}

/* Adds the last steps before the end, each with the number of times that it is taken in a row. */
static void add_steps(const Program *p, const SearchResult *r, EmuFinding *f) {
  enum { MOST = 6 };
  int first = r->steps;
  for (int runs = 0; first > 0; first--) {
    runs += first == r->steps || !repeats(p, r, first);
    if (runs > MOST) break;
  }
  for (int i = first, times; i < r->steps && f->wheres < EMU_WHERES - 2; i += times) {
    for (times = 1; i + times < r->steps && repeats(p, r, i + times);) times++;
    EmuWhere *w = &f->where[f->wheres++];
    *w = where_of(p, &p->insn[r->step[i]->pc]);
    snprintf(w->text, sizeof w->text, "in that order: threads like those of warp %d, %d time%s",
             r->step[i]->warp, times, times == 1 ? "" : "s");
  }
}

/* Adds a finding at the first place where threads wait. */
static void add_hang(const Launch *launch, const SyncLog *log, const SearchResult *r,
                     EmuResult *result) {
  const Program *p = launch->program;
  EmuFinding *grown =
      realloc(result->finding, (size_t)(result->findings + 1) * sizeof *result->finding);
  if (!grown || !r->blocked) return;
  result->finding = grown;
  const SyncOp *first = r->at[0].op;
  const Insn *insn = &p->insn[first->pc];
  const EmuWhere place = where_of(p, insn);
  EmuFinding *f = &grown[result->findings++];
  *f = (EmuFinding){.kind = EMU_BARRIER,
                    .space = EMU_SPACES,
                    .file = place.at.file,
                    .line = place.at.line,
                    .ptx_line = place.ptx_line,
                    .count = 1};
  const uint32_t thread = (uint32_t)first->warp * LANES + lane_first(first->lanes);
  const uint32_t *size = launch->config->block;
  f->thread[0] = thread % size[0];
  f->thread[1] = thread / size[0] % size[1];
  f->thread[2] = thread / size[0] / size[1];
  block_index(launch, log->block, f->block);
  snprintf(f->message, sizeof f->message, "%s",
           r->end == SEARCH_HANGS
               ? "this run ends, but another order of the block's barrier and mbarrier operations "
                 "deadlocks"
               : "this run ends, but in another order a phase of an mbarrier gets more arrivals "
                 "than it has");
  add_steps(p, r, f);
  for (int i = 0; i < r->blocked && f->wheres < EMU_WHERES; i++) {
    EmuWhere *w = &f->where[f->wheres++];
    *w = where_of(p, &p->insn[r->at[i].op->pc]);
    snprintf(w->text, sizeof w->text, "then threads like those of warp %d %s here",
             r->at[i].op->warp, r->end == SEARCH_HANGS ? "wait forever" : "are");
  }
}

static void refuse(EmuResult *result, const Program *p, const Insn *insn, const char *why) {
  if (insn)
    snprintf(result->search, sizeof result->search, "orders are not searched: %s (%s)", why,
             insn_line(p, insn).text);
  else
    snprintf(result->search, sizeof result->search, "orders are not searched: %s", why);
}

static void lanes_of(const Launch *launch, uint32_t lanes[MAX_WARPS], int *warps) {
  const uint32_t *size = launch->config->block;
  uint32_t left = size[0] * size[1] * size[2];
  for (*warps = 0; left; ++*warps) {
    const uint32_t here = left < LANES ? left : LANES;
    lanes[*warps] = here == LANES ? ALL_LANES : (1u << here) - 1;
    left -= here;
  }
}

void search_report(const Launch *launch, EmuResult *result) {
  const SyncLogs *logs = launch->logs;
  const Program *p = launch->program;
  uint32_t lanes[MAX_WARPS];
  int warps, operations = 0;
  bool failed;
  uint64_t states = 0;
  if (!logs || result->findings || result->cut) return;
  if (launch->cluster_blocks > 1) {
    refuse(result, p, NULL, "blocks of a cluster synchronise with each other");
    return;
  }
  const Insn *taint = taint_find(p, &failed);
  if (taint || failed) {
    refuse(result, p, taint, taint ? "this depends on data" : "memory does not suffice");
    return;
  }
  lanes_of(launch, lanes, &warps);
  for (const SyncLog *log = logs->first; log; log = log->next) {
    if (log->unfit) {
      refuse(result, p, &p->insn[log->unfit_pc], log->unfit);
      return;
    }
    const SearchResult r = search_run(log, warps, lanes, launch->config->hang_states);
    states += r.states;
    operations += r.operations;
    if (r.end == SEARCH_PROVED) continue;
    if (r.end == SEARCH_BOUND)
      snprintf(result->search, sizeof result->search,
               "no order hangs among the first %" PRIu64 " states, which is no proof", r.states);
    else if (r.end == SEARCH_OUT_OF_MEMORY)
      refuse(result, p, NULL,
             "more than 128 sets of lanes or barriers, or memory does not suffice");
    else
      add_hang(launch, log, &r, result);
    return;
  }
  snprintf(result->search, sizeof result->search,
           "no order of the barrier and mbarrier operations hangs: %d operations in %d kinds of "
           "blocks, %" PRIu64 " states",
           operations, logs->count, states);
}
