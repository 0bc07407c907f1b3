/* SPDX-License-Identifier: MIT */
/* arith_cvt.h: cvt between integers, floats and packed floats. */
#ifndef KGEN_EMU_ARITH_ARITH_CVT_H
#define KGEN_EMU_ARITH_ARITH_CVT_H

#include "emu/arith/arith_row.h"

ArithTable arith_cvt_table(void);

#endif
