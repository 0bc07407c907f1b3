/* SPDX-License-Identifier: MIT */
/* sweep.h: kgen --sweep: tries a spec with every combination of pads and params. Each candidate
 * becomes an item of the batch, next to the layout that the solver chooses. */
#ifndef KGEN_COMMAND_SWEEP_H
#define KGEN_COMMAND_SWEEP_H

#include "batch.h"
#include "command/options.h"
#include "command/progress.h"

enum { SWEEP_MAX_AXES = 8, SWEEP_MAX_CANDIDATES = 256 };

/* One --sweep option: a name as in Setting, and its values. */
typedef struct {
  const char *name;
  bool pad;
  int count;
  int value[SWEEP_MAX_CANDIDATES];
} SweepAxis;

typedef struct {
  const char *name; /* the spec's name */
  int settings; /* number of settings: all axes, or only the params for the solver's own layout */
  const Setting *setting;
  int item;           /* index in the batch; -1 if inadmissible or left out */
  const char *reason; /* why it is inadmissible or left out */
  bool left_out;      /* not solved, because the budget was spent */
  bool chosen;        /* its layout is the solver's choice */
} Candidate;

typedef struct {
  Arena *arena;
  int axes, pads; /* number of axes, the params first, and of pads among them */
  SweepAxis axis[SWEEP_MAX_AXES];
  int candidates, capacity;
  Candidate *candidate;
  int specs;          /* number of specs that will be tried, for progress */
  Progress *progress; /* may be NULL */
} Sweep;

/* Parses the --sweep options: NAME=V, NAME=A..B, or lists of these. False, with the reason in *why,
 * on an error. */
bool sweep_parse(Arena *a, const Options *o, Sweep *out, Diag *diag);

/* Tries every combination for one spec and adds the admissible ones to the batch; if pads are
 * swept, also the solver's own layout. run: only candidates that can run are admissible. False on
 * an error: of the spec itself (in the batch's diag), or an unknown name (in *why). */
bool sweep_expand(Sweep *s, Batch *b, const char *path, const SpecOptions *options, bool run,
                  Diag *diag);

#endif
