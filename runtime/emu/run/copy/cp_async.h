/* SPDX-License-Identifier: MIT */
/* cp_async.h: copies by cp.async in flight. */
#ifndef KGEN_EMU_RUN_COPY_CP_ASYNC_H
#define KGEN_EMU_RUN_COPY_CP_ASYNC_H

#include "emu/run/state/block.h"

enum { MAX_COPY = 16 }; /* bytes */

/* Makes room for `more` copies by a warp; false when out of memory. */
bool async_reserve(Warp *w, int more);
/* Performs the copies of the `active` lanes whose group number is below newest[lane]. */
void async_perform_until(Warp *w, uint32_t active, const uint32_t newest[LANES]);
/* Records the wait in those copies of the `active` lanes that it leaves in flight. */
void async_note_wait(Warp *w, uint32_t active, const Insn *wait);
/* Performs all copies that the `active` lanes have issued. */
void async_perform_all(Warp *w, uint32_t active);

#endif
