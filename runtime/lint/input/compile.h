/* compile.h: compiles the CUDA C++ under judgement to PTX. */
#ifndef KGEN_LINT_INPUT_COMPILE_H
#define KGEN_LINT_INPUT_COMPILE_H

#include "lint/input/source.h"

/* Compiles s->text into s->ptx, and finds s->instance if --kernel is an expression: by NVRTC or,
 * where that does not accept it, by nvcc. Returns 0 or the exit code, with the reason in *why. */
int lint_compile(const Options *o, LintSource *s, Diag *why);

/* The PTX of a source, compiled once for several of its templates' kernels. */
typedef struct LintBuild {
  const char *arch, *ptx;
  size_t ptx_size;
  int kernels;
  const char **kernel, **instance; /* as --kernel takes them, and their names in PTX */
} LintBuild;

/* Compiles the source once for all kernels that are template instances. NULL if there are fewer
 * than two, or if the compiler rejects any of them; compile each separately then, which also
 * reports the reason. */
const LintBuild *lint_compile_all(Arena *a, const Options *o, int kernels,
                                  const char *const *kernel);
/* Takes the PTX from there, if that kernel is in it. */
bool lint_compile_take(const LintBuild *build, const char *kernel, LintSource *s);

#endif
