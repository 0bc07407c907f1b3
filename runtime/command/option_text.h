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

/* Where pages list an option: at the first door that takes it; COMMANDS if every door does. */
Command option_text_home(const OptionRow *row);
/* The heading of the options listed there. */
const char *option_text_section(Command home);

#endif
