/* option_pages.h: the table of options as people and shells read it. */
#ifndef KGEN_COMMAND_OPTION_PAGES_H
#define KGEN_COMMAND_OPTION_PAGES_H

#include "base/text.h"

/* A page with a line "@NAME@" for each of its tables, such as scripts/pages/kgen.1.in, filled in.
 * False, with the reason in *why, if a line names no table. */
bool option_pages_fill(const char *page, Text *out, Text *why);

#endif
