/* option_table.h: the options of the command line, one row each. --help, the man page, the
 * completions of bash and zsh, and the README's tables are made of it: option_pages.h. */
#ifndef KGEN_COMMAND_OPTION_TABLE_H
#define KGEN_COMMAND_OPTION_TABLE_H

#include "command/options.h"

/* One option as it was given, on its way into Options. */
typedef struct {
  Arena *arena;
  const char *name, *text; /* text NULL: a switch */
  int choice;              /* which of the row's choices the text is */
  Text *why;
} OptionArg;

/* What may follow an option, for completion. */
typedef enum { VALUE_NONE, VALUE_TEXT, VALUE_CHOICE, VALUE_FILE, VALUE_FOLDER } ValueKind;

/* Sets of commands. Where it has no meaning, an IDLE option is ignored, and others are
 * refused. */
enum { ALL_COMMANDS = (1 << COMMANDS) - 1, IDLE = 1 << COMMANDS };

typedef struct {
  char letter; /* 0: none */
  const char *name;
  const char *value; /* what the pages call it; NULL: a switch */
  ValueKind kind;
  unsigned commands;                                 /* 1 << COMMAND_... that take it, and IDLE */
  bool (*set)(const OptionArg *given, Options *out); /* false, with the reason in given->why */
  const char *(*choice)(int i);                      /* of VALUE_CHOICE; NULL after the last */
  const char *about; /* `words` between backticks are typed as they stand */
} OptionRow;

typedef struct {
  const char *option; /* that opens it; NULL: none does */
  bool takes_specs;
  const char *usage; /* after `kgen` */
  const char *about;
} CommandRow;

/* An exit code, or a variable of the environment. */
typedef struct {
  const char *name, *about;
} FactRow;

extern const OptionRow option_table[];
extern const int option_count;
extern const CommandRow command_table[COMMANDS];
extern const FactRow exit_table[];
extern const int exit_count;
extern const FactRow environment_table[];
extern const int environment_count;

/* The row of a name of `n` characters, of a letter; NULL: none. */
const OptionRow *option_find(const char *name, size_t n);
const OptionRow *option_find_letter(char letter);
/* The option that selects a command; NULL: none does. */
const OptionRow *command_option(Command command);
/* True if the option selects a command. */
bool option_names_command(const OptionRow *row);

#endif
