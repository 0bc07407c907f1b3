/* resident.h: the storage of a block that runs, or waits for others. */
#ifndef KGEN_EMU_RESIDENT_H
#define KGEN_EMU_RESIDENT_H

#include "emu/run/block.h"

/* Storage for a block; counters and findings are its worker's. NULL when out of memory. */
Block *resident_new(Launch *launch, EmuAccess *access, AccessMemo *memo, Findings *findings);
void resident_free(Block *block);
/* Puts the block of that number at its start. */
void resident_start(Block *block, uint64_t number);
/* How many blocks of a launch an H200 holds at once: those may wait for one another. */
int resident_most(const Launch *launch);

#endif
