/* SPDX-License-Identifier: MIT */
/* app.h: the options and the output of a command. */
#ifndef KGEN_APP_H
#define KGEN_APP_H

#include "command/options.h"

typedef struct {
  Arena *arena;
  Options options;
  Text messages;        /* for stderr */
  Diag *diag;           /* errors and notes, printed after the messages */
  Text written;         /* the messages that were written to stderr */
  const Diag *reported; /* the errors among them; NULL: none */
  Text data;            /* for stdout */
} App;

/* Writes the messages so far to stderr, and records them for --repro. */
void app_flush_messages(App *app);
/* Writes the data to stdout. False, with a message, if stdout did not accept all of it: a full
 * disk, a closed pipe. */
bool app_flush_data(const App *app);
/* Flushes the messages, and returns the exit code. */
int app_stop(App *app, int code);

#endif
