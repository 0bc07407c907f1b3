/* SPDX-License-Identifier: MIT */
/* session.h: the settings of kgen --exec for this process, and the files that return results. */
#ifndef KGEN_LIBCUDA_WATCH_SESSION_H
#define KGEN_LIBCUDA_WATCH_SESSION_H

#include <regex.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/random.h"
#include "base/text.h"
#include "device/tally.h"
#include "emu/emu.h"

typedef struct {
  Arena *arena;
  pid_t process; /* the process that opened it; a forked process opens its own at its first CUDA
                    call */
  const char *folder;         /* directory of the files */
  const char *identity;       /* identifies the process, even after it executes another program */
  uint64_t began;             /* nanoseconds of a clock that all processes of the machine share */
  char name[RANDOM_NAME + 1]; /* prefix of the names of its files */
  Tally *tally;
  const char *save; /* directory of --save, or NULL */
  bool filtered;    /* `kernels` is used */
  regex_t kernels;
  int64_t skip, launches; /* -1: unlimited */
  uint64_t max_steps;
  EmuSchedules schedules;   /* last 0: none */
  EmuTranslator translator; /* without functions, nothing is translated */
  bool pictures;            /* for --html */
  int includes;
  const char **include;
  uint64_t judged; /* number of launches that began */
  int lost_room;
  bool *lost; /* by file number + 1: its latest contents could not be written */
} Session;

/* Returns the session of this process, which the first call opens. NULL without kgen, and in a fork
 * of a process that had opened its own. */
Session *session(void);
/* True if this process has opened a session; false in a fork, or in a child that shares its
 * memory. */
bool session_is_of_this_process(void);
/* False if kgen started this program and its session cannot be opened, so that no result could be
 * returned. Reports it on stderr, once. */
bool session_works(void);

/* Writes NAME-N.json, or NAME.json for N < 0, atomically. On failure returns false, and reports to
 * kgen and, once, on stderr; the caller may try again later. */
bool session_write(Session *s, int number, const Text *text);
/* Reports that a record in `where` cannot be written, with errno's reason; it counts as lost. */
void session_failed(const Session *s, const char *where);

#endif
