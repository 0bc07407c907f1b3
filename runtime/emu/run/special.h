/* special.h: special registers, %tid and its like, as 32 lanes each. */
#ifndef KGEN_EMU_SPECIAL_H
#define KGEN_EMU_SPECIAL_H

#include "emu/run/block.h"

/* Those of a warp, and of a block, that are the same for every block that the storage is used for.
 */
void special_set_warp(Warp *w);
void special_set_fixed(Block *block);
/* The block's place in the grid. */
void special_set_block(Block *block);

#endif
