/* app.c: what the command writes. */
#include "app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command/repro.h"

void app_flush_messages(App *app) {
  repro_record_stderr(app->options.repro, app->messages.s, app->messages.len);
  fwrite(app->messages.s, 1, app->messages.len, stderr);
  text_add(&app->written, app->messages.s, app->messages.len);
  app->messages = text_new(app->arena);
}

bool app_flush_data(const App *app) {
  fwrite(app->data.s, 1, app->data.len, stdout);
  if (fflush(stdout) == 0 && !ferror(stdout)) return true;
  fprintf(stderr, "kgen: cannot write to stdout: %s\n", strerror(errno));
  return false;
}

int app_stop(App *app, int code) {
  app_flush_messages(app);
  return code;
}
