/* SPDX-License-Identifier: MIT */
#include "emu/run/sched/register_pool.h"

#include "emu/run/state/finding.h"

void register_pool_start(Block *block) {
  block->free_registers = 0;
  for (int i = 0; i < block->warps; i++) block->warp[i].registers = block->program->registers;
}

static bool take(Warp *w, uint32_t count) {
  const uint32_t more = count - w->registers;
  if (more > w->block->free_registers) return false;
  w->block->free_registers -= more;
  w->registers = count;
  return true;
}

static void report_direction(Warp *w, const Insn *insn, uint32_t count, const char *than) {
  if (!finding_add(w->block, EMU_WARPGROUP, insn, warp_thread(w, 0), 1)) return;
  finding_describe(w->block, "setmaxnreg to %u registers, %s than the %u that a thread has", count,
                   than, w->registers);
}

bool register_pool_raise(Warp *w, const Insn *insn, uint32_t count) {
  if (count < w->registers) {
    report_direction(w, insn, count, "fewer");
    return true;
  }
  if (take(w, count)) return true;
  w->now->state = SPLIT_POOL;
  w->now->waiting = w->now->mask;
  w->now->insn = insn;
  return false;
}

/* Gives waiting warps the registers that they need, in warp order. */
static void serve(Block *block) {
  for (int i = 0; i < block->warps; i++) {
    Warp *w = &block->warp[i];
    for (int k = 0; k < w->splits; k++) {
      Split *split = &w->split[k];
      if (split->state != SPLIT_POOL || !take(w, (uint32_t)split->insn->value)) continue;
      split->state = SPLIT_READY;
      split->pc++;
    }
  }
}

void register_pool_lower(Warp *w, const Insn *insn, uint32_t count) {
  if (count > w->registers) {
    report_direction(w, insn, count, "more");
    return;
  }
  w->block->free_registers += w->registers - count;
  w->registers = count;
  serve(w->block);
}

void register_pool_report_wait(Warp *w, const Split *split) {
  Block *block = w->block;
  const uint32_t count = (uint32_t)split->insn->value;
  if (!finding_add(block, EMU_BARRIER, split->insn, warp_thread(w, lane_first(split->waiting)), 1))
    return;
  finding_describe(block,
                   "setmaxnreg.inc to %u registers waits for ever: a thread has %u, and the pool "
                   "%u for each of a warp's",
                   count, w->registers, block->free_registers);
}
