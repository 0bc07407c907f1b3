/* SPDX-License-Identifier: MIT */
/* arith_mul.h: integer products. */
#ifndef KGEN_EMU_ARITH_ARITH_MUL_H
#define KGEN_EMU_ARITH_ARITH_MUL_H

#include "emu/arith/arith_row.h"

ArithTable arith_mul_table(void);

#endif
