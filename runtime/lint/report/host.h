/* host.h: what a program does wrong on the host's side of CUDA. */
#ifndef KGEN_LINT_REPORT_HOST_H
#define KGEN_LINT_REPORT_HOST_H

#include "lint/report/stack.h"

typedef enum {
  LINT_LEAK,          /* device memory that the program left allocated */
  LINT_DOUBLE_FREE,   /* freed twice */
  LINT_INVALID_FREE,  /* freed, and never allocated */
  LINT_IGNORED_ERROR, /* a launch or copy failed, and the program went on with others */
  LINT_FAULT,         /* a launch that is not judged was ended by a fault or never ends */
  LINT_HOST_KINDS
} LintHostKind;

extern const char *const lint_host_name[LINT_HOST_KINDS];
extern const char *const lint_host_about[LINT_HOST_KINDS];

typedef struct {
  LintHostKind kind;
  const char *message;
  uint64_t count; /* of one kind and one place together */
  uint64_t bytes; /* of leaks, in all */
  LintStack from; /* the call; of a leak, the allocation */
} LintHostFinding;

/* Whether both are told as one: of one kind and one place. */
bool lint_host_same(const LintHostFinding *a, const LintHostFinding *b);
void lint_host_put(Json *j, const LintHostFinding *f);
/* False if it is none. */
bool lint_host_read(Arena *a, const Yaml *of, LintHostFinding *out);

#endif
