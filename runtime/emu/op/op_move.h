/* SPDX-License-Identifier: MIT */
/* op_move.h: arithmetic, moves, address conversion, predicate logic; and what does nothing. */
#ifndef KGEN_EMU_OP_OP_MOVE_H
#define KGEN_EMU_OP_OP_MOVE_H

#include "emu/code/decode.h"

void decode_arith(Decoder *d);
void decode_mov(Decoder *d);
void decode_cvta(Decoder *d);
/* mapa and getctarank. */
void decode_mapa(Decoder *d);
void decode_isspacep(Decoder *d);
/* and, or, xor, not and mov of predicates. */
void decode_pred_logic(Decoder *d);
/* Instructions that only affect performance: prefetches, nanosleep, register counts. */
void decode_nothing(Decoder *d);
Flow exec_nothing(Warp *w, const Insn *insn, uint32_t active);

#endif
