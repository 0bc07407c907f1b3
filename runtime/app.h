/* app.h: what every command has: its options, and what it writes. */
#ifndef KGEN_APP_H
#define KGEN_APP_H

#include "command/options.h"

typedef struct {
  Arena *arena;
  Options options;
  Text messages; /* to stderr */
  Text written;  /* of them, what stderr has */
  Text data;     /* to stdout */
} App;

/* Writes the messages so far, which --repro keeps, too. */
void app_flush_messages(App *app);
/* Writes the data. False, with a message, if stdout did not take everything: a full disk, a closed
 * pipe. */
bool app_flush_data(const App *app);
/* Flushes the messages, and returns the exit code. */
int app_stop(App *app, int code);

#endif
