/* workers.h: processes that compile points into the cache while others are measured. Processes,
 * since compilers in several threads may block each other. */
#ifndef KGEN_WORKERS_H
#define KGEN_WORKERS_H

#include <sys/types.h>

#include "base/signals.h"
#include "judge/run.h"
#include "tune/space.h"

typedef struct {
  int point;  /* of the space */
  int worker; /* that did it */
  JitStatus status;
  int registers, spill_bytes, blocks; /* blocks: that an SM holds; 0 where it is not known */
  char why[160];                      /* of what failed */
} Compiled;

typedef struct {
  const Space *space;
  const Runner *runner;
  JitForm form;
  int count, busy; /* processes; points under way */
  int *jobs;       /* pipe to each */
  int *given;      /* points that each has */
  pid_t *process;
  int results; /* pipe from all */
} Workers;

/* count: processes. held: the signals as they were before they were held back. False, with *why,
 * if not one could be started. */
bool workers_start(Arena *a, const Space *s, const Runner *r, JitForm form, int count,
                   const sigset_t *held, Workers *out, Text *why);
/* Whether one more point would be started soon. */
bool workers_have_room(const Workers *w);
void workers_give(Workers *w, int point);
/* One that is done, within `ms` milliseconds. */
bool workers_take(Workers *w, int ms, Compiled *out);
void workers_stop(Workers *w);

#endif
