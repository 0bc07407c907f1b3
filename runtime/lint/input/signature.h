/* SPDX-License-Identifier: MIT */
/* signature.h: distinguishes kernels with one name by their parameters. */
#ifndef KGEN_LINT_INPUT_SIGNATURE_H
#define KGEN_LINT_INPUT_SIGNATURE_H

#include "base/arena.h"

/* The argument of --kernel: "sumKernel1<256>(const float *, float *, int)". */
typedef struct {
  const char *name;   /* without a signature, and without `void ` before it */
  const char *params; /* "(const float *, float *, int)", or NULL */
  bool is_mangled;    /* a PTX name, which is looked up verbatim */
} LintKernelName;
LintKernelName lint_signature_read(Arena *a, const char *kernel);

/* True if only the compiler can resolve the kernel: it has template arguments, a namespace or
 * parameters. */
bool lint_signature_needs_compiler(const LintKernelName *k);

/* "sumKernel1<256>(float const*, float*, int)" for a PTX name, demangled by the system's C++
 * library, which is installed with C++ compilers. NULL if there is none, or if the name is not
 * mangled. */
const char *lint_signature_of(Arena *a, const char *mangled);

/* The type of its i-th parameter, counted from 0; "" if there is none. */
const char *lint_signature_param(Arena *a, const char *signature, int i);

/* True if two signatures are equal except for blanks. */
bool lint_signature_is(const char *given, const char *signature);

#endif
