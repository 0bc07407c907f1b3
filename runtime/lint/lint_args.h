/* lint_args.h: what the command line says about the launch. */
#ifndef KGEN_LINT_ARGS_H
#define KGEN_LINT_ARGS_H

#include "command/options.h"
#include "emu/emu.h"
#include "lint/lint_value.h"

/* NAME=VALUE, NAME=data:FILE or NAME=data:random: what a variable of the module holds, in C++
 * __constant__ or __device__. */
typedef struct {
  const char *text, *name;
  const char *data; /* "random", or a file that holds it; NULL: see value */
  LintValue value;
} LintVariable;

typedef struct {
  uint32_t grid[3], block[3], smem;
  uint32_t cluster[3]; /* 0: as the kernel declares */
  uint64_t max_steps;
  int64_t max_conflicts; /* -1: any number */
  uint64_t seed;
  int args, variables;
  const LintValue *arg; /* one a parameter */
  const LintVariable *variable;
} LintLaunch;

/* All mistakes are told in *why, a line each; false if there is one. */
bool lint_args_read(Arena *a, const Options *o, LintLaunch *out, Text *why);

/* Shared memory of a block, static and dynamic. */
uint32_t lint_args_shared(const EmuKernel *kernel, const LintLaunch *launch);

#endif
