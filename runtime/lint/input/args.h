/* SPDX-License-Identifier: MIT */
/* args.h: the launch that the command line describes. */
#ifndef KGEN_LINT_INPUT_ARGS_H
#define KGEN_LINT_INPUT_ARGS_H

#include "command/options.h"
#include "emu/emu.h"
#include "lint/input/expect.h"

/* The contents of a variable of the module, __constant__ or __device__ in C++: NAME=VALUE,
 * NAME=data:FILE or NAME=data:random. */
typedef struct {
  const char *name;
  bool filled;     /* value.fill is used, for any size; else the value */
  LintValue value; /* its text is everything that was given */
} LintVariable;

typedef struct {
  const char *ptx;
  EmuModule *module;
} LintModule;

/* The state that the launches of a file share if one of them begins early. The last launch frees
 * it. */
typedef struct {
  EmuMemory *memory; /* NULL: no launch has run */
  EmuTrace *trace;   /* trace of the latest launch */
  int modules, capacity;
  LintModule *module;
  struct LintBoundArguments *bound; /* arguments of the latest launch */
} LintChain;

typedef struct {
  const char *name; /* name of a launch in a file; or NULL */
  Loc loc;          /* its location in the file; without a source: from the command line */
  uint32_t grid[3], block[3], smem;
  uint32_t cluster[3]; /* 0: the kernel's own */
  uint64_t max_steps;
  int64_t max_conflicts; /* -1: unlimited */
  uint64_t seed;
  int args, variables, memories;
  const LintValue *arg; /* one per parameter */
  const LintVariable *variable;
  const LintValue *memory; /* buffers that are not arguments, most of them at a given address */
  int expects, dumps;
  const LintExpect *expect;
  const LintDump *dump;
  bool programmatic; /* may begin before the file's preceding launch has ended */
  bool followed;     /* the next launch is programmatic */
  LintChain *chain;  /* shared state; NULL if neither this nor the next launch is programmatic */
  const struct LintBuild *build; /* compile.h; NULL: the source is not compiled yet */
} LintLaunch;

/* Appends all errors to *why, one per line; false if there are any. */
bool lint_args_read(Arena *a, const Options *o, LintLaunch *out, Diag *why);
/* Gives untyped numbers the types of their parameters. False, with the reason in *why, for a
 * pointer, a structure, or a number that the type cannot represent. */
bool lint_args_type(Arena *a, const EmuKernel *kernel, LintLaunch *launch, Diag *why);

/* Reads the files of --dump, which may be combined with a launch from a file. */
void lint_args_dumps(Arena *a, const Options *o, LintLaunch *out);

/* NULL, or the extents of a grid that would take minutes, for people. */
const char *lint_args_refusal(Arena *a, const LintLaunch *l);

/* Bytes of shared memory per block: static shared memory plus `smem`. */
uint32_t lint_args_shared(const EmuKernel *kernel, uint32_t smem);

#endif
