/* SPDX-License-Identifier: MIT */
/* pages.c: fills the tables of commands into a page, as a step of the build:
 *
 *   kgen_pages PAGE OUT [VERB]
 *
 * Finds the kernel templates as kgen does: set KGEN_TEMPLATES. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "command/option_pages.h"
#include "command/option_table.h"
#include "command/paths.h"
#include "spec/spec_family.h"

enum { MAX_PAGE = 1 << 20 };

static bool fill(Arena *a, const char *from, const char *to, const char *verb, Text *why) {
  size_t size;
  Text page = text_new(a);
  const char *text = file_read(a, from, MAX_PAGE, &size);
  Diag *diag = diag_new(a);
  const char *templates = paths_templates(a, NULL, diag);
  OptionPage of = {.command = verb ? command_find(verb) : COMMANDS};
  if (templates) of.templates = templates_kernels(templates_open(a, templates), &of.template);
  if (text && !option_pages_fill(text, &of, &page, why)) return false;
  if (text && file_write(to, page.s, page.len)) return true;
  text_puts(why, templates ? strerror(errno) : diag_first(diag));
  return false;
}

int main(int argc, char **argv) {
  Arena *a = arena_new();
  Text why = text_new(a);
  bool ok = argc == 3 || argc == 4;
  if (!ok) text_puts(&why, "usage: kgen_pages PAGE OUT [VERB]");
  ok = ok && fill(a, argv[1], argv[2], argv[3], &why);
  if (!ok) fprintf(stderr, "kgen_pages: %s\n", why.s);
  arena_free(a);
  return !ok;
}
