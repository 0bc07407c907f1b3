/* SPDX-License-Identifier: MIT */
/* compile.h: compiles the CUDA C++ that is checked to PTX. */
#ifndef KGEN_LINT_INPUT_COMPILE_H
#define KGEN_LINT_INPUT_COMPILE_H

#include "lint/input/source.h"

/* Compiles s->text into s->ptx, and finds s->instance if --kernel is an expression. Uses NVRTC or,
 * if NVRTC rejects the source, nvcc. Returns 0 or the exit code, with the reason in *why. */
int lint_compile(const Options *o, LintSource *s, Diag *why);

/* The PTX of a source, compiled once for several template kernels. */
typedef struct LintBuild {
  const char *arch, *ptx;
  size_t ptx_size;
  int kernels;
  const char **kernel, **instance; /* as in --kernel, and their names in PTX */
} LintBuild;

/* Compiles the source once for all kernels that are template instances. NULL if there are fewer
 * than two, or if the compiler rejects any of them; compile each separately then, which also
 * reports the reason. */
const LintBuild *lint_compile_all(Arena *a, const Options *o, int kernels,
                                  const char *const *kernel);
/* Uses the PTX of a build if it contains that kernel. */
bool lint_compile_take(const LintBuild *build, const char *kernel, LintSource *s);

#endif
