/* SPDX-License-Identifier: MIT */
/* option_pages.h: writes the table of commands into man pages, completions and Markdown. */
#ifndef KGEN_COMMAND_OPTION_PAGES_H
#define KGEN_COMMAND_OPTION_PAGES_H

#include "command/options.h"

typedef struct {
  Command command;             /* the command that the page describes; COMMANDS: all */
  int templates;               /* number of kernel templates, which completions offer */
  const char *const *template; /* their names */
} OptionPage;

/* Fills in a page such as scripts/pages/kgen.1.in: each line "@NAME@" is replaced by the table of
 * that name. False, with the reason in *why, if there is no such table. */
bool option_pages_fill(const char *page, const OptionPage *of, Text *out, Text *why);

#endif
