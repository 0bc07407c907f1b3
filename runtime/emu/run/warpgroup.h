/*
 * warpgroup.h: four warps that execute wgmma together, and what of shared memory their operations
 * read. One reads at any time from its issue until a warp of the group has waited for it; what
 * others write there must come behind such a wait.
 */
#ifndef KGEN_EMU_WARPGROUP_H
#define KGEN_EMU_WARPGROUP_H

#include "emu/run/block.h"

/* A warp arrives at a wgmma, all its lanes together, and waits there: true once the other three do.
 * What cannot meet is told, and ends the launch. */
bool warpgroup_meet(Warp *w, const Insn *insn);
/* Where a warp of the group waits. */
const Split *warpgroup_split(const Warp *w);
/* All four go on behind the instruction. */
void warpgroup_go_on(Warp *w);

/* The group's next operation is issued, and reads `bytes` at each offset, all multiples of 16.
 * False when out of memory. */
bool warpgroup_issue(Warp *w, const Insn *insn);
void warpgroup_read(Warp *w, uint32_t offset);
/* The warp has waited. */
void warpgroup_waited(Warp *w);

/* A lane's instruction is about to write shared memory of `block`, its own or another one of the
 * cluster: reports the first byte that a wgmma reads, or read without being waited for in between.
 */
void warpgroup_check_write(Block *block, Warp *w, const Insn *insn, unsigned lane, uint64_t offset,
                           uint64_t bytes);
static inline bool warpgroup_reads(const Block *block) { return block->wgmma_reads; }

void warpgroup_start(Block *block);
void warpgroup_free(Block *block);

/* Tells which warp a waiting one waits for. */
void warpgroup_report_wait(Warp *w, const Split *split);

#endif
