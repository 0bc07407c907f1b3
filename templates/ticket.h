/* ticket.h: finds the block of a group that finishes last. */
#ifndef KGEN_TICKET_H
#define KGEN_TICKET_H

namespace {

/* True for the last of `blocks` blocks to arrive, each by one thread; the ticket is then 0 again.
 * Threads that arrive later see what a thread stored before it arrived. The instruction itself
 * releases and acquires: two __threadfence() around it, which order more, took 0.3 us longer on an
 * H200. */
__device__ __forceinline__ bool arrive_last(unsigned *ticket, unsigned blocks) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(ticket), "r"(blocks - 1)
               : "memory");
  return before == blocks - 1;
}

} // namespace

#endif
