/* SPDX-License-Identifier: MIT */
/*
 * proxy.h: the generic proxy and the async proxy. TMA and wgmma see what ordinary instructions
 * write only if a proxy fence follows the write and precedes them, in any thread along the way
 * [PTX ISA, proxy-preserved base causality order]. Every write is noted when it is checked for
 * races, without a call here; copies by TMA and by cp.async need no fence.
 */
#ifndef KGEN_EMU_RUN_ASYNC_PROXY_H
#define KGEN_EMU_RUN_ASYNC_PROXY_H

#include "emu/run/race/order.h"
#include "emu/run/state/block.h"
#include "emu/run/state/box.h"

/* A lane's instruction is about to let the async proxy read `bytes` at an offset of its block's
 * shared memory: reports the first byte that an ordinary instruction wrote without a proxy fence
 * since. `reader` is what reads, for the message: "a bulk copy", "wgmma". True if there is none. */
bool proxy_check_async_read(Warp *w, const Insn *insn, unsigned lane, uint64_t offset,
                            uint64_t bytes, const char *reader);
/* The async proxy is about to write a box of the owner's shared memory: notes the first byte that
 * an ordinary instruction wrote or read without a proxy fence since. */
void proxy_check_async_write(const Block *owner, Warp *w, const Insn *insn, unsigned lane,
                             const Box *box);
/* fence.proxy.tensormap acquires a map for the warp. */
void proxy_acquire_map(Warp *w, const Insn *insn, uint64_t address);
/* A lane's copy uses a map in global memory: reports that it was written, and not acquired since.
 */
void proxy_use_map(Warp *w, const Insn *insn, unsigned lane, uint64_t address);
/* A lane writes a whole map in global memory. */
void proxy_write_map(Warp *w, const Insn *insn, unsigned lane, uint64_t address);

#endif
