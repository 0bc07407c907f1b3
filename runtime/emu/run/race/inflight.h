/* SPDX-License-Identifier: MIT */
/*
 * inflight.h: registers that wgmma uses asynchronously: accumulators and registers of A, from
 * its issue until the warp has waited for its group; and what other instructions did to them
 * since the last wgmma.fence. Compilers copy registers by mov: a copy has the state of its
 * source.
 */
#ifndef KGEN_EMU_RUN_RACE_INFLIGHT_H
#define KGEN_EMU_RUN_RACE_INFLIGHT_H

#include "emu/run/state/block.h"

/* A block begins: nothing is in flight. */
void inflight_start(Warp *w);
void inflight_free(Warp *w);

/* wgmma.fence; wgmma.commit_group; wgmma.wait_group, which does not wait for the newest `most`
 * groups. False when out of memory. */
bool inflight_fence(Warp *w);
bool inflight_commit(Warp *w);
bool inflight_wait(Warp *w, uint32_t most);
/* The group that the next wgmma belongs to, from 1 on, and the newest one that was waited for. */
uint32_t inflight_group(const Warp *w);
uint32_t inflight_done(const Warp *w);

/* A split issues the warp's part of a wgmma; reports registers that it must not use. */
bool inflight_issue(Warp *w, const Split *split, const Insn *insn);
/* Any other instruction of a watched warp; reports registers that are in flight. */
void inflight_touch(Warp *w, const Insn *insn);

#endif
