#include "command/begin.h"

#include <unistd.h>

#include "command/paths.h"
#include "spec/spec_init.h"
#include "spec/spec_schema.h"

enum { EXIT_BAD_SPEC = 3 };

int schema_command(Arena *a, const Options *o, Text *data, Text *messages) {
  const char *templates = paths_templates(a, o->templates, messages);
  if (!templates) return EXIT_USAGE;
  spec_schema(a, templates, data);
  return 0;
}

int init_command(Arena *a, const Options *o, Text *data, Text *messages) {
  const char *templates = paths_templates(a, o->templates, messages);
  Diag *d = diag_new(a);
  if (!templates) return EXIT_USAGE;
  if (spec_init(a, d, templates, o->init, paths_schema(a), data)) return 0;
  diag_print(d, messages, options_color(o, STDERR_FILENO));
  return EXIT_BAD_SPEC;
}
