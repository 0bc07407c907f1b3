/* SPDX-License-Identifier: MIT */
#include "command/option_pages.h"

#include <string.h>

#include "command/option_help.h"
#include "command/option_text.h"

typedef void PutTable(Text *out, const OptionPage *of);

/* --- man pages --- */

static const TextForm man = {
    "\\fB", "\\fR", {{'-', "\\-"}, {'\\', "\\e"}, {'\'', "\\(aq"}, {'^', "\\(ha"}, {'~', "\\(ti"}}};

static void man_option(Text *out, const OptionRow *row) {
  Arena *a = out->arena;
  text_puts(out, ".TP\n");
  if (row->letter) text_printf(out, "\\fB\\-%c\\fR, ", row->letter);
  text_printf(out, "\\fB\\-\\-%s\\fR", option_text(a, row->name, &man));
  if (row->value) text_printf(out, " \\fI%s\\fR", option_text(a, row->value, &man));
  text_printf(out, "\n%s\n", option_text(a, row->about, &man));
}

/* Uses the date of the page's text, so that repeated builds give equal files. */
static void man_title(Text *out, const OptionPage *of) {
  const char *verb = of->command < COMMANDS ? command_table[of->command].verb : NULL;
  text_printf(out, ".TH KGEN%s", verb ? "\\-" : "");
  for (const char *c = verb ? verb : ""; *c; c++) text_printf(out, "%c", *c - 'a' + 'A');
  text_puts(out, " 1 2026-11-28 \"kgen " KGEN_VERSION "\" \"User Commands\"\n");
}

/* The first sentence. */
static void man_name(Text *out, const OptionPage *of) {
  const char *about = command_table[of->command].about, *end = strstr(about, ". ");
  const size_t n = end ? (size_t)(end - about) : strlen(about) - 1;
  text_printf(out, "kgen\\-%s \\- %c%s\n", command_table[of->command].verb, *about - 'A' + 'a',
              option_text(out->arena, arena_strndup(out->arena, about + 1, n - 1), &man));
}

static void man_usage(Text *out, const OptionPage *of) {
  text_printf(out, ".B kgen\n%s\n",
              option_text(out->arena, option_text_usage(out->arena, of->command), &man));
}

static void man_about(Text *out, const OptionPage *of) {
  text_printf(out, "%s\n", option_text(out->arena, command_table[of->command].about, &man));
}

static void man_options(Text *out, const OptionPage *of) {
  for (int common = 0; common < 2; common++)
    for (int i = 0; i < option_count; i++) {
      const OptionRow *row = &option_table[i];
      if (option_is_for(row, of->command, true) && option_text_is_common(row) == common)
        man_option(out, row);
    }
}

static void man_commands(Text *out, const OptionPage *of) {
  (void)of;
  for (int c = 0; c < COMMANDS; c++)
    text_printf(out, ".TP\n\\fBkgen %s\\fR\n%s\nSee \\fBkgen\\-%s\\fR(1).\n",
                option_text(out->arena, option_text_usage(out->arena, (Command)c), &man),
                option_text(out->arena, command_table[c].about, &man), command_table[c].verb);
}

static void man_common(Text *out, const OptionPage *of) {
  (void)of;
  for (int i = 0; i < option_count; i++)
    if (option_text_is_common(&option_table[i])) man_option(out, &option_table[i]);
}

/* The options from before verbs existed. */
static void man_old(Text *out, const OptionPage *of) {
  (void)of;
  for (int i = 0; i < option_count; i++) {
    const OptionRow *row = &option_table[i];
    if (!row->instead) continue;
    text_printf(out, ".TP\n\\fB\\-\\-%s\\fR%s%s\n\\fBkgen %s\\fR\n",
                option_text(out->arena, row->name, &man), row->value ? " " : "",
                row->value ? option_text(out->arena, row->value, &man) : "",
                option_text(out->arena, row->instead, &man));
  }
}

static void man_facts(Text *out, const FactRow *row, int count) {
  for (int i = 0; i < count; i++)
    text_printf(out, ".TP\n.B %s\n%s\n", row[i].name, option_text(out->arena, row[i].about, &man));
}

static void man_exits(Text *out, const OptionPage *of) {
  (void)of;
  man_facts(out, exit_table, exit_count);
}

static void man_environment(Text *out, const OptionPage *of) {
  (void)of;
  man_facts(out, environment_table, environment_count);
}

/* --- completions: what both shells offer --- */

static void put_verbs(Text *out, const OptionPage *of) {
  (void)of;
  for (int c = 0; c < COMMANDS; c++) text_printf(out, "%s%s", c ? " " : "", command_table[c].verb);
}

static void put_choices(Text *out, const OptionRow *row) {
  for (int i = 0; row->choice(i); i++) text_printf(out, "%s%s", i ? " " : "", row->choice(i));
}

/* The prefixes of a kernel argument. */
static void put_arguments(Text *out) {
  text_puts(out, "buf: at: raw: tmap: tex: surf:");
  for (int i = 0; i < dtype_count; i++) text_printf(out, " %s:", dtype_table[i].name);
}

static void put_words(Text *out, const OptionPage *of, Command command) {
  const CommandRow *row = &command_table[command];
  for (int i = 0; row->word && row->word(i); i++)
    text_printf(out, "%s%s", i ? " " : "", row->word(i));
  if (command != COMMAND_INIT) return;
  text_puts(out, "none");
  for (int i = 0; i < of->templates; i++) text_printf(out, " %s", of->template[i]);
}

/* The name of a case in the completion script: `VERB` after a verb; without one `--OPTION`, or `--`
 * for specs. */
static const char *case_of(Arena *a, Command command, bool after_verb) {
  const char *option = command_table[command].option;
  if (after_verb) return command_table[command].verb;
  return option ? arena_printf(a, "--%s", option) : "--";
}

/* Without a verb, only the commands that an option selects, and gen. */
static bool has_case(Command command, bool after_verb) {
  return after_verb || command_table[command].option || command == COMMAND_GEN;
}

/* While nothing has selected a command, the options that select one are offered, too. */
static bool is_offered(const OptionRow *row, Command command, bool after_verb) {
  return option_is_for(row, command, after_verb) ||
         (command == COMMAND_GEN && !after_verb && option_selects(row));
}

/* Cases that map an option to the command that it selects. */
static void put_selectors(Text *out, const OptionPage *of) {
  (void)of;
  for (int c = 0; c < COMMANDS; c++)
    if (command_table[c].option)
      text_printf(out, "        --%s | --%s=*) command=--%s ;;\n", command_table[c].option,
                  command_table[c].option, command_table[c].option);
}

static void put_verb_case(Text *out, const OptionPage *of) {
  text_puts(out, "      ");
  for (int c = 0; c < COMMANDS; c++)
    text_printf(out, "%s%s", c ? " | " : "", command_table[c].verb);
  text_puts(out, ") command=$first ;;\n");
  (void)of;
}

/* --- bash --- */

/* The words of an option: "--output", "-o". */
static void bash_words(Text *out, const OptionRow *row, const char *between) {
  text_printf(out, "--%s", row->name);
  if (row->letter) text_printf(out, "%s-%c", between, row->letter);
}

/* The completions of the values of each option that takes one. */
static void bash_values(Text *out, const OptionPage *of) {
  static const char *const complete[] = {
      [VALUE_TEXT] = ":", [VALUE_FILE] = "_kgen_names -f", [VALUE_FOLDER] = "_kgen_names -d"};
  for (int i = 0; i < option_count; i++) {
    const OptionRow *row = &option_table[i];
    if (!row->value) continue;
    text_puts(out, "    ");
    bash_words(out, row, " | ");
    text_puts(out, ") ");
    if (row->kind == VALUE_CHOICE || row->kind == VALUE_ARGUMENT ||
        strcmp(row->name, "init") == 0) {
      text_puts(out, row->kind == VALUE_ARGUMENT ? "_kgen_prefixes '" : "_kgen_words '");
      if (row->kind == VALUE_CHOICE)
        put_choices(out, row);
      else if (row->kind == VALUE_ARGUMENT)
        put_arguments(out);
      else
        put_words(out, of, COMMAND_INIT);
      text_puts(out, "'");
    } else {
      text_puts(out, complete[row->kind]);
    }
    text_puts(out, "; return ;;\n");
  }
}

static void bash_options(Text *out, const OptionPage *of) {
  (void)of;
  for (int after_verb = 0; after_verb < 2; after_verb++)
    for (int c = 0; c < COMMANDS; c++) {
      if (!has_case((Command)c, after_verb)) continue;
      text_printf(out, "      %s) _kgen_words '", case_of(out->arena, (Command)c, after_verb));
      for (int i = 0; i < option_count; i++) {
        if (!is_offered(&option_table[i], (Command)c, after_verb)) continue;
        bash_words(out, &option_table[i], " ");
        text_puts(out, " ");
      }
      text_puts(out, "' ;;\n");
    }
}

static void bash_operands(Text *out, const OptionPage *of) {
  static const char *const complete[] = {[OPERANDS_SPECS] = "_kgen_specs",
                                         [OPERANDS_FILES] = "_kgen_names -f",
                                         [OPERANDS_PROGRAM] = "_kgen_names -f"};
  for (int c = 0; c < COMMANDS; c++) {
    const CommandRow *row = &command_table[c];
    if (row->kind == OPERANDS_NONE) continue;
    text_printf(out, "      %s) ", row->verb);
    if (row->kind == OPERANDS_WORDS) {
      text_puts(out, "_kgen_words '");
      put_words(out, of, (Command)c);
      text_puts(out, "'");
    } else {
      text_puts(out, complete[row->kind]);
    }
    text_puts(out, " ;;\n");
  }
}

/* --- zsh --- */

static const TextForm zsh = {
    "", "", {{'\'', "'\\''"}, {'[', "\\["}, {']', "\\]"}, {':', "\\:"}, {'\\', "\\\\"}}};

static void zsh_value(Text *out, const OptionPage *of, const OptionRow *row) {
  static const char *const complete[] = {
      [VALUE_TEXT] = " ", [VALUE_FILE] = "_files", [VALUE_FOLDER] = "_files -/"};
  text_printf(out, ":%s:", option_text(out->arena, row->value, &zsh));
  if (row->kind != VALUE_CHOICE && row->kind != VALUE_ARGUMENT && strcmp(row->name, "init") != 0) {
    text_puts(out, complete[row->kind]);
    return;
  }
  Text words = text_new(out->arena);
  if (row->kind == VALUE_CHOICE)
    put_choices(&words, row);
  else if (row->kind == VALUE_ARGUMENT)
    put_arguments(&words);
  else
    put_words(&words, of, COMMAND_INIT);
  text_printf(out, "(%s)", option_text(out->arena, words.s, &zsh));
}

static void zsh_option(Text *out, const OptionPage *of, const OptionRow *row) {
  const char *equals = row->value ? "=" : "";
  text_puts(out, "        ");
  if (row->letter)
    text_printf(out, "'*'{-%c%s,--%s%s}'", row->letter, row->value ? "+" : "", row->name, equals);
  else
    text_printf(out, "'*--%s%s", row->name, equals);
  text_printf(out, "[%s]", option_text(out->arena, row->about, &zsh));
  if (row->value) zsh_value(out, of, row);
  text_puts(out, "'\n");
}

static void zsh_options(Text *out, const OptionPage *of) {
  for (int after_verb = 0; after_verb < 2; after_verb++)
    for (int c = 0; c < COMMANDS; c++) {
      if (!has_case((Command)c, after_verb)) continue;
      text_printf(out, "    %s)\n      arguments=(\n", case_of(out->arena, (Command)c, after_verb));
      for (int i = 0; i < option_count; i++)
        if (is_offered(&option_table[i], (Command)c, after_verb))
          zsh_option(out, of, &option_table[i]);
      text_puts(out, "      ) ;;\n");
    }
}

static void zsh_operands(Text *out, const OptionPage *of) {
  static const char *const complete[] = {[OPERANDS_SPECS] = "*:spec:_files -g \"*.yaml\"",
                                         [OPERANDS_FILES] = "*:file:_files",
                                         [OPERANDS_PROGRAM] = "*::program:_normal"};
  for (int c = 0; c < COMMANDS; c++) {
    const CommandRow *row = &command_table[c];
    if (row->kind == OPERANDS_NONE) continue;
    text_printf(out, "    %s) arguments+=('", row->verb);
    if (row->kind == OPERANDS_WORDS) {
      text_puts(out, "*:word:(");
      put_words(out, of, (Command)c);
      text_puts(out, ")");
    } else {
      text_puts(out, complete[row->kind]);
    }
    text_puts(out, "') ;;\n");
  }
}

/* --- Markdown: docs/reference/cli.md --- */

static const TextForm markdown = {"`", "`", {{'|', "\\|"}}};

static void markdown_option(Text *out, const OptionRow *row, const char *about) {
  text_puts(out, "| ");
  if (row->letter) text_printf(out, "`-%c`, ", row->letter);
  text_printf(out, "`--%s%s%s` | %s |\n", row->name, row->value ? " " : "",
              row->value ? row->value : "", about);
}

static void markdown_table(Text *out, Command command, bool common) {
  int count = 0;
  for (int i = 0; i < option_count; i++) {
    const OptionRow *row = &option_table[i];
    if (!option_is_for(row, command, true) || option_text_is_common(row) != common) continue;
    if (!count++) text_puts(out, "\n| option | meaning |\n|---|---|\n");
    markdown_option(out, row, option_text(out->arena, row->about, &markdown));
  }
}

static void markdown_commands(Text *out, const OptionPage *of) {
  (void)of;
  for (int c = 0; c < COMMANDS; c++) {
    text_printf(out, "%s## kgen %s\n\n`kgen %s`\n\n%s\n", c ? "\n" : "", command_table[c].verb,
                option_text_usage(out->arena, (Command)c),
                option_text(out->arena, command_table[c].about, &markdown));
    markdown_table(out, (Command)c, false);
  }
}

static void markdown_common(Text *out, const OptionPage *of) {
  (void)of;
  markdown_table(out, COMMAND_GEN, true);
}

static void markdown_old(Text *out, const OptionPage *of) {
  (void)of;
  text_puts(out, "| option | the same as |\n|---|---|\n");
  for (int i = 0; i < option_count; i++)
    if (option_table[i].instead)
      markdown_option(out, &option_table[i],
                      arena_printf(out->arena, "`kgen %s`", option_table[i].instead));
}

static void markdown_facts(Text *out, const FactRow *row, int count) {
  for (int i = 0; i < count; i++)
    text_printf(out, "| `%s` | %s |\n", row[i].name,
                option_text(out->arena, row[i].about, &markdown));
}

static void markdown_exits(Text *out, const OptionPage *of) {
  (void)of;
  text_puts(out, "| code | meaning |\n|---|---|\n");
  markdown_facts(out, exit_table, exit_count);
}

static void markdown_environment(Text *out, const OptionPage *of) {
  (void)of;
  text_puts(out, "| variable | meaning |\n|---|---|\n");
  markdown_facts(out, environment_table, environment_count);
}

static void put_screen(Text *out, const OptionPage *of) {
  (void)of;
  option_help_screen(out);
}

/* --- filling in --- */

static const struct {
  const char *name;
  PutTable *put;
  bool of_one; /* only a page of one command contains it */
} tables[] = {
    {"man_title", man_title, false},
    {"man_name", man_name, true},
    {"man_usage", man_usage, true},
    {"man_about", man_about, true},
    {"man_options", man_options, true},
    {"man_commands", man_commands, false},
    {"man_common", man_common, false},
    {"man_old", man_old, false},
    {"man_exits", man_exits, false},
    {"man_environment", man_environment, false},
    {"verb_case", put_verb_case, false},
    {"selectors", put_selectors, false},
    {"bash_values", bash_values, false},
    {"bash_options", bash_options, false},
    {"bash_operands", bash_operands, false},
    {"zsh_options", zsh_options, false},
    {"zsh_operands", zsh_operands, false},
    {"screen", put_screen, false},
    {"markdown_commands", markdown_commands, false},
    {"markdown_common", markdown_common, false},
    {"markdown_old", markdown_old, false},
    {"markdown_exits", markdown_exits, false},
    {"markdown_environment", markdown_environment, false},
};

/* "@verbs@" within a line is replaced by the list of verbs. */
static void put_line(Text *out, const OptionPage *of, const char *line, size_t n) {
  static const char verbs[] = "@verbs@";
  const char *at = memmem(line, n, verbs, strlen(verbs));
  if (!at) {
    text_add(out, line, n);
    return;
  }
  text_add(out, line, (size_t)(at - line));
  put_verbs(out, of);
  text_add(out, at + strlen(verbs), n - (size_t)(at - line) - strlen(verbs));
}

/* Replaces "@NAME@" on a line of its own by the table of that name. */
static bool put_table(Text *out, const OptionPage *of, const char *line, size_t n) {
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    if (strlen(tables[i].name) + 2 != n || memcmp(tables[i].name, line + 1, n - 2) != 0) continue;
    if (tables[i].of_one && of->command == COMMANDS) return false;
    tables[i].put(out, of);
    return true;
  }
  return false;
}

bool option_pages_fill(const char *page, const OptionPage *of, Text *out, Text *why) {
  for (const char *line = page, *next; *line; line = next) {
    const size_t n = strcspn(line, "\n");
    next = line + n + (line[n] == '\n');
    if (n < 3 || line[0] != '@' || line[n - 1] != '@') {
      put_line(out, of, line, (size_t)(next - line));
    } else if (!put_table(out, of, line, n)) {
      text_printf(why, "no table is called %.*s", (int)n, line);
      return false;
    }
  }
  return true;
}
