/* SPDX-License-Identifier: MIT */
/* tally.h: counters of the processes of a session, in memory that they share with kgen. A count
 * survives the process, whatever ends it, and chroot, setuid, or a lack of descriptors. kgen
 * compares the counts with the records that it reads; a missing record makes the session
 * incomplete. */
#ifndef KGEN_DEVICE_TALLY_H
#define KGEN_DEVICE_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  _Atomic uint64_t processes; /* programs that opened the session */
  _Atomic uint64_t checked;   /* launches that ended, checked */
  _Atomic uint64_t unchecked; /* launches that ran unchecked */
  _Atomic uint64_t failures;  /* records that could not be written */
  _Atomic int error;          /* why the last of these could not */
} Tally;

/* The name of its file in the session's directory. */
#define TALLY_FILE "tally"

/* Creates the file, with its disk space, for kgen; NULL with errno set. It stays mapped. */
Tally *tally_create(const char *path);
/* Maps the file for a process of the session; NULL with errno set. */
Tally *tally_open(const char *path);
void tally_close(Tally *t);

#endif
