/* SPDX-License-Identifier: MIT */
/*
 * global_rows.h: rows, consecutive words that consecutive lanes access. Where a block's threads are
 * ordered by nothing but barriers of all of them, a read of words that nobody wrote, and a write of
 * words that nobody touched, race with nothing: such rows are listed, and become marks, in the
 * order of the accesses, when one comes that might race with them. Which of them happen before it
 * can then be told from their stamps.
 */
#ifndef KGEN_EMU_RUN_RACE_GLOBAL_ROWS_H
#define KGEN_EMU_RUN_RACE_GLOBAL_ROWS_H

#include "emu/run/race/global_access.h"

typedef struct {
  uint64_t at;
  unsigned lane, lanes, words;
  unsigned shift; /* the logarithm of a lane's words */
} Row;

/* The row that begins at `lane`: as many lanes as lie one after another on one page. */
Row rows_from(const GlobalAccess *touch, unsigned lane);
/* Touches a row, and performs a write; false if its units must be compared one by one. */
bool rows_touch(GlobalAccess *touch, const Row *row);

/* The same of a read of `bytes` by all lanes of a warp whose block's order is level; false if it
 * cannot be listed. */
bool rows_list_read(Shadow *shadow, Stamp lane_0, uint64_t at, unsigned bytes);

/* Locks the page of an address and turns its listed rows into marks; false if it is not watched. */
bool rows_open(GlobalAccess *touch, uint64_t address);
/* Whether one comparison holds for all bytes of a sector: all that touched it before are of other
 * warps, or are the threads that touch the same bytes now. */
bool rows_are_uniform(const GlobalAccess *touch, uint64_t sector, unsigned lane);

#endif
