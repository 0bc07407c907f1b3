/* SPDX-License-Identifier: MIT */
/*
 * warpgroup.h: four warps that execute wgmma together, and the shared memory that their
 * operations read. An operation may read at any time from its issue until a warp of the group
 * has waited for it; other writes there must be ordered after such a wait.
 */
#ifndef KGEN_EMU_RUN_RACE_WARPGROUP_H
#define KGEN_EMU_RUN_RACE_WARPGROUP_H

#include "emu/run/state/block.h"

/* A warp arrives at a wgmma with all its lanes and waits there: true once the other three do. Warps
 * that cannot meet are reported, which ends the launch. */
bool warpgroup_meet(Warp *w, const Insn *insn);
/* The instruction where a warp of the group waits. */
const Split *warpgroup_split(const Warp *w);
/* All four warps continue after the instruction. */
void warpgroup_go_on(Warp *w);

/* The group's next operation is issued, and reads `bytes` at each offset, all multiples of 16.
 * False when out of memory. */
bool warpgroup_issue(Warp *w, const Insn *insn);
void warpgroup_read(Warp *w, uint32_t offset);
/* The warp has waited. */
void warpgroup_waited(Warp *w);

/* A lane's instruction is about to write shared memory of `block`, its own or another one of the
 * cluster: reports the first byte that a wgmma reads, or has read without a wait in between. */
void warpgroup_check_write(Block *block, Warp *w, const Insn *insn, unsigned lane, uint64_t offset,
                           uint64_t bytes);
static inline bool warpgroup_reads(const Block *block) { return block->wgmma_reads; }

void warpgroup_start(Block *block);
void warpgroup_free(Block *block);

/* Reports which warp a waiting one waits for. */
void warpgroup_report_wait(Warp *w, const Split *split);

#endif
