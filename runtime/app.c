/* SPDX-License-Identifier: MIT */
/* app.c: writes the output of a command. */
#include "app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command/repro.h"

void app_flush_messages(App *app) {
  diag_write(app->diag, &app->messages);
  if (diag_met(app->diag)) app->reported = app->diag;
  app->diag = diag_new(app->arena);
  repro_record_stderr(app->options.repro, app->messages.s, app->messages.len);
  Text shown = text_new(app->arena);
  text_show(&shown, app->messages.s, app->messages.len);
  fwrite(shown.s, 1, shown.len, stderr);
  text_add(&app->written, shown.s, shown.len);
  app->messages = text_screen(app->arena);
}

bool app_flush_data(const App *app) {
  Text shown = text_new(app->arena);
  text_show(&shown, app->data.s, app->data.len);
  fwrite(shown.s, 1, shown.len, stdout);
  if (fflush(stdout) == 0 && !ferror(stdout)) return true;
  fprintf(stderr, "kgen: cannot write to stdout: %s\n", strerror(errno));
  return false;
}

int app_stop(App *app, int code) {
  app_flush_messages(app);
  return code;
}
