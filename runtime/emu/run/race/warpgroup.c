/* SPDX-License-Identifier: MIT */
/* Warps that execute wgmma together, and the shared memory that it reads. */
#include "emu/run/race/warpgroup.h"

#include <stdlib.h>
#include <string.h>

#include "emu/run/race/inflight.h"
#include "emu/run/race/order.h"
#include "emu/run/state/finding.h"

/* The number of operations that are remembered; older ones are not reported. */
enum { KEPT = 256, UNIT = 16 };

typedef struct {
  int32_t pc;
  uint32_t group[WGMMA_WARPS];  /* by warp: inflight_group */
  uint32_t waited[WGMMA_WARPS]; /* the tick at which it had waited; 0: not yet */
} Operation;

/* Operations are numbered from 1. */
struct Warpgroup {
  uint32_t issued, waited[WGMMA_WARPS]; /* up to which one */
  Operation kept[KEPT];
  uint32_t reader[]; /* for each UNIT of shared memory the operation that read it last; 0: none */
};

static Operation *operation(Warpgroup *g, uint32_t number) { return &g->kept[number % KEPT]; }

static Warp *first_of(const Warp *w) {
  return &w->block->warp[w->index / WGMMA_WARPS * WGMMA_WARPS];
}

static Warpgroup *group_of(const Warp *w) { return w->block->warpgroup[w->index / WGMMA_WARPS]; }

static size_t units_of(const Block *block) { return block->shared_room / UNIT + 1; }

void warpgroup_start(Block *block) {
  for (int i = 0; i < MAX_WARPS / WGMMA_WARPS; i++) {
    Warpgroup *g = block->warpgroup[i];
    if (g) memset(g, 0, sizeof *g + units_of(block) * sizeof *g->reader);
  }
  block->wgmma_reads = false;
}

void warpgroup_free(Block *block) {
  for (int i = 0; i < MAX_WARPS / WGMMA_WARPS; i++) free(block->warpgroup[i]);
}

/* --- meeting --- */

static const Split *waiting_split(const Warp *w) {
  for (int i = 0; i < w->splits; i++) {
    if (w->split[i].state == SPLIT_GROUP) return &w->split[i];
  }
  return NULL;
}

const Split *warpgroup_split(const Warp *w) { return waiting_split(w); }

/* Ends the launch; true if the finding is new, and needs its text. */
static bool fail(Warp *w, const Insn *insn) {
  block_stop(w->block);
  return finding_add(w->block, EMU_BARRIER, insn, warp_thread(w, 0), 1);
}

static bool is_complete(Warp *w, const Insn *insn) {
  const int warps = w->block->warps - w->index / WGMMA_WARPS * WGMMA_WARPS;
  if (warps < WGMMA_WARPS) {
    if (fail(w, insn))
      finding_describe(w->block, "a wgmma needs four warps, the warpgroup has %d", warps);
    return false;
  }
  if (w->alive == ALL_LANES && w->now->mask == ALL_LANES) return true;
  if (fail(w, insn))
    finding_describe(w->block, "a wgmma needs all 32 lanes of the warp, 0x%08x are here",
                     w->now->mask);
  return false;
}

/* All four warps wait: true unless they wait at different instructions. */
static bool at_one(Warp *w, const Insn *insn) {
  for (int i = 0; i < WGMMA_WARPS; i++) {
    const Insn *other = waiting_split(first_of(w) + i)->insn;
    if (other == insn) continue;
    if (fail(w, insn))
      finding_describe(w->block, "warps of one warpgroup execute different wgmma, another %s",
                       insn_line(w->block->program, other).text);
    return false;
  }
  return true;
}

bool warpgroup_meet(Warp *w, const Insn *insn) {
  if (!is_complete(w, insn)) return false;
  w->now->state = SPLIT_GROUP;
  w->now->waiting = ALL_LANES;
  w->now->insn = insn;
  for (int i = 0; i < WGMMA_WARPS; i++) {
    if (!waiting_split(first_of(w) + i)) return false;
  }
  return at_one(w, insn);
}

void warpgroup_go_on(Warp *w) {
  for (int i = 0; i < WGMMA_WARPS; i++) {
    Split *split = (Split *)waiting_split(first_of(w) + i);
    split->state = SPLIT_READY;
    split->pc++;
  }
}

void warpgroup_report_wait(Warp *w, const Split *split) {
  Block *block = w->block;
  const Warp *first = first_of(w);
  for (int i = 0; i < WGMMA_WARPS; i++) {
    const Split *other = waiting_split(&first[i]);
    if (other && other->insn == split->insn) continue;
    if (!finding_add(block, EMU_BARRIER, split->insn, warp_thread(&first[i], 0), 1)) return;
    finding_describe(block, "a wgmma waits for ever: warp %d is here, warp %d of its warpgroup %s",
                     w->index, first[i].index, first[i].alive ? "does not come" : "has ended");
    return;
  }
}

/* --- reading --- */

bool warpgroup_issue(Warp *w, const Insn *insn) {
  Block *block = w->block;
  Warpgroup **g = &block->warpgroup[w->index / WGMMA_WARPS];
  if (!*g) *g = calloc(1, sizeof **g + units_of(block) * sizeof(*g)->reader[0]);
  if (!*g) return false;
  block->wgmma_reads = true;
  Operation *op = operation(*g, ++(*g)->issued);
  *op = (Operation){.pc = (int32_t)(insn - w->code)};
  for (int i = 0; i < WGMMA_WARPS; i++) op->group[i] = inflight_group(first_of(w) + i);
  return true;
}

void warpgroup_read(Warp *w, uint32_t offset) {
  Warpgroup *g = group_of(w);
  g->reader[offset / UNIT] = g->issued;
}

void warpgroup_waited(Warp *w) {
  Warpgroup *g = group_of(w);
  const int own = w->index % WGMMA_WARPS;
  if (!g) return;
  while (g->waited[own] < g->issued) {
    Operation *op = operation(g, g->waited[own] + 1);
    if (g->issued - g->waited[own] <= KEPT && op->group[own] > inflight_done(w)) return;
    op->waited[own] = order_now(w);
    g->waited[own]++;
  }
}

/* --- writing --- */

/* Whether a write by the warp is ordered after the operation: after one warp's wait for it, since
 * the parts of the four warps are one operation. */
static bool is_ordered_after(const Warp *w, unsigned lane, const Warp *first, const Operation *op) {
  for (int i = 0; i < WGMMA_WARPS; i++) {
    if (!op->waited[i]) continue;
    if (&first[i] == w || order_has_any(w, lane, first[i].slot, op->waited[i])) return true;
  }
  return false;
}

static bool is_of_group(const Warp *w, const Warp *first) {
  return w->block == first->block && w->index / WGMMA_WARPS == first->index / WGMMA_WARPS;
}

/* True if the operation has been waited for: by any warp of the group, or by the writing warp
 * itself if it belongs to the group. */
static bool is_waited(const Operation *op, const Warp *w, const Warp *first) {
  uint32_t any = 0;
  if (is_of_group(w, first)) return op->waited[w->index % WGMMA_WARPS] != 0;
  for (int i = 0; i < WGMMA_WARPS; i++) any |= op->waited[i];
  return any != 0;
}

/* The synchronisation that is missing between the operation and the writing warp. */
static const char *lack(const Operation *op, const Warp *w, const Warp *first, bool waited) {
  if (waited) return "reads: no barrier between its wgmma.wait_group and the write";
  const bool own = is_of_group(w, first);
  for (int i = 0; i < WGMMA_WARPS; i++)
    if ((!own || &first[i] == w) && op->group[i] == inflight_group(&first[i]))
      return "still reads: no wgmma.commit_group has committed it";
  return "still reads: no wgmma.wait_group has waited for it";
}

static void report(Block *block, Warp *w, const Insn *insn, unsigned lane, uint64_t at,
                   const Warp *first, const Operation *op) {
  const bool waited = is_waited(op, w, first);
  if (!finding_add(w->block, waited ? EMU_RACE : EMU_IN_FLIGHT, insn, warp_thread(w, lane), 1))
    return;
  finding_describe(
      w->block, "writes shared byte 0x%llx that the wgmma at %s %s", (unsigned long long)at,
      insn_line(block->program, &block->program->insn[op->pc]).text, lack(op, w, first, waited));
}

/* True if something was reported. */
static bool check_unit(Block *block, Warp *w, const Insn *insn, unsigned lane, uint64_t at) {
  for (int i = 0; i < MAX_WARPS / WGMMA_WARPS; i++) {
    Warpgroup *g = block->warpgroup[i];
    const uint32_t reader = g ? g->reader[at / UNIT] : 0;
    if (!reader || g->issued - reader >= KEPT) continue;
    const Operation *op = operation(g, reader);
    const Warp *first = &block->warp[i * WGMMA_WARPS];
    if (is_ordered_after(w, lane, first, op)) continue;
    report(block, w, insn, lane, at, first, op);
    return true;
  }
  return false;
}

void warpgroup_check_write(Block *block, Warp *w, const Insn *insn, unsigned lane, uint64_t offset,
                           uint64_t bytes) {
  for (uint64_t at = offset; at < offset + bytes; at += UNIT - at % UNIT) {
    if (check_unit(block, w, insn, lane, at)) return;
  }
}
