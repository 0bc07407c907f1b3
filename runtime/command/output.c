/* SPDX-License-Identifier: MIT */
#include "command/output.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"

bool output_is_stdout(const char *path) { return strcmp(path, "-") == 0; }

bool output_write(const char *path, const char *text, Text *data, Diag *diag) {
  if (output_is_stdout(path)) {
    text_puts(data, text);
    return true;
  }
  if (file_write(path, text, strlen(text))) return true;
  diag_say(diag, DIAG_ARGUMENT, "cannot write %s: %s", path, strerror(errno));
  return false;
}
