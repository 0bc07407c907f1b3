/* lint_args.h: what the command line says about the launch, and the arguments made of it. */
#ifndef KGEN_LINT_ARGS_H
#define KGEN_LINT_ARGS_H

#include "command/options.h"
#include "emu/emu.h"

typedef enum { LINT_BUF, LINT_I32, LINT_I64, LINT_F32, LINT_F64, LINT_ARG_KINDS } LintArgKind;

typedef struct {
  const char *text; /* as given */
  LintArgKind kind;
  uint64_t value;   /* the number's bytes, or the buffer's size */
  bool zero;        /* a buffer of zeros */
  const char *file; /* what it holds; NULL with zero unset: random bytes */
} LintArg;

/* One --arg: a value, or {...}, the members of a structure in order. */
typedef struct {
  const char *text;
  int first, count; /* of LintLaunch.arg */
  bool is_struct;
} LintGroup;

typedef struct {
  uint32_t grid[3], block[3], smem;
  uint64_t max_steps;
  int64_t max_conflicts; /* -1: any number */
  uint64_t seed;
  int args, groups;
  const LintArg *arg;
  const LintGroup *group;
} LintLaunch;

/* All mistakes are told in *why, a line each; false if there is one. */
bool lint_args_read(Arena *a, const Options *o, LintLaunch *out, Text *why);

/* Shared memory of a block, static and dynamic. */
uint32_t lint_args_shared(const EmuKernel *kernel, const LintLaunch *launch);

/* Checks the arguments against the kernel's parameters, allocates and fills the buffers. Returns
 * one pointer per parameter, as EmuLaunch wants them; NULL with the reason in *why. */
const void *const *lint_args_place(Arena *a, EmuMemory *memory, const EmuKernel *kernel,
                                   const LintLaunch *launch, Text *why);

#endif
