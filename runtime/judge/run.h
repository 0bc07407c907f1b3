/* SPDX-License-Identifier: MIT */
/* run.h: compiles, launches, checks, counts and times one spec, and the same template without a
 * layout as a control. Errors are written to Runner.messages, and determine Run.exit_code; modules
 * stay loaded until run_close(). */
#ifndef KGEN_JUDGE_RUN_H
#define KGEN_JUDGE_RUN_H

#include "batch.h"
#include "judge/check.h"
#include "judge/exit_code.h"
#include "judge/measure.h"

/* One kernel: a spec with one layout. */
typedef struct {
  BatchItem item;
  Jit jit; /* the code that the backend executes */
  void *module;
  bool ran;    /* every size was launched without a failing call */
  Check check; /* over all sizes */
  PlanWavefronts predicted;
  Counters counted; /* counters of the launch at the `exact` extents */
  bool timed;
  Timing timing;
} Variant;

typedef struct {
  Variant solved, control;
  bool has_control;
  bool runs;        /* --run was given, and there is something to launch */
  bool jitted;      /* machine is valid */
  Jit machine;      /* machine code for the report: registers, occupancy */
  int64_t bytes;    /* bytes read plus written by the timed launch */
  double copy_gbps; /* 0: not measured */
  bool unfit;       /* run_prepare() found errors: compile, but do not run */
  int exit_code;
} Run;

typedef struct {
  Arena *arena;
  Cache cache;
  Device *device;   /* NULL: compile only */
  const char *arch; /* --arch, or NULL */
  bool alone;       /* no control: a sweep compares its candidates with each other */
  bool lean;        /* compile only what the device executes */
  const SpecOptions *options;
  uint64_t seed;
  const char *lost; /* the kernel that made the device unusable, or NULL */
  Text *messages;   /* for stderr: errors, with names and numbers */
} Runner;

/* Checks before anything is written or launched that a spec can be run: its template has a
 * reference, and its problem is valid at every size. False, with errors in d. */
bool run_prepare(Arena *a, Diag *d, const BatchItem *item);

/* The architecture for which the spec's kernel is compiled. */
const char *run_arch(const Runner *r, const Spec *spec);
/* The compilations that a run makes for a spec: machine code, which the table needs, too, and its
 * control, in the form that the device executes. False if there is no such kernel. */
typedef enum { PART_KERNEL, PART_CONTROL, PARTS } Part;
bool run_part(const Runner *r, Arena *a, const BatchItem *item, Part part, BatchItem *out,
              JitForm *form);
/* Compiles the spec's kernel, for the table. */
void run_compile(Runner *r, const BatchItem *item, Run *out);
/* The steps of run_execute() before timing: compiles and loads; launches and checks at every size.
 * False if a call failed; a wrong result is in run->solved.check. */
bool run_load(Runner *r, const BatchItem *item, Run *out);
bool run_check(Runner *r, Run *run);
/* Compiles, launches and checks the kernel and its control at every size, then times both. */
void run_execute(Runner *r, const BatchItem *item, Run *out);
/* Counts wavefronts of both and compares them with the plan. Called after all specs have been
 * timed, because an open profiler slows launches down. */
void run_count(Runner *r, Run *run);
void run_close(Runner *r, Run *run);

/* The plan's prediction of shared-memory wavefronts for a launch of the problem. */
PlanWavefronts run_predict(Arena *a, const Plan *plan, const Problem *p);

double run_gbps(const Run *run, const Variant *v);

#endif
