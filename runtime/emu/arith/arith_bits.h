/* SPDX-License-Identifier: MIT */
/* arith_bits.h: logic, shifts, bit fields, counts and permutations. */
#ifndef KGEN_EMU_ARITH_ARITH_BITS_H
#define KGEN_EMU_ARITH_ARITH_BITS_H

#include "emu/arith/arith_row.h"

ArithTable arith_bits_table(void);

#endif
