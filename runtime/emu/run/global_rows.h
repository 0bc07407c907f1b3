/*
 * global_rows.h: words of lanes that lie one behind the other. Where a block's threads are ordered
 * by nothing but meetings of all of them, rows that nobody else wrote, or touched before a write,
 * race with nothing: they are listed, and become marks, in their order, when somebody comes who
 * might race with them. What is ordered before what can then be told from their stamps.
 */
#ifndef KGEN_EMU_GLOBAL_ROWS_H
#define KGEN_EMU_GLOBAL_ROWS_H

#include "emu/run/global_touch.h"

typedef struct {
  uint64_t at;
  unsigned lane, lanes, words;
  unsigned shift; /* the logarithm of a lane's words */
} Row;

/* The lanes from `lane` on that lie one behind the other on one page. */
Row rows_from(const Touch *touch, unsigned lane);
/* Touches a row, and performs a write; false if its units must be looked at one by one. */
bool rows_touch(Touch *touch, const Row *row);

/* The same of a read of `bytes` by all lanes of a block whose order is level, if it can be listed:
 * false if not. */
bool rows_list_read(Shadow *shadow, Stamp lane_0, uint64_t at, unsigned bytes);

/* Locks the page of an address, all of whose accesses are marked then; false if it is not watched.
 */
bool rows_open(Touch *touch, uint64_t address);
/* Whether one answer holds for all bytes of a sector: of another warp, or of the same threads. */
bool rows_are_uniform(const Touch *touch, uint64_t sector, unsigned lane);

#endif
