/* SPDX-License-Identifier: MIT */
/* arith_resolve.h: from an opcode's text to the function that executes it. */
#ifndef KGEN_EMU_ARITH_ARITH_RESOLVE_H
#define KGEN_EMU_ARITH_ARITH_RESOLVE_H

#include "emu/arith/arith_row.h"

/* Resolves an opcode with its modifiers, such as "fma.rn.ftz.f32", "setp.lt.and.s32", "add.cc.u32",
 * "cvt.rn.f16x2.f32", "lop3.b32". Opcodes: abs add addc and bfe bfi bfind bmsk brev clz cnot
 * copysign cos cvt cvt.pack div dp2a dp4a ex2 fma fns lg2 lop3 mad mad24 madc max min mul mul24 neg
 * not or popc prmt rcp rem rsqrt sad selp set setp shf shl shr sin slct sqrt sub subc szext tanh
 * testp xor. With type .pred, and, or, xor and not are ARITH_UNKNOWN: predicates are masks, which
 * the caller handles. */
ArithStatus arith_resolve(const char *opcode, ArithInsn *insn);

/* Like arith_resolve(), with vector level 0 (baseline), 1 (AVX2) or 2 (AVX-512), capped at the
 * level of this processor, which arith_resolve() uses. Levels differ only in speed. */
ArithStatus arith_resolve_for(const char *opcode, unsigned vectors, ArithInsn *insn);
unsigned arith_most_vectors(void);

/* All rows, in the order in which they are tried. */
enum { ARITH_TABLES = 8 };
void arith_tables(unsigned vectors, ArithTable table[ARITH_TABLES]);

/* A flag, rounding or comparison as an opcode names it; NULL: there is no such word. */
const char *arith_flag_name(uint32_t flag);
const char *arith_round_name(ArithRound round);
const char *arith_compare_name(ArithCompare compare);

#endif
