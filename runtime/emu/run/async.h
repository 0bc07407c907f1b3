/* async.h: what cp.async offers to mbarriers. */
#ifndef KGEN_EMU_ASYNC_H
#define KGEN_EMU_ASYNC_H

#include "emu/run/warp.h"

/* Performs all copies that the lanes have issued. */
void async_perform_all(Warp *w, uint32_t active);

#endif
