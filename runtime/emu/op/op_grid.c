/* SPDX-License-Identifier: MIT */
#include "emu/op/op_grid.h"

#include "emu/run/race/overlap.h"

/* Launches run one after the other, so that nothing needs to wait. */
static Flow exec_wait(Warp *w, const Insn *insn, uint32_t active) {
  overlap_wait(w, insn, active);
  return FLOW_NEXT;
}

static Flow exec_trigger(Warp *w, const Insn *insn, uint32_t active) {
  overlap_trigger(w, insn, active);
  return FLOW_NEXT;
}

void decode_griddepcontrol(Decoder *d) {
  const int action = decode_choice(d, 0);
  if (!decode_count(d, 0, 0)) return;
  d->program->triggers |= action == 1;
  d->insn->kind = INSN_PLAIN;
  d->insn->fn = action ? exec_trigger : exec_wait;
}
