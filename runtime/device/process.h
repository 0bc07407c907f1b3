/* process.h: runs another program. */
#ifndef KGEN_DEVICE_PROCESS_H
#define KGEN_DEVICE_PROCESS_H

#include <sys/types.h>

#include "base/scratch.h"
#include "base/text.h"

/* Called at intervals while a program runs. */
typedef struct {
  void (*call)(void *context); /* NULL: nothing is called */
  void *context;
} ProcessWait;

/* Our environment with changes, NULL-terminated as it is: NAME=VALUE sets a variable, NAME alone
 * leaves it out. */
char **process_environment(Arena *a, const char *const *change);

/* Starts word[0], found in $PATH, with its NULL-terminated words, in the scratch folder, which is
 * its $TMPDIR, too; what it prints goes to the file `log`. It leads a process group, so that what
 * it starts can be ended with it, and has the signals as they were before `scratch` held them back.
 * 0, or an errno. */
int process_start(Arena *a, const char *const *word, const char *log, const Scratch *scratch,
                  pid_t *child);
/* Ends the program and its group. */
void process_stop(pid_t child);

/* Runs a program in that way to its end. Returns its exit status; -1, with the reason in *why, if
 * it did not run or was stopped. A signal that `scratch` holds back ends the program and what it
 * started; it then takes effect here as the scratch folder is closed. */
int process_run(Arena *a, const char *const *word, const char *log, const Scratch *scratch,
                ProcessWait wait, Text *why);

#endif
