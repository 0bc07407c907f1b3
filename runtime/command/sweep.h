/* sweep.h: kgen --sweep. A spec under every combination of some pads and params, each candidate an
 * item of the batch beside the layout that the solver chooses. */
#ifndef KGEN_COMMAND_SWEEP_H
#define KGEN_COMMAND_SWEEP_H

#include "batch.h"
#include "command/options.h"
#include "command/progress.h"

enum { SWEEP_MAX_AXES = 8, SWEEP_MAX_CANDIDATES = 256 };

/* One --sweep: a name as in Setting, and its values. */
typedef struct {
  const char *name;
  bool pad;
  int count;
  int value[SWEEP_MAX_CANDIDATES];
} SweepAxis;

typedef struct {
  const char *name; /* of the spec */
  int settings;     /* of all axes, or only of params where the solver chose the pads */
  const Setting *setting;
  int item;           /* in the batch; -1 if inadmissible */
  const char *reason; /* why it is */
  bool chosen;        /* its layout is the solver's */
} Candidate;

typedef struct {
  Arena *arena;
  int axes, pads; /* params first, then `pads` pads */
  SweepAxis axis[SWEEP_MAX_AXES];
  int candidates, capacity;
  Candidate *candidate;
  int specs;          /* that are to be tried, for progress, */
  Progress *progress; /* which may be NULL */
} Sweep;

/* The options NAME=V, NAME=A..B and lists of such. False, with the reason in *why, on a mistake. */
bool sweep_parse(Arena *a, const Options *o, Sweep *out, Text *why);

/* Tries every combination for one spec and adds what is admissible to the batch; where pads are
 * swept, also the solver's own layout. run: only what can be run is admissible. False on a mistake:
 * of the spec itself, in the batch's diag, or a name that it does not have, in *why. */
bool sweep_expand(Sweep *s, Batch *b, const char *path, const SpecOptions *options, bool run,
                  Text *why);

#endif
