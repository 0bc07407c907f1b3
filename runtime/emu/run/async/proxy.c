/* SPDX-License-Identifier: MIT */
#include "emu/run/async/proxy.h"

#include "emu/memory/tensor.h"
#include "emu/run/race/copies.h"
#include "emu/run/race/global.h"
#include "emu/run/race/order.h"
#include "emu/run/state/finding.h"

static InsnLine line_of(const Block *block, int32_t pc) {
  return insn_line(block->program, &block->program->insn[pc]);
}

bool proxy_check_async_read(Warp *w, const Insn *insn, unsigned lane, uint64_t offset,
                            uint64_t bytes, const char *reader) {
  Block *block = w->block;
  for (uint64_t at = offset; !block->unchecked && at < offset + bytes;) {
    const RaceUnfenced old = race_unfenced(block->race, w, lane, at, false);
    if (old.found) {
      if (finding_add(block, EMU_PROXY, insn, warp_thread(w, lane), 1))
        finding_describe(block,
                         "%s reads shared byte 0x%llx that an ordinary instruction wrote at %s: no "
                         "fence.proxy.async between",
                         reader, (unsigned long long)at, line_of(block, old.pc).text);
      return false;
    }
    at += old.bytes - at % old.bytes;
  }
  return true;
}

/* Published code counts on a barrier alone here, and known GPUs do not break it: a note. */
static bool note_write(Warp *w, const Insn *insn, unsigned lane, uint64_t at,
                       const RaceUnfenced *old) {
  Block *block = w->block;
  if (finding_add_note(block, EMU_PROXY_WRITE, insn, warp_thread(w, lane), 1))
    finding_describe(block,
                     "the async proxy writes shared byte 0x%llx that an ordinary instruction %s at "
                     "%s: no fence.proxy.async between, which PTX requires",
                     (unsigned long long)at, old->reads ? "reads" : "writes",
                     line_of(block, old->pc).text);
  return false;
}

static bool check_write(const Block *owner, Warp *w, const Insn *insn, unsigned lane, uint64_t from,
                        uint64_t bytes) {
  for (uint64_t at = from; at < from + bytes;) {
    const RaceUnfenced old = race_unfenced(owner->race, w, lane, at, true);
    if (old.found) return note_write(w, insn, lane, at, &old);
    at += old.bytes - at % old.bytes;
  }
  return true;
}

void proxy_check_async_write(const Block *owner, Warp *w, const Insn *insn, unsigned lane,
                             const Box *box) {
  if (w->block->unchecked) return;
  if (box_is_dense(box)) {
    check_write(owner, w, insn, lane, box->at, box->bytes);
    return;
  }
  for (uint32_t i = 0; i < box->bytes; i += box_piece(box, i))
    if (!check_write(owner, w, insn, lane, box_place(box, i), box_piece(box, i))) return;
}

/* --- tensor maps --- */

void proxy_acquire_map(Warp *w, const Insn *insn, uint64_t address) {
  int32_t pc;
  const uint64_t digest = global_race_digest(w, insn, address, TENSOR_MAP_BYTES, &pc);
  w->acquired[w->acquisitions++ % ACQUIRED_MAPS] = (AcquiredMap){address, digest};
}

void proxy_use_map(Warp *w, const Insn *insn, unsigned lane, uint64_t address) {
  Block *block = w->block;
  int32_t pc = 0;
  global_race_map(w, insn, lane, RACE_READ, address, TENSOR_MAP_BYTES);
  const uint64_t digest = global_race_digest(w, insn, address, TENSOR_MAP_BYTES, &pc);
  bool acquired = !digest;
  for (int i = 0; i < ACQUIRED_MAPS; i++)
    acquired |= w->acquired[i].address == address && w->acquired[i].digest == digest;
  if (acquired || !finding_add(block, EMU_TENSOR_MAP, insn, warp_thread(w, lane), 1)) return;
  finding_describe(block,
                   "uses the tensor map at 0x%llx, which %s writes: no "
                   "fence.proxy.tensormap::generic.acquire of it between",
                   (unsigned long long)address, line_of(block, pc).text);
}

void proxy_write_map(Warp *w, const Insn *insn, unsigned lane, uint64_t address) {
  global_race_map(w, insn, lane, RACE_WRITE, address, TENSOR_MAP_BYTES);
}
