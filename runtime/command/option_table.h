/* SPDX-License-Identifier: MIT */
/* option_table.h: the commands and their options, one row each. The parser, the help, the man
 * pages, the completions of bash and zsh, and docs/reference/cli.md come from it: option_pages.h.
 */
#ifndef KGEN_COMMAND_OPTION_TABLE_H
#define KGEN_COMMAND_OPTION_TABLE_H

#include "command/options.h"

/* One option and its value, as given on the command line. */
typedef struct {
  Arena *arena;
  const char *name, *text; /* text NULL: the option takes no value */
  int choice;              /* index of the text in the row's choices */
  Diag *diag;
} OptionArg;

/* The kind of value that an option takes, for completion. VALUE_ARGUMENT: an argument for a kernel
 * parameter. */
typedef enum {
  VALUE_NONE,
  VALUE_MAYBE, /* optional, only as --name=value; without a value, text is NULL */
  VALUE_TEXT,
  VALUE_CHOICE,
  VALUE_FILE,
  VALUE_FOLDER,
  VALUE_ARGUMENT
} ValueKind;

/* Sets of commands. IDLE: without a verb, commands that do not take the option ignore it. */
enum { ALL_COMMANDS = (1 << COMMANDS) - 1, IDLE = 1 << COMMANDS };

typedef struct {
  char letter; /* 0: none */
  const char *name;
  const char *value; /* name of the value in help and pages; NULL: takes no value */
  ValueKind kind;
  unsigned commands; /* 1 << COMMAND_... for each command that takes the option; may include IDLE */
  bool (*set)(const OptionArg *arg, Options *out); /* false, with the reason in arg->diag */
  const char *(*choice)(int i); /* VALUE_CHOICE: the choices; NULL after the last */
  const char *about;            /* text between backticks is to be typed literally */
  /* For an option from before verbs existed: the commands that take it if no verb is given, and
   * what to write after a verb instead. */
  unsigned old;
  const char *instead;
} OptionRow;

/* The operands of a command. */
typedef enum {
  OPERANDS_NONE,
  OPERANDS_SPECS, /* files and directories; none: all specs in specs/ */
  OPERANDS_FILES,
  OPERANDS_WORDS, /* words listed by the row */
  OPERANDS_PROGRAM
} OperandKind;

typedef struct {
  const char *verb;
  const char *option; /* selects the command without a verb; NULL: none */
  OperandKind kind;
  int fewest, most;     /* number of operands; most 0: unlimited */
  const char *operands; /* their form in the usage line */
  const char *about;
  const char *screen; /* its line in the help of all commands: the words to type; NULL: it has
                         no line */
  const char *gist;   /* a short description in that line */
  bool (*take)(Arena *a, Options *o,
               Diag *diag);   /* reads the operands; NULL: they stay in `spec` */
  const char *(*word)(int i); /* OPERANDS_WORDS: the words; NULL after the last */
} CommandRow;

/* An exit code, or an environment variable. */
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

/* The C++ standards that compilers accept; NULL after the last. */
const char *option_std(int i);
/* The row of an option, by its name of `n` characters or by its letter; NULL: none. verb: COMMANDS
 * without one; of two options of one name, the one that the verb accepts. */
const OptionRow *option_find(const char *name, size_t n, Command verb);
const OptionRow *option_find_letter(char letter);
/* True if the command takes the option. after_verb: the command was selected by a verb. */
bool option_is_for(const OptionRow *row, Command command, bool after_verb);
/* The command with this verb; COMMANDS: none. */
Command command_find(const char *verb);
/* The option that selects a command without a verb; NULL: none. */
const OptionRow *command_option(Command command);
/* True if the option selects a command. */
bool option_selects(const OptionRow *row);

#endif
