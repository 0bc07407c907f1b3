/* SPDX-License-Identifier: MIT */
/* program.h: builds a kernel's program: the functions that it reaches, the layout of its shared
 * memory, and its instructions. */
#ifndef KGEN_EMU_CODE_PROGRAM_H
#define KGEN_EMU_CODE_PROGRAM_H

#include "emu/code/decode.h"

/* Decodes the decoder's current statement: opcode_decode(), which knows the opcodes. */
typedef void DecodeFn(Decoder *d);

/* Decodes a kernel and all functions that it can reach; errors go to ast->error. Never NULL. */
Program *program_build(Ast *ast, const Function *kernel, DecodeFn *decode);

#endif
