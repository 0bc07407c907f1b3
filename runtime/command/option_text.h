/* option_text.h: what all pages of the options share. */
#ifndef KGEN_COMMAND_OPTION_TEXT_H
#define KGEN_COMMAND_OPTION_TEXT_H

#include "command/option_table.h"

/* How a page writes the texts of the tables. */
typedef struct {
  const char *open, *close; /* the two backticks around what is typed as it stands */
  struct {
    char c;
    const char *as;
  } escape[8]; /* up to the first c that is 0 */
} TextForm;

const char *option_text(Arena *a, const char *about, const TextForm *form);

/* "lint [options] FILE[:KERNEL]". */
const char *option_text_usage(Arena *a, Command command);
/* True of an option that every command takes. */
bool option_text_is_common(const OptionRow *row);

#endif
