/* SPDX-License-Identifier: MIT */
/* taint.h: finds synchronisation that depends on data. */
#ifndef KGEN_EMU_RUN_SEARCH_TAINT_H
#define KGEN_EMU_RUN_SEARCH_TAINT_H

#include "emu/code/code.h"

/* The first barrier or mbarrier operation whose operands, guard or control flow depend on memory
 * that kernels write, on clocks, or on whether a test failed; NULL: there is none. *failed is set
 * when out of memory. */
const Insn *taint_find(const Program *program, bool *failed);

#endif
