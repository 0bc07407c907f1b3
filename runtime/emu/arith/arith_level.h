/*
 * arith_level.h: the opcodes whose loops over lanes the compiler makes vectors of. What defines
 * them is compiled once for every processor that kgen builds and for each level of more recent
 * ones: the same functions, and the same results bit for bit, under names that end with the level's
 * (CMakeLists.txt).
 */
#ifndef KGEN_EMU_ARITH_LEVEL_H
#define KGEN_EMU_ARITH_LEVEL_H

#include "emu/arith/arith_row.h"

enum { ARITH_TABLES = 5 };

typedef struct {
  ArithTable table[ARITH_TABLES];
  ArithStatus (*cvt)(const ArithParts *parts, ArithInsn *insn);
} ArithLevel;

ArithLevel arith_level(void);
#ifdef KGEN_ARITH_LEVELS
ArithLevel arith_level_avx2(void);
ArithLevel arith_level_avx512(void);
#endif

#endif
