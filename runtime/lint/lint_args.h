/* lint_args.h: what the command line says about the launch. */
#ifndef KGEN_LINT_ARGS_H
#define KGEN_LINT_ARGS_H

#include "command/options.h"
#include "emu/emu.h"
#include "lint/lint_output.h"

/* NAME=VALUE, NAME=data:FILE or NAME=data:random: what a variable of the module holds, in C++
 * __constant__ or __device__. */
typedef struct {
  const char *name;
  bool filled;     /* with value.fill, whatever its size; else with the value */
  LintValue value; /* its text is all of what was given */
} LintVariable;

typedef struct {
  const char *name; /* in a file; or NULL */
  Loc loc;          /* there; without a source: on the command line */
  uint32_t grid[3], block[3], smem;
  uint32_t cluster[3]; /* 0: as the kernel declares */
  uint64_t max_steps;
  int64_t max_conflicts; /* -1: any number */
  uint64_t seed;
  int args, variables, memories;
  const LintValue *arg; /* one a parameter */
  const LintVariable *variable;
  const LintValue *memory; /* buffers that no argument is, most with an address */
  int expects, dumps;
  const LintExpect *expect;
  const LintDump *dump;
} LintLaunch;

/* All mistakes are told in *why, a line each; false if there is one. */
bool lint_args_read(Arena *a, const Options *o, LintLaunch *out, Text *why);

/* The files of --dump, which goes with the command line and with a file. */
void lint_args_dumps(Arena *a, const Options *o, LintLaunch *out);

/* NULL, or what of its extents would take minutes, for people. */
const char *lint_args_refusal(Arena *a, const LintLaunch *l);

/* Shared memory of a block, static and dynamic. */
uint32_t lint_args_shared(const EmuKernel *kernel, const LintLaunch *launch);

#endif
