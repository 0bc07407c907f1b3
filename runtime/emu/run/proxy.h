/*
 * proxy.h: the generic proxy and the async one. What ordinary instructions write to shared memory
 * TMA and wgmma see only if a proxy fence follows the write and precedes them, on whichever thread
 * along the way [PTX ISA, proxy-preserved base causality order]. Every write is noted as it is
 * checked for races, and so needs no call here; copies by TMA and by cp.async need no fence.
 */
#ifndef KGEN_EMU_PROXY_H
#define KGEN_EMU_PROXY_H

#include "emu/run/block.h"

/* fence.proxy.async by `lanes` of the warp. */
void proxy_fence(Warp *w, uint32_t lanes);
/* A lane's instruction is about to let the async proxy read `bytes` at an offset of its block's
 * shared memory: reports the first byte that an ordinary instruction wrote without a proxy fence
 * since. `reader` is what reads, for the message: "a bulk copy", "wgmma". True if there is none. */
bool proxy_check_async_read(Warp *w, const Insn *insn, unsigned lane, uint64_t offset,
                            uint64_t bytes, const char *reader);

#endif
