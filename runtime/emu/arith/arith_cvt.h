/* arith_cvt.h: cvt between integers, floats and packed floats. */
#ifndef KGEN_EMU_ARITH_CVT_H
#define KGEN_EMU_ARITH_CVT_H

#include "emu/arith/arith_row.h"

/* cvt combines too many types for rows. */
ArithStatus arith_resolve_cvt(const ArithParts *parts, ArithInsn *insn);

#endif
