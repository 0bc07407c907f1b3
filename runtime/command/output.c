#include "command/output.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"

bool output_is_stdout(const char *path) { return strcmp(path, "-") == 0; }

bool output_write(const char *path, const char *text, Text *data, Text *why) {
  if (output_is_stdout(path)) {
    text_puts(data, text);
    return true;
  }
  if (file_write(path, text, strlen(text))) return true;
  text_printf(why, "cannot write %s: %s", path, strerror(errno));
  return false;
}
