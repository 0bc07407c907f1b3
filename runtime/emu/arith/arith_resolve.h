/* arith_resolve.h: from an opcode's text to the function that executes it. */
#ifndef KGEN_EMU_ARITH_ARITH_RESOLVE_H
#define KGEN_EMU_ARITH_ARITH_RESOLVE_H

#include "emu/arith/arith.h"

/*
 * Resolves an opcode with its modifiers, such as "fma.rn.ftz.f32", "setp.lt.and.s32", "add.cc.u32",
 * "cvt.rn.f16x2.f32", "lop3.b32". Opcodes: abs add addc and bfe bfi bfind bmsk brev clz cnot
 * copysign cos cvt cvt.pack div dp2a dp4a ex2 fma fns lg2 lop3 mad mad24 madc max min mul mul24 neg
 * not or popc prmt rcp rem rsqrt sad selp set setp shf shl shr sin slct sqrt sub subc szext tanh
 * testp xor. On .pred types and, or, xor and not are UNKNOWN: predicates are
 * masks, the caller's own.
 */
ArithStatus arith_resolve(const char *opcode, ArithInsn *insn);

/* The same for a processor with AVX2 (1), with AVX-512 (2), or with neither (0); at most this
 * processor's level, which arith_resolve uses. Levels differ only in speed. */
ArithStatus arith_resolve_for(const char *opcode, unsigned vectors, ArithInsn *insn);
unsigned arith_most_vectors(void);

#endif
