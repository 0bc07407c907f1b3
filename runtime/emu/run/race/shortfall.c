/* SPDX-License-Identifier: MIT */
#include "emu/run/race/shortfall.h"

#include <stdio.h>

#include "emu/run/race/order.h"

static const char *const scope_name[] = {".cta", ".cluster", ".gpu"};

/* The scope that reaches from one block to another. */
static MemoryScope scope_between(const Block *block, uint32_t other) {
  const uint32_t blocks = (uint32_t)block->cluster->blocks, own = (uint32_t)block->number;
  if (own == other) return SCOPE_BLOCK;
  return own / blocks == other / blocks ? SCOPE_CLUSTER : SCOPE_DEVICE;
}

static const char *name_of(const Insn *insn) {
  switch (insn->kind) {
  case INSN_MBARRIER: return "arrival";
  case INSN_ATOMIC: return "atomic";
  case INSN_ACCESS: return "store";
  case INSN_BULK: return "bulk copy";
  default: return "arrival";
  }
}

/* True if the lane of the releasing warp did it after the lanes that release last met it. */
static bool is_beside(const Attempt *a, const Block *block, const ShortfallAccess *old) {
  const int slots = block->warps + 1;
  const int slot = (int)(old->block - a->release.block) * slots + (int)(old->thread / LANES);
  return slot == a->release.warp && !(a->release.lanes >> old->thread % LANES & 1) &&
         old->tick > a->known;
}

static bool acquires_beside(const Attempt *a, const Warp *w, unsigned lane) {
  const uint32_t first = (uint32_t)w->block->number - (uint32_t)w->block->rank;
  return a->acquire.block == first && a->acquire.warp == w->slot && !(a->acquire.lanes >> lane & 1);
}

/* Writes what the attempt lacks; false if nothing is known to be missing. */
static bool describe(const Attempt *a, const Warp *w, unsigned lane, const ShortfallAccess *old,
                     const Insn *at, Shortfall *out) {
  const Program *p = w->block->program;
  const MemoryScope needed = scope_between(w->block, old->block);
  const char *release = name_of(a->release.insn);
  const InsnLine from = insn_line_from(p, a->release.insn, at);
  const InsnLine to = insn_line_from(p, a->acquire.insn, at);
  char *text = out->text;
  const size_t size = sizeof out->text;
  if (!a->release.orders)
    snprintf(text, size, "the %s at %s is relaxed, and no fence precedes it", release, from.text);
  else if (a->release.scope < needed)
    snprintf(text, size, "the %s at %s releases with scope %s, but %s is needed", release,
             from.text, scope_name[a->release.scope], scope_name[needed]);
  else if (a->acquire.scope < needed)
    snprintf(text, size, "the wait at %s acquires with scope %s, but %s is needed", to.text,
             scope_name[a->acquire.scope], scope_name[needed]);
  else if (is_beside(a, w->block, old))
    snprintf(text, size,
             "the %s at %s releases what its own lane has done: other lanes need __syncwarp() "
             "before it",
             release, from.text);
  else if (!a->acquire.orders)
    snprintf(text, size, "the load at %s is relaxed, and no fence follows it", to.text);
  else if (acquires_beside(a, w, lane))
    snprintf(text, size,
             "the wait at %s acquires for its own lane: other lanes need __syncwarp() after it",
             to.text);
  else
    return false;
  return true;
}

Shortfall shortfall_of(const Warp *w, unsigned lane, const ShortfallAccess *old, const Insn *at) {
  const Attempt a = order_attempt(w, old->block, (int)(old->thread / LANES), old->tick);
  Shortfall out;
  if (a.release.insn && describe(&a, w, lane, old, at, &out)) return out;
  const bool remote = scope_between(w->block, old->block) == SCOPE_DEVICE;
  snprintf(out.text, sizeof out.text, "%s",
           remote ? "nothing orders the blocks" : "no barrier between");
  return out;
}
