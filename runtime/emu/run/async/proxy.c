#include "emu/run/async/proxy.h"

#include "emu/run/race/copies.h"
#include "emu/run/race/order.h"
#include "emu/run/state/finding.h"

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
    if (write.generic && !order_is_proxied(w, lane, PROXY_SHARED, (int)(write.thread / LANES),
                                           write.thread % LANES, write.tick)) {
      report(w, insn, lane, at, &write, reader);
      return false;
    }
    at += write.bytes - at % write.bytes;
  }
  return true;
}
