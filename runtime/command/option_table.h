/* option_table.h: the commands and their options, one row each. The parser, the help, the man
 * pages, the completions of bash and zsh, and docs/reference/cli.md come from it: option_pages.h.
 */
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

/* What may follow an option, for completion. VALUE_ARGUMENT: of a kernel's parameter. */
typedef enum {
  VALUE_NONE,
  VALUE_MAYBE, /* only as --name=value; without a value text is NULL */
  VALUE_TEXT,
  VALUE_CHOICE,
  VALUE_FILE,
  VALUE_FOLDER,
  VALUE_ARGUMENT
} ValueKind;

/* Sets of commands. */
enum { ALL_COMMANDS = (1 << COMMANDS) - 1, IDLE = 1 << COMMANDS };

typedef struct {
  char letter; /* 0: none */
  const char *name;
  const char *value; /* what the pages call it; NULL: a switch */
  ValueKind kind;
  unsigned commands; /* 1 << COMMAND_... that take it; IDLE: without a verb, others ignore it */
  bool (*set)(const OptionArg *arg, Options *out); /* false, with the reason in arg->why */
  const char *(*choice)(int i);                    /* of VALUE_CHOICE; NULL after the last */
  const char *about; /* `words` between backticks are typed as they stand */
  /* An option of the time before verbs: the commands that take it where no verb is given, and what
   * to write after a verb instead. */
  unsigned old;
  const char *instead;
} OptionRow;

/* What follows the options of a command. */
typedef enum {
  OPERANDS_NONE,
  OPERANDS_SPECS, /* files and directories; none: all of specs/ */
  OPERANDS_FILES,
  OPERANDS_WORDS, /* of the row's */
  OPERANDS_PROGRAM
} OperandKind;

typedef struct {
  const char *verb;
  const char *option; /* that selects it without a verb; NULL: none does */
  OperandKind kind;
  int fewest, most;     /* operands; most 0: any number */
  const char *operands; /* as the usage shows them */
  const char *about;
  const char
      *screen;      /* its line of the help of all commands: what to type; NULL: none of its own */
  const char *gist; /* and what it does, in a few words */
  bool (*take)(Arena *a, Options *o, Text *why); /* reads the operands; NULL: they stay in `spec` */
  const char *(*word)(int i);                    /* of OPERANDS_WORDS; NULL after the last */
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

/* The C++ standards that compilers take; NULL after the last. */
const char *option_std(int i);
/* The row of a name of `n` characters, of a letter; NULL: none. */
const OptionRow *option_find(const char *name, size_t n);
const OptionRow *option_find_letter(char letter);
/* True if the command takes the option, which is given after the verb, or without a verb. */
bool option_is_for(const OptionRow *row, Command command, bool after_verb);
/* The command of a verb; COMMANDS: none. */
Command command_find(const char *verb);
/* The option that selects a command without a verb; NULL: none does. */
const OptionRow *command_option(Command command);
/* Whether the option selects a command. */
bool option_selects(const OptionRow *row);

#endif
