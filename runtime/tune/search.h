/* search.h: the best configuration of one spec, found by measuring. */
#ifndef KGEN_TUNE_SEARCH_H
#define KGEN_TUNE_SEARCH_H

#include "tune/choose.h"
#include "tune/space.h"
#include "tune/tuning.h"

/* What became of one spec. */
typedef struct {
  Space space;
  WisdomKey key;
  Choices choices;        /* all that is known in the end, the best first */
  int compiled, measured; /* points, in this run */
  int known;              /* points: measured before it */
  int pruned, invalid;    /* that cannot be the best; that are wrong */
  int left;               /* that there was no time for */
  double seconds;
} Tuned;

/* seconds: what it may take, counted from now. False on a mistake of the spec, in d. */
bool search_spec(Tuning *t, Arena *a, Diag *d, const char *path, double seconds, Tuned *out);

/* Measures only these configurations, each as values_text has it: what kgen --tune --only does. */
bool search_only(Tuning *t, Arena *a, Diag *d, const char *path, const OptionList *only);

#endif
