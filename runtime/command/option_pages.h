/* option_pages.h: the table of commands as people and shells read it. */
#ifndef KGEN_COMMAND_OPTION_PAGES_H
#define KGEN_COMMAND_OPTION_PAGES_H

#include "command/options.h"

typedef struct {
  Command command;             /* of a page of one command; COMMANDS: a page of all */
  int templates;               /* the kernel templates, which completions offer */
  const char *const *template; /* their names */
} OptionPage;

/* Fills in a page with a line "@NAME@" for each of its tables, such as scripts/pages/kgen.1.in.
 * False, with the reason in *why, if a line names no table. */
bool option_pages_fill(const char *page, const OptionPage *of, Text *out, Text *why);

#endif
