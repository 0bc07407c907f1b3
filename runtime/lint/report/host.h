/* SPDX-License-Identifier: MIT */
/* host.h: errors of host code in its CUDA calls. */
#ifndef KGEN_LINT_REPORT_HOST_H
#define KGEN_LINT_REPORT_HOST_H

#include "lint/report/stack.h"

typedef enum {
  LINT_LEAK,          /* device memory that the program left allocated */
  LINT_DOUBLE_FREE,   /* freed twice */
  LINT_INVALID_FREE,  /* freed, but never allocated */
  LINT_IGNORED_ERROR, /* a launch or copy failed, and the program continued with others */
  LINT_FAULT,         /* an unchecked launch that was ended by a fault, or never ends */
  LINT_HOST_KINDS
} LintHostKind;

extern const char *const lint_host_name[LINT_HOST_KINDS];
extern const char *const lint_host_about[LINT_HOST_KINDS];

typedef struct {
  LintHostKind kind;
  const char *message;
  uint64_t count; /* occurrences of this kind at this location */
  uint64_t bytes; /* leaked bytes, in total */
  LintStack from; /* call stack of the error; for a leak, of the allocation */
} LintHostFinding;

/* True if both are reported as one: same kind, same location. */
bool lint_host_same(const LintHostFinding *a, const LintHostFinding *b);
void lint_host_put(Json *j, const LintHostFinding *f);
/* False if the object is no such finding. */
bool lint_host_read(Arena *a, const Yaml *of, LintHostFinding *out);

#endif
