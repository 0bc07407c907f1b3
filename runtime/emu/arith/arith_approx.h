/* SPDX-License-Identifier: MIT */
/* arith_approx.h: the approximate instructions. */
#ifndef KGEN_EMU_ARITH_ARITH_APPROX_H
#define KGEN_EMU_ARITH_ARITH_APPROX_H

#include "emu/arith/arith_row.h"

ArithTable arith_approx_table(void);

#endif
