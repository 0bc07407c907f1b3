/* SPDX-License-Identifier: MIT */
/* wgmma_undef.h: the undefined bits of a product. */
#ifndef KGEN_EMU_OP_WGMMA_UNDEF_H
#define KGEN_EMU_OP_WGMMA_UNDEF_H

#include "emu/op/wgmma_group.h"

/* Notes which bits of D will be undefined, before it is computed: those that depend on undefined
 * bits. */
void wgmma_note_undefined(const WgmmaGroup *g, const WgmmaOperands *x, WgmmaAccumulators d);

#endif
