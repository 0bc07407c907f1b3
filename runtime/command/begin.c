#include "command/begin.h"

#include <string.h>
#include <unistd.h>

#include "command/paths.h"
#include "spec/spec_family.h"
#include "spec/spec_init.h"
#include "spec/spec_schema.h"

int schema_command(Arena *a, const Options *o, Text *data, Text *messages) {
  const char *templates = paths_templates(a, o->templates, messages);
  if (!templates) return EXIT_USAGE;
  spec_schema(a, templates_open(a, templates), data);
  return 0;
}

/* Reports an error in a word of the command line, which has no line and column. */
static bool family_is_there(const Options *o, Templates *templates, Text *messages) {
  const char *const *name;
  const int count = templates_kernels(templates, &name);
  if (strcmp(o->init, "none") == 0) return true;
  for (int i = 0; i < count; i++)
    if (strcmp(name[i], o->init) == 0) return true;
  const char *near = diag_nearest(o->init, name, count);
  text_printf(messages, "kgen: init: there is no kernel template %s; %s%s%s", o->init,
              near ? "did you mean " : "one of: none", near ? near : "", near ? "?" : "");
  for (int i = 0; !near && i < count; i++) text_printf(messages, ", %s", name[i]);
  text_puts(messages, "\n");
  return false;
}

int init_command(Arena *a, const Options *o, Text *data, Text *messages) {
  const char *dir = paths_templates(a, o->templates, messages);
  Templates *templates = templates_open(a, dir);
  Diag *d = diag_new(a);
  if (!templates || !family_is_there(o, templates, messages)) return EXIT_USAGE;
  if (spec_init(a, d, templates, o->init, paths_schema(a), data)) return 0;
  diag_print(d, messages, options_color(o, STDERR_FILENO));
  return EXIT_BAD_INPUT;
}
