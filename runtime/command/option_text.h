/* SPDX-License-Identifier: MIT */
/* option_text.h: formatting that is common to all pages of the options. */
#ifndef KGEN_COMMAND_OPTION_TEXT_H
#define KGEN_COMMAND_OPTION_TEXT_H

#include "command/option_table.h"

/* How a page spells the texts of the tables. */
typedef struct {
  const char *open, *close; /* replacements for the two backticks around literal text */
  struct {
    char c;
    const char *as;
  } escape[8]; /* ends at the first c that is 0 */
} TextForm;

const char *option_text(Arena *a, const char *about, const TextForm *form);

/* "lint [options] FILE[:KERNEL]". */
const char *option_text_usage(Arena *a, Command command);
/* True if every command takes the option. */
bool option_text_is_common(const OptionRow *row);

#endif
