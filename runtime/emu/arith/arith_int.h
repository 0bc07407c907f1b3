/* SPDX-License-Identifier: MIT */
/* arith_int.h: integer addition, division, minimum and the like. */
#ifndef KGEN_EMU_ARITH_ARITH_INT_H
#define KGEN_EMU_ARITH_ARITH_INT_H

#include "emu/arith/arith_row.h"

ArithTable arith_int_table(void);

#endif
