/* SPDX-License-Identifier: MIT */
#include "emu/run/tmem/tmem.h"

#include <stdlib.h>
#include <string.h>

#include "emu/run/race/tensor_uses.h"
#include "emu/run/state/finding.h"

/* --- the memory --- */

Tmem *tmem_open(Block *block) {
  if (block->tmem) return block->tmem;
  Tmem *t = calloc(1, sizeof *t);
  if (t && !block->unchecked) block->tensor_uses = tensor_uses_new(block);
  if (!t || (!block->tensor_uses && !block->unchecked)) {
    atomic_store(&block->launch->out_of_memory, true);
    free(t);
    return NULL;
  }
  return block->tmem = t;
}

void tmem_free(Block *block) {
  free(block->tensor_uses);
  free(block->tmem);
}

void tmem_start(Block *block) {
  Tmem *t = block->tmem;
  if (!t) return;
  memset(t->unit, 0, sizeof t->unit);
  t->relinquished = NULL;
  t->group = 0;
  tensor_uses_start(block);
}

void tmem_finish(Block *block) {
  const Tmem *t = block->tmem;
  for (uint32_t i = 0; t && i < TMEM_UNITS; i++) {
    const TmemUnit *u = &t->unit[i];
    if (!u->columns || !finding_add(block, EMU_TMEM_ALLOC, u->insn, u->thread, 1)) continue;
    finding_describe(
        block,
        "%u columns of tensor memory from column %u are still allocated when the block "
        "ends: free them with tcgen05.dealloc",
        u->columns, i * TMEM_UNIT);
  }
}

/* --- allocation --- */

static bool begin(Warp *w, const Insn *insn) {
  return finding_add(w->block, EMU_TMEM_ALLOC, insn, warp_thread(w, 0), 1);
}

static bool is_size(uint32_t columns) {
  return columns >= TMEM_UNIT && columns <= TMEM_COLUMNS && (columns & (columns - 1)) == 0;
}

/* The first unit of `units` free ones; TMEM_UNITS if there are none. */
static uint32_t find_free(const Tmem *t, uint32_t units) {
  for (uint32_t first = 0; first + units <= TMEM_UNITS; first++) {
    uint32_t n = 0;
    while (n < units && !t->unit[first + n].insn) n++;
    if (n == units) return first;
  }
  return TMEM_UNITS;
}

static void report_full(Warp *w, const Insn *insn, uint32_t columns) {
  const Tmem *t = w->block->tmem;
  block_stop(w->block);
  if (!begin(w, insn)) return;
  finding_describe(w->block,
                   "allocates %u columns of tensor memory, and waits for ever: the block has "
                   "allocated too many of the %d",
                   columns, TMEM_COLUMNS);
  for (uint32_t i = 0; i < TMEM_UNITS; i++)
    if (t->unit[i].columns)
      finding_where(w->block, t->unit[i].insn, "allocates %u columns from column %u",
                    t->unit[i].columns, i * TMEM_UNIT);
}

static bool report_size(Warp *w, const Insn *insn, uint32_t columns) {
  block_stop(w->block);
  if (begin(w, insn))
    finding_describe(w->block,
                     "%u columns of tensor memory: a power of two from 32 to 512 is "
                     "possible",
                     columns);
  return false;
}

bool tmem_alloc(Warp *w, const Insn *insn, uint32_t columns, uint32_t *address) {
  Tmem *t = tmem_open(w->block);
  if (!t) return block_stop(w->block), false;
  if (!is_size(columns)) return report_size(w, insn, columns);
  if (t->relinquished && begin(w, insn)) {
    finding_describe(w->block, "allocates tensor memory after tcgen05.relinquish_alloc_permit");
    finding_where(w->block, t->relinquished, "gives up the permit");
  }
  const uint32_t units = columns / TMEM_UNIT, first = find_free(t, units);
  if (first == TMEM_UNITS) return report_full(w, insn, columns), false;
  for (uint32_t i = 0; i < units; i++) {
    t->unit[first + i] =
        (TmemUnit){.insn = insn, .thread = warp_thread(w, 0), .columns = i ? 0 : columns};
    memset(t->undefined[(first + i) * TMEM_UNIT], 0xff, TMEM_UNIT * sizeof *t->undefined);
  }
  *address = first * TMEM_UNIT;
  return true;
}

void tmem_dealloc(Warp *w, const Insn *insn, uint32_t address, uint32_t columns) {
  Tmem *t = w->block->tmem;
  const uint32_t column = tmem_column(address), first = column / TMEM_UNIT;
  const bool exists = t && column < TMEM_COLUMNS && column % TMEM_UNIT == 0 &&
                      t->unit[first].columns == columns && tmem_lane(address) == 0;
  if (!exists) {
    if (begin(w, insn))
      finding_describe(w->block,
                       "frees %u columns of tensor memory at address 0x%x, where no allocation of "
                       "that size begins",
                       columns, address);
    return;
  }
  const TmemBox box = {0, TMEM_LANES, column, columns};
  tensor_check_free(w, insn, &box);
  memset(&t->unit[first], 0, columns / TMEM_UNIT * sizeof *t->unit);
}

void tmem_relinquish(Warp *w, const Insn *insn) {
  Tmem *t = tmem_open(w->block);
  if (t) t->relinquished = insn;
}

void tmem_check_group(Warp *w, const Insn *insn, unsigned group) {
  Tmem *t = tmem_open(w->block);
  if (!t) return;
  if (t->group && t->group != group && begin(w, insn))
    finding_describe(w->block,
                     ".cta_group::%u in a kernel that uses .cta_group::%u: all tcgen05 "
                     "instructions of a kernel have one",
                     group, t->group);
  if (!t->group) t->group = (uint8_t)group;
}

/* --- bounds --- */

bool tmem_check_box(Block *block, Warp *w, const Insn *insn, unsigned lane, const TmemBox *box) {
  const Tmem *t = block->tmem;
  const bool within =
      box->lane + box->lanes <= TMEM_LANES && box->column + box->columns <= TMEM_COLUMNS;
  uint32_t at = box->column;
  while (within && t && at < box->column + box->columns && t->unit[at / TMEM_UNIT].insn) at++;
  if (within && at == box->column + box->columns) return true;
  if (!finding_add(w->block, EMU_TMEM_BOUNDS, insn, warp_thread(w, lane), 1)) return false;
  if (within)
    finding_describe(w->block,
                     "uses columns %u to %u of tensor memory, of which column %u is not allocated",
                     box->column, box->column + box->columns - 1, at);
  else
    finding_describe(
        w->block,
        "uses lanes %u to %u and columns %u to %u of tensor memory, which has %d lanes "
        "and %d columns",
        box->lane, box->lane + box->lanes - 1, box->column, box->column + box->columns - 1,
        TMEM_LANES, TMEM_COLUMNS);
  return false;
}
