/* args.h: the launch as the command line gives it. */
#ifndef KGEN_LINT_INPUT_ARGS_H
#define KGEN_LINT_INPUT_ARGS_H

#include "command/options.h"
#include "emu/emu.h"
#include "lint/input/expect.h"

/* NAME=VALUE, NAME=data:FILE or NAME=data:random: the contents of a variable of the module, in C++
 * __constant__ or __device__. */
typedef struct {
  const char *name;
  bool filled;     /* with value.fill, whatever its size; else with the value */
  LintValue value; /* its text is all of what was given */
} LintVariable;

typedef struct {
  const char *ptx;
  EmuModule *module;
} LintModule;

/* The state that launches of a file share if one begins early after another. The last one frees
 * it. */
typedef struct {
  EmuMemory *memory; /* NULL: no launch has run */
  EmuTrace *trace;   /* the latest launch's */
  int modules, capacity;
  LintModule *module;
  struct LintBoundArguments *bound; /* the latest launch's */
} LintChain;

typedef struct {
  const char *name; /* in a file; or NULL */
  Loc loc;          /* there; without a source: on the command line */
  uint32_t grid[3], block[3], smem;
  uint32_t cluster[3]; /* 0: as the kernel declares */
  uint64_t max_steps;
  int64_t max_conflicts; /* -1: any number */
  uint64_t seed;
  int args, variables, memories;
  const LintValue *arg; /* one per parameter */
  const LintVariable *variable;
  const LintValue *memory; /* buffers that are not arguments, most with an address */
  int expects, dumps;
  const LintExpect *expect;
  const LintDump *dump;
  bool programmatic; /* it may begin before the launch before it in the file has ended */
  bool followed;     /* the next launch is programmatic */
  LintChain *chain;  /* NULL: neither */
  const struct LintBuild *build; /* compile.h; NULL: its source is yet to be compiled */
} LintLaunch;

/* Appends all errors to *why, one per line; false if there is one. */
bool lint_args_read(Arena *a, const Options *o, LintLaunch *out, Diag *why);
/* Reads the numbers that were given without a type as their parameters' types. False, with the
 * reason in *why, for a pointer, a structure, or a number that the type does not hold. */
bool lint_args_type(Arena *a, const EmuKernel *kernel, LintLaunch *launch, Diag *why);

/* The files of --dump, which is allowed with the command line and with a file. */
void lint_args_dumps(Arena *a, const Options *o, LintLaunch *out);

/* NULL, or the extents that would take minutes, for people. */
const char *lint_args_refusal(Arena *a, const LintLaunch *l);

/* Bytes of shared memory of a block: static, and `smem` of dynamic. */
uint32_t lint_args_shared(const EmuKernel *kernel, uint32_t smem);

#endif
