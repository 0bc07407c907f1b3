/* scratch.h: a folder for files that are not finished, or that only another program reads. */
#ifndef KGEN_BASE_SCRATCH_H
#define KGEN_BASE_SCRATCH_H

#include "base/arena.h"
#include "base/signals.h"

typedef struct {
  const char *folder;
  int lock;
  sigset_t before; /* the signal mask before it was opened */
} Scratch;

/* $TMPDIR, else /tmp. */
const char *scratch_parent(void);

/* Makes a folder PARENT/.kgen-XXXXXX of a random name, so that processes which share PARENT but not
 * their process numbers do not meet, and holds signals back until it is closed. Removes those that
 * killed runs of this user left in PARENT. False with errno set. */
bool scratch_open(Arena *a, Scratch *s, const char *parent);
const char *scratch_file(Arena *a, const Scratch *s, const char *name);
/* Removes the folder and its contents; errno is preserved. */
void scratch_close(Scratch *s);

#endif
