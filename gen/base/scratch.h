/* SPDX-License-Identifier: MIT */
/* scratch.h: a directory for files that are not finished, or that only another program reads. */
#ifndef KGEN_BASE_SCRATCH_H
#define KGEN_BASE_SCRATCH_H

#include "base/arena.h"
#include "base/signals.h"

typedef struct {
  const char *folder;
  int lock;        /* the open marker */
  sigset_t before; /* the signal mask before it was opened */
} Scratch;

/* $TMPDIR, else /tmp. */
const char *scratch_parent(void);

/* Creates a directory PARENT/.kgen-X, where X is a random name, and holds signals back until it is
 * closed. The directory has a marker, the file ".kgen-scratch": it names the directory, and is
 * locked as long as the directory is in use.
 *
 * Removes the directories that killed runs of this user left in PARENT. A directory is one of them
 * only if its name has that form, its marker is there, unlocked and more than a minute old, and
 * both belong to this user. False with errno set. */
bool scratch_open(Arena *a, Scratch *s, const char *parent);
const char *scratch_file(Arena *a, const Scratch *s, const char *name);
/* Removes the directory and its contents; errno is preserved. */
void scratch_close(Scratch *s);

#endif
