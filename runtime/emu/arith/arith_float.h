/* SPDX-License-Identifier: MIT */
/* arith_float.h: f32 and f64 arithmetic with IEEE 754 rounding. */
#ifndef KGEN_EMU_ARITH_ARITH_FLOAT_H
#define KGEN_EMU_ARITH_ARITH_FLOAT_H

#include "emu/arith/arith_row.h"

ArithTable arith_float_table(void);

#endif
