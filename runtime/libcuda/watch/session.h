/* session.h: the settings of kgen --exec for this process, and the files that return results. A
 * file that cannot be written is left out: the program goes on. */
#ifndef KGEN_LIBCUDA_WATCH_SESSION_H
#define KGEN_LIBCUDA_WATCH_SESSION_H

#include <regex.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/text.h"
#include "emu/emu.h"

typedef struct {
  Arena *arena;
  pid_t process;      /* that opened it: a fork has none until it calls cuInit */
  const char *folder; /* of the files; NULL: the library is used without kgen, and judges nothing */
  const char *name;   /* of its files in that folder, as far as they are alike */
  const char *save;   /* of --save, or NULL */
  bool filtered;      /* by `kernels` */
  regex_t kernels;
  int64_t skip, launches; /* -1: any number */
  uint64_t max_steps;
  EmuTranslator translator; /* without functions: nothing is translated */
  bool pictures;            /* for --html */
  int includes;
  const char **include;
  uint64_t judged, unchecked; /* launches */
} Session;

/* Returns the session of this process, opened at the first call; NULL without kgen, and in a fork
 * that has not opened its own. */
Session *session(void);

/* Writes NAME-N.json, or NAME.json for N < 0, atomically. */
void session_write(const Session *s, int number, const Text *text);

#endif
