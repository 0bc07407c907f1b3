/* SPDX-License-Identifier: MIT */
/* bulk_issue.h: issues bulk copies by the lanes of a warp: checks alignment and bounds, and starts
 * the copies. */
#ifndef KGEN_EMU_RUN_COPY_BULK_ISSUE_H
#define KGEN_EMU_RUN_COPY_BULK_ISSUE_H

#include "emu/code/code.h"
#include "emu/run/state/block.h"

Flow bulk_issue_load(Warp *w, const Insn *insn, uint32_t active);   /* from global memory */
Flow bulk_issue_shared(Warp *w, const Insn *insn, uint32_t active); /* from shared memory */
Flow bulk_issue_store(Warp *w, const Insn *insn, uint32_t active);  /* to global memory */
Flow bulk_issue_value(Warp *w, const Insn *insn, uint32_t active);  /* from registers */

#endif
