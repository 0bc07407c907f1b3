#include "command/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

bool output_is_stdout(const char *path) { return strcmp(path, "-") == 0; }

bool output_write(const char *path, const char *text, Text *why) {
  const bool to_stdout = output_is_stdout(path);
  const size_t n = strlen(text);
  if (to_stdout ? file_put(STDOUT_FILENO, text, n) : file_write(path, text, n)) return true;
  text_printf(why, "cannot write %s: %s", to_stdout ? "to stdout" : path, strerror(errno));
  return false;
}
