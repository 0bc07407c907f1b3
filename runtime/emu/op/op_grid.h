/* SPDX-License-Identifier: MIT */
/* op_grid.h: griddepcontrol. */
#ifndef KGEN_EMU_OP_OP_GRID_H
#define KGEN_EMU_OP_OP_GRID_H

#include "emu/code/decode.h"

void decode_griddepcontrol(Decoder *d);

#endif
