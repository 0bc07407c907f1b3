/* SPDX-License-Identifier: MIT */
/* lint.h: kgen --lint: executes any kernel on the emulator. Reports bank conflicts by source line
 * with a layout that removes them, global-memory traffic, and the kernel's bugs. */
#ifndef KGEN_LINT_LINT_H
#define KGEN_LINT_LINT_H

#include "lint/input/bind.h"
#include "lint/report/record.h"

/* Called once with the report of a launch, which is valid only during the call. */
typedef void LintTake(void *context, const LintReport *r);

/* Compiles, launches and checks one kernel. launch = NULL uses the options' launch. Returns the
 * exit code. 0: clean. 1: findings, outputs that differ from the expected ones, or more
 * conflicts than --max-conflicts. 2: wrong usage. 3: a file's launch does not fit the kernel. 5:
 * the kernel does not compile. 6: a tool is missing. From 2 on there is no report, and *diag has
 * the reason. */
int lint_judge(Arena *a, const Options *o, const LintLaunch *launch, LintTake *take, void *context,
               Diag *diag);

/* The state of a launch, for callers that also inspect its memory. */
typedef struct {
  const EmuMemory *memory;
  EmuModule *module;
  const LintBoundArguments *placed;
} LintMemory;
typedef struct {
  LintTake *take;
  /* Called before the launch and, if it could be launched, after it; may be NULL. */
  void (*look)(void *context, const LintMemory *memory, bool after);
  void *context;
} LintListener;
int lint_judge_with(Arena *a, const Options *o, const LintLaunch *launch,
                    const LintListener *listener, Diag *diag);

#endif
