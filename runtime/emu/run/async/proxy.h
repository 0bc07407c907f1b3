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

/* A lane's instruction is about to let the async proxy read `bytes` at an offset of its block's
 * shared memory: reports the first byte that an ordinary instruction wrote without a proxy fence
 * since. `reader` is what reads, for the message: "a bulk copy", "wgmma". True if there is none. */
bool proxy_check_async_read(Warp *w, const Insn *insn, unsigned lane, uint64_t offset,
                            uint64_t bytes, const char *reader);

#endif
