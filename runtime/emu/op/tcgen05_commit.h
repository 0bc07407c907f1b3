/* SPDX-License-Identifier: MIT */
/* tcgen05_commit.h: decodes tcgen05.commit, whose opcode's words up to this are taken. */
#ifndef KGEN_EMU_OP_TCGEN05_COMMIT_H
#define KGEN_EMU_OP_TCGEN05_COMMIT_H

#include "emu/code/decode.h"

void tcgen05_decode_commit(Decoder *d);

#endif
