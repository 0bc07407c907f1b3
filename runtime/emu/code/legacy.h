/* SPDX-License-Identifier: MIT */
/* legacy.h: completes opcodes of old PTX, as ptxas does. */
#ifndef KGEN_EMU_CODE_LEGACY_H
#define KGEN_EMU_CODE_LEGACY_H

#include "emu/code/decode.h"

/* The statement's arithmetic opcode with its implied modifiers: in PTX for .target sm_10 to sm_13,
 * which have no subnormal f32, add.f32 is add.ftz.f32. */
const char *legacy_opcode(const Decoder *d);

#endif
