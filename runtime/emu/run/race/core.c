/* SPDX-License-Identifier: MIT */
#include "emu/run/race/core.h"

#include <stdio.h>

#include "emu/run/race/shortfall.h"
#include "emu/run/state/finding.h"

static const Insn *insn_of(const RaceAccess *a, const RacePoint *point) {
  return &a->warp->block->program->insn[point->pc];
}

static bool in_one_warp(const RacePoint *a, const RacePoint *b) {
  return a->block == b->block && a->thread / LANES == b->thread / LANES;
}

static uint32_t cluster_of(const RaceAccess *a, uint32_t block) {
  return block / (uint32_t)a->warp->block->cluster->blocks;
}

/* --- order --- */

/* One lane invalidates an mbarrier for all lanes that used it, as the destructor of cuda::pipeline
 * does after a match, which orders no memory. */
static bool is_of_warp(const Insn *insn) {
  return insn->kind == INSN_MBARRIER && insn->memory.mbarrier.of_warp;
}

bool race_is_before(const RaceAccess *a, const RacePoint *old) {
  const Cluster *cluster = a->warp->block->cluster;
  const unsigned lane = a->now.thread % LANES, old_lane = old->thread % LANES;
  const int warp = (int)(old->thread / LANES);
  if (cluster_of(a, old->block) != cluster_of(a, a->now.block))
    return order_has_remote(a->warp, lane, old->block, warp, old_lane, old->tick);
  if (old->block == a->now.block && old->thread == a->now.thread) return true;
  const int slot = cluster->block[old->block % (uint32_t)cluster->blocks]->first_slot + warp;
  if (is_of_warp(a->insn))
    return slot == a->warp->slot || order_has_any(a->warp, lane, slot, old->tick);
  return order_has(a->warp, lane, slot, old_lane, old->tick);
}

/* --- strength --- */

/* A volatile access of shared memory that does not wait for a flag. */
static bool is_volatile(const Insn *insn) {
  const MemoryOp *op = &insn->memory;
  return insn->kind == INSN_ACCESS && op->polls && !op->strong && !op->spins && !op->guess;
}

static bool reaches(const RaceAccess *a, const RacePoint *from, const RacePoint *to) {
  const MemoryScope scope = (MemoryScope)insn_of(a, from)->memory.scope;
  if (from->block == to->block) return true;
  return scope == SCOPE_DEVICE ||
         (scope == SCOPE_CLUSTER && cluster_of(a, from->block) == cluster_of(a, to->block));
}

static bool are_strong(const RaceAccess *a, const RacePoint *old) {
  if (!old->strong || !a->now.strong) return false;
  return reaches(a, old, &a->now) && reaches(a, &a->now, old);
}

/* True if a load decides only whether the store of the other access is executed. */
static bool is_test(const RaceAccess *a, const RacePoint *old) {
  const Program *p = a->warp->block->program;
  return old->reads ? insn_tests(p, old->pc, a->now.pc)
                    : a->now.reads && insn_tests(p, a->now.pc, old->pc);
}

/* Volatile accesses of lanes of one warp do not race, but are most often code that counts on the
 * lockstep that sm_70 gave up. */
static void note_lockstep(const RaceAccess *a, const RacePoint *old) {
  if (a->is_global || !in_one_warp(old, &a->now) || !is_volatile(insn_of(a, old)) ||
      !is_volatile(a->insn) || race_is_before(a, old))
    return;
  if (finding_add_note(a->warp->block, EMU_RACE, a->insn, a->now.thread, 1))
    race_describe(
        a, &a->now, old,
        "no race, as both are volatile, but lanes of a warp run in no order: __syncwarp() "
        "orders them");
}

bool race_is_found(const RaceAccess *a, const RacePoint *old) {
  if (!are_strong(a, old)) return !race_is_before(a, old) && !is_test(a, old);
  note_lockstep(a, old);
  return false;
}

/* --- reports --- */

typedef struct {
  char text[112];
} Words;

static bool by_copy(const RaceAccess *a, const RacePoint *point) {
  return point->thread / LANES >= (uint32_t)a->warp->block->warps;
}

static Words place_of(const RaceAccess *a) {
  const Buffer *b = a->is_global ? memory_find(a->warp->block->launch->memory, a->at) : NULL;
  Words out;
  if (a->is_global)
    snprintf(out.text, sizeof out.text, "byte %llu of buffer %.60s",
             (unsigned long long)(b ? a->at - b->base : a->at), b ? b->name : "?");
  else
    snprintf(out.text, sizeof out.text, "shared byte 0x%llx", (unsigned long long)a->at);
  return out;
}

/* "thread (3, 0, 0)", with its block where that need not be the reporting one. */
static Words name_of(const RaceAccess *a, const RacePoint *point) {
  const Block *block = a->warp->block;
  uint32_t xyz[3], index[3];
  Words out = {"a bulk copy"};
  if (by_copy(a, point)) return out;
  block_thread(block, point->thread, xyz);
  block_index(block->launch, point->block, index);
  const int n = snprintf(out.text, sizeof out.text, "thread (%u, %u, %u)", xyz[0], xyz[1], xyz[2]);
  if (a->is_global || point->block != (uint32_t)block->number)
    snprintf(out.text + n, sizeof out.text - (size_t)n, " of block (%u, %u, %u)", index[0],
             index[1], index[2]);
  return out;
}

static Shortfall missing(const RaceAccess *a, const RacePoint *old) {
  const ShortfallAccess access = {old->block, old->thread, old->tick};
  if (by_copy(a, old)) return (Shortfall){"no wait on its mbarrier between"};
  if (in_one_warp(old, &a->now) && old->pc == a->now.pc)
    return (Shortfall){"by the same instruction: which value stays is not defined"};
  return shortfall_of(a->warp, a->now.thread % LANES, &access, a->insn);
}

/* Which of two blocks comes second is chance. A race in global memory is reported at the write, and
 * of two writes at the later instruction. */
static bool reports_at_old(const RaceAccess *a, const RacePoint *old) {
  if (!a->is_global || old->block == a->now.block) return false;
  return a->now.reads || (!old->reads && old->pc > a->now.pc);
}

static EmuSpace space_of(const RaceAccess *a) { return a->is_global ? EMU_GLOBAL : EMU_SHARED; }

void race_describe(const RaceAccess *a, const RacePoint *here, const RacePoint *there,
                   const char *lacks) {
  Block *block = a->warp->block;
  finding_describe(block, "%s %s that %s %s at %s, %s", here->did, place_of(a).text,
                   name_of(a, there).text, there->did,
                   insn_line_from(block->program, insn_of(a, there), insn_of(a, here)).text, lacks);
}

bool race_report_at(const RaceAccess *a, const RacePoint *old) {
  return finding_add_race(a->warp->block, space_of(a), a->insn, insn_of(a, old), a->now.block,
                          a->now.thread, false);
}

/* Lanes of a warp run in no order of their own since sm_70. __syncwarp() orders them, unless they
 * execute one instruction. */
void race_report(const RaceAccess *a, const RacePoint *old) {
  const bool swap = reports_at_old(a, old);
  const RacePoint *here = swap ? old : &a->now, *there = swap ? &a->now : old;
  const bool of_warp = in_one_warp(here, there) && here->pc != there->pc;
  if (finding_add_race(a->warp->block, space_of(a), insn_of(a, here), insn_of(a, there),
                       here->block, here->thread, of_warp))
    race_describe(a, here, there, missing(a, old).text);
}
