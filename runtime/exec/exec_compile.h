/* SPDX-License-Identifier: MIT */
/* exec_compile.h: compiles, while a program runs, the kernels that its emulator has translated to
 * C: device/orders.h. */
#ifndef KGEN_EXEC_EXEC_COMPILE_H
#define KGEN_EXEC_EXEC_COMPILE_H

#include "base/scratch.h"

typedef struct ExecCompile ExecCompile;

/* Creates the directory of requests in the session's private directory. NULL on failure, or if
 * nothing can be compiled here. vectors: the processor's vector extensions,
 * emu/arith/arith_resolve.h. */
ExecCompile *exec_compile_open(Arena *a, const Scratch *session, unsigned vectors);
/* The directory of requests; NULL without one. */
const char *exec_compile_folder(const ExecCompile *c);
/* The number of requests that no compiler could complete so far. */
int exec_compile_failed(const ExecCompile *c);
/* Collects what compilers have finished, and starts compilers for new requests; does not wait. */
void exec_compile_step(ExecCompile *c);
/* Stops the running compilers. */
void exec_compile_close(ExecCompile *c);

#endif
