/* SPDX-License-Identifier: MIT */
/* arith_compare.h: set, setp, testp, selp and slct. */
#ifndef KGEN_EMU_ARITH_ARITH_COMPARE_H
#define KGEN_EMU_ARITH_ARITH_COMPARE_H

#include "emu/arith/arith_row.h"

ArithTable arith_compare_table(void);

#endif
