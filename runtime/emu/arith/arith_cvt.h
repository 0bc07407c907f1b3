/* arith_cvt.h: cvt between integers, floats and packed floats. */
#ifndef KGEN_EMU_ARITH_ARITH_CVT_H
#define KGEN_EMU_ARITH_ARITH_CVT_H

#include "emu/arith/arith_row.h"

/* cvt combines too many types for a table with a row for each. */
ArithStatus arith_resolve_cvt(const ArithParts *parts, ArithInsn *insn);

#endif
