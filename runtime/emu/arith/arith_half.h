/* SPDX-License-Identifier: MIT */
/* arith_half.h: f16 and bf16, single and packed. */
#ifndef KGEN_EMU_ARITH_ARITH_HALF_H
#define KGEN_EMU_ARITH_ARITH_HALF_H

#include "emu/arith/arith_row.h"

ArithTable arith_half_table(void);

#endif
