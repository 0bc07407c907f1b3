/* lint_compile.h: compiles the CUDA C++ under judgement to PTX. */
#ifndef KGEN_LINT_COMPILE_H
#define KGEN_LINT_COMPILE_H

#include "lint/lint_source.h"

/* Compiles s->text into s->ptx, and finds s->instance if --kernel is an expression: by NVRTC or,
 * where that does not accept it, by nvcc. Returns 0 or the exit code, with the reason in *why. */
int lint_compile(const Options *o, LintSource *s, Text *why);

#endif
