/* legacy.h: what opcodes of old PTX leave out, as ptxas completes them. */
#ifndef KGEN_EMU_CODE_LEGACY_H
#define KGEN_EMU_CODE_LEGACY_H

#include "emu/code/decode.h"

/* The statement's opcode of arithmetic with all that it means: in PTX for .target sm_10 to sm_13,
 * which has no subnormal f32, add.f32 is add.ftz.f32. */
const char *legacy_opcode(const Decoder *d);

#endif
