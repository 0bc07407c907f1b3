/* wgmma_undef.h: what of a product is undefined. */
#ifndef KGEN_EMU_WGMMA_UNDEF_H
#define KGEN_EMU_WGMMA_UNDEF_H

#include "emu/op/wgmma_group.h"

/* Notes which bits of D will be, before it is computed: those that depend on undefined ones. */
void wgmma_note_undefined(const WgmmaGroup *g, const WgmmaOperands *x, WgmmaAccumulators d);

#endif
