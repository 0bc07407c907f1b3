/* SPDX-License-Identifier: MIT */
#include "command/begin.h"

#include <string.h>

#include "command/paths.h"
#include "spec/spec_family.h"
#include "spec/spec_init.h"
#include "spec/spec_schema.h"

int schema_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag) {
  (void)messages;
  const char *templates = paths_templates(a, o->templates, diag);
  if (!templates) return EXIT_USAGE;
  spec_schema(a, templates_open(a, templates), data);
  return 0;
}

/* Reports an error in a word of the command line, which has no line and column. */
static bool family_is_there(Arena *a, const Options *o, Templates *templates, Diag *diag) {
  const char *const *name;
  const int count = templates_kernels(templates, &name);
  if (strcmp(o->init, "none") == 0) return true;
  for (int i = 0; i < count; i++)
    if (strcmp(name[i], o->init) == 0) return true;
  const char *near = diag_nearest(o->init, name, count);
  Text all = text_new(a);
  for (int i = 0; i < count; i++) text_printf(&all, ", %s", name[i]);
  diag_say(diag, DIAG_ARGUMENT, "init: there is no kernel template %s; %s%s", o->init,
           near ? "did you mean " : "one of: none", near ? arena_printf(a, "%s?", near) : all.s);
  return false;
}

int init_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag) {
  (void)messages;
  const char *dir = paths_templates(a, o->templates, diag);
  Templates *templates = templates_open(a, dir);
  if (!templates || !family_is_there(a, o, templates, diag)) return EXIT_USAGE;
  if (spec_init(a, diag, templates, o->init, paths_schema(a), data)) return 0;
  return EXIT_BAD_INPUT;
}
