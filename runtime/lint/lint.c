#include "lint.h"

int lint_command(Arena *a, const Options *o, Text *data, Text *messages) {
  (void)a, (void)data;
  text_printf(messages, "kgen: --lint %s: not built in\n", o->lint);
  return EXIT_USAGE;
}
