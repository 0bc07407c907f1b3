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
  pid_t process;              /* that opened it; a fork opens its own when it calls CUDA */
  const char *folder;         /* of the files */
  const char *identity;       /* what a process keeps when it executes another program */
  uint64_t began;             /* ns of a clock that all processes of the machine share */
  char name[RANDOM_NAME + 1]; /* that the names of its files begin with */
  Tally *tally;
  const char *save; /* of --save, or NULL */
  bool filtered;    /* by `kernels` */
  regex_t kernels;
  int64_t skip, launches; /* -1: any number */
  uint64_t max_steps;
  EmuSchedules schedules;   /* last 0: none */
  EmuTranslator translator; /* without functions: nothing is translated */
  bool pictures;            /* for --html */
  int includes;
  const char **include;
  uint64_t judged; /* launches that began */
  int lost_room;
  bool *lost; /* by a file's number + 1: its newest contents could not be written */
} Session;

/* Returns the session of this process, opened at the first call; NULL without kgen, and in a fork
 * of a process that had opened its own. */
Session *session(void);
/* Whether this process has opened a session: not a fork, nor a child that shares its memory. */
bool session_is_of_this_process(void);
/* False if kgen started this program and its session cannot be opened: then no result could be
 * returned. Reports that on stderr, once. */
bool session_works(void);

/* Writes NAME-N.json, or NAME.json for N < 0, atomically. False if it could not, which is reported
 * on stderr once, and to kgen; the caller may try again later. */
bool session_write(Session *s, int number, const Text *text);
/* Reports a record in `where` that cannot be written, with errno's reason, for good. */
void session_failed(const Session *s, const char *where);

#endif
