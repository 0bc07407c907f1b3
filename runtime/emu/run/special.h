/* special.h: special registers, %tid and its like, as 32 lanes each. */
#ifndef KGEN_EMU_SPECIAL_H
#define KGEN_EMU_SPECIAL_H

#include "emu/run/block.h"

/* Those that are the same for every block that the warp's storage is used for. */
void special_set_fixed(Warp *w);
/* The block's place in the grid. */
void special_set_block(Warp *w);

#endif
