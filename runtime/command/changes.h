/* changes.h: the differences between two reports. */
#ifndef KGEN_COMMAND_CHANGES_H
#define KGEN_COMMAND_CHANGES_H

#include "base/text.h"

typedef enum { CHANGE_OTHER, CHANGE_BETTER, CHANGE_WORSE, CHANGE_VERDICTS } Verdict;
extern const char *const verdict_name[CHANGE_VERDICTS];

typedef struct {
  const char *of;       /* "transpose_f32, drain"; "my.cu:8, load" */
  const char *what;     /* "wavefronts" */
  const char *was, *is; /* "-" where there is none */
  Verdict verdict;
} Change;

typedef struct {
  Arena *arena;
  double tolerance; /* how much a time may change beyond its noise, as a fraction of it */
  int count, capacity;
  Change *change;
  int of_verdict[CHANGE_VERDICTS];
  int compared; /* specs, candidates, lines of source */
} Comparison;

/* Adds a change, for what compares parts of a report. */
void change_add(Comparison *c, const char *of, const char *what, const char *was, const char *is,
                Verdict verdict);

#endif
