/* SPDX-License-Identifier: MIT */
/* op_matrix.h: ldmatrix, stmatrix, movmatrix and mma. */
#ifndef KGEN_EMU_OP_OP_MATRIX_H
#define KGEN_EMU_OP_OP_MATRIX_H

#include "emu/code/decode.h"

void decode_ldmatrix(Decoder *d);
void decode_stmatrix(Decoder *d);
void decode_movmatrix(Decoder *d);
void decode_mma(Decoder *d);

#endif
