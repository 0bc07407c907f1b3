/* SPDX-License-Identifier: MIT */
/* arith_level.h: tables of opcodes whose loops over lanes the compiler vectorizes. Their files are
 * compiled for the baseline processor, and again for each level of vector instructions, with names
 * that end in that level's suffix (CMakeLists.txt). All levels give bit-identical results. */
#ifndef KGEN_EMU_ARITH_ARITH_LEVEL_H
#define KGEN_EMU_ARITH_ARITH_LEVEL_H

#include "emu/arith/arith_row.h"

enum { ARITH_LEVEL_TABLES = 6 };

typedef struct {
  ArithTable table[ARITH_LEVEL_TABLES];
} ArithLevel;

ArithLevel arith_level(void);
#ifdef KGEN_ARITH_LEVELS
ArithLevel arith_level_avx2(void);
ArithLevel arith_level_avx512(void);
#endif

#endif
