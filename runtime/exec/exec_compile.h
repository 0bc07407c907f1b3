/* exec_compile.h: compiles the kernels that a program's emulator has translated to C, while it
 * runs: device/orders.h. */
#ifndef KGEN_EXEC_EXEC_COMPILE_H
#define KGEN_EXEC_EXEC_COMPILE_H

#include "base/scratch.h"

typedef struct ExecCompile ExecCompile;

/* Makes the folder of orders within the session's, which is private; NULL if that fails, or nothing
 * could be compiled here. vectors: of the processor, emu/arith/arith_resolve.h. */
ExecCompile *exec_compile_open(Arena *a, const Scratch *session, unsigned vectors);
/* The directory of orders; NULL without one. */
const char *exec_compile_folder(const ExecCompile *c);
/* Orders that no compiler could complete so far. */
int exec_compile_failed(const ExecCompile *c);
/* Takes what compilers have finished, and gives them what was ordered; does not wait. */
void exec_compile_step(ExecCompile *c);
/* Ends the compilers that are at work. */
void exec_compile_close(ExecCompile *c);

#endif
