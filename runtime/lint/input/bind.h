/* SPDX-License-Identifier: MIT */
/* bind.h: allocates the arguments and buffers of a launch in the emulator's memory. */
#ifndef KGEN_LINT_INPUT_BIND_H
#define KGEN_LINT_INPUT_BIND_H

#include "lint/input/args.h"

/* A buffer and its address. */
typedef struct {
  const LintValue *value; /* value->value bytes */
  int argument; /* number of the argument, from 1 on; 0: a member, a variable, or no argument */
  int number;   /* index among all values, which seeds random bytes */
  uint64_t address;
} LintBuffer;

typedef struct LintBoundArguments {
  const void *const *arg; /* one pointer per parameter, as EmuLaunch requires */
  int buffers; /* in the order of the arguments; members follow the value that contains them */
  const LintBuffer *buffer;
  const struct LintBoundArguments *earlier; /* earlier launch whose buffers can be referred to
                                               by name; or NULL */
} LintBoundArguments;

/* Reserves the buffers that have fixed addresses, before a module can use them for its variables.
 * False, with the reason in *why. */
bool lint_place_reserve(Arena *a, EmuMemory *memory, const LintLaunch *launch, Diag *why);

/* Checks the arguments against the kernel's parameters, allocates and fills the buffers, and sets
 * the module's variables. False, with the reason in *why. */
bool lint_bind_arguments(Arena *a, EmuMemory *memory, EmuModule *module, const EmuKernel *kernel,
                         const LintLaunch *launch, LintBoundArguments *out, Diag *why);

/* The buffer with that name, or of the argument with that number; NULL: none. */
const LintBuffer *lint_bound_find(const LintBoundArguments *placed, const char *name);

#endif
