#include "emu/run/async/proxy.h"

#include "emu/run/race/copies.h"
#include "emu/run/race/order.h"
#include "emu/run/state/finding.h"

/* If only some lanes fence, what the others wrote since they synchronized is not fenced: that is
 * marked byte by byte in shared memory, which is slow and seldom needed; for global memory the
 * fence counts for the whole warp. */
void proxy_fence(Warp *w, uint32_t lanes, ProxySpace space) {
  if ((lanes & w->alive) == w->alive || space == PROXY_GLOBAL)
    order_proxy_fence(w, space);
  else
    race_proxy_fence(w, lanes);
}

static void report(Warp *w, const Insn *insn, unsigned lane, uint64_t at, const RaceWrite *write,
                   const char *reader) {
  Block *block = w->block;
  if (!finding_add(block, EMU_PROXY, insn, warp_thread(w, lane), 1)) return;
  finding_describe(block,
                   "%s reads shared byte 0x%llx that an ordinary instruction wrote at %s: no "
                   "fence.proxy.async between",
                   reader, (unsigned long long)at,
                   insn_line(block->program, &block->program->insn[write->pc]).text);
}

bool proxy_check_async_read(Warp *w, const Insn *insn, unsigned lane, uint64_t offset,
                            uint64_t bytes, const char *reader) {
  if (w->block->unchecked) return true;
  for (uint64_t at = offset; at < offset + bytes;) {
    const RaceWrite write = race_last_write(w->block->race, at);
    if (write.generic && !order_is_proxied(w, PROXY_SHARED, write.thread, write.tick)) {
      report(w, insn, lane, at, &write, reader);
      return false;
    }
    at += write.bytes - at % write.bytes;
  }
  return true;
}
