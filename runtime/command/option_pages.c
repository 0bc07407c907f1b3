#include "command/option_pages.h"

#include <string.h>

#include "command/option_text.h"

/* --- kgen.1 --- */

static const TextForm man = {
    "\\fB", "\\fR", {{'-', "\\-"}, {'\\', "\\e"}, {'\'', "\\(aq"}, {'^', "\\(ha"}, {'~', "\\(ti"}}};

static void man_synopsis(Text *out) {
  for (int d = 0; d < COMMANDS; d++)
    text_printf(out, "%s.B kgen\n%s\n", d ? ".br\n" : "",
                option_text(out->arena, command_table[d].usage, &man));
}

static void man_option(Text *out, const OptionRow *row) {
  Arena *a = out->arena;
  text_puts(out, ".TP\n");
  if (row->letter) text_printf(out, "\\fB\\-%c\\fR, ", row->letter);
  text_printf(out, "\\fB\\-\\-%s\\fR", option_text(a, row->name, &man));
  if (row->value) text_printf(out, " \\fI%s\\fR", option_text(a, row->value, &man));
  text_printf(out, "\n%s\n", option_text(a, row->about, &man));
}

static void man_options(Text *out) {
  for (int home = 0; home <= COMMANDS; home++) {
    text_printf(out, ".SS \"%s\"\n",
                option_text(out->arena, option_text_section((Command)home), &man));
    for (int i = 0; i < option_count; i++)
      if (option_text_home(&option_table[i]) == (Command)home) man_option(out, &option_table[i]);
  }
}

static void man_facts(Text *out, const FactRow *row, int count) {
  for (int i = 0; i < count; i++)
    text_printf(out, ".TP\n.B %s\n%s\n", row[i].name, option_text(out->arena, row[i].about, &man));
}

static void man_exits(Text *out) { man_facts(out, exit_table, exit_count); }
static void man_environment(Text *out) { man_facts(out, environment_table, environment_count); }

/* The date is that of the page's text, so that two builds are equal. */
static void man_title(Text *out) {
  text_puts(out, ".TH KGEN 1 2026-11-22 \"kgen " KGEN_VERSION "\" \"User Commands\"\n");
}

/* --- bash --- */

/* The words of an option: "--output", "-o". */
static void bash_words(Text *out, const OptionRow *row, const char *between) {
  text_printf(out, "--%s", row->name);
  if (row->letter) text_printf(out, "%s-%c", between, row->letter);
}

/* What follows each option that takes a value. */
static void bash_values(Text *out) {
  static const char *const complete[] = {
      [VALUE_TEXT] = ":", [VALUE_FILE] = "_kgen_names -f", [VALUE_FOLDER] = "_kgen_names -d"};
  for (int i = 0; i < option_count; i++) {
    const OptionRow *row = &option_table[i];
    if (!row->value) continue;
    text_puts(out, "    ");
    bash_words(out, row, " | ");
    text_printf(out, ") %s", row->choice ? "_kgen_words '" : complete[row->kind]);
    for (int c = 0; row->choice && row->choice(c); c++)
      text_printf(out, "%s%s", c ? " " : "", row->choice(c));
    text_printf(out, "%s; return ;;\n", row->choice ? "'" : "");
  }
}

/* In a case of words: which door an option opens. */
static void commands(Text *out) {
  for (int d = 0; d < COMMANDS; d++)
    if (command_table[d].option)
      text_printf(out, "      --%s | --%s=*) door=%s ;;\n", command_table[d].option,
                  command_table[d].option, command_table[d].option);
}

static const char *command_name(int command) {
  return command_table[command].option ? command_table[command].option : "specs";
}

/* Where no door is open, the options that open one are offered, too. */
static bool is_offered(const OptionRow *row, int command) {
  return row->commands & (1U << command) || (command == COMMAND_SPECS && option_names_command(row));
}

static void bash_options(Text *out) {
  for (int d = 0; d < COMMANDS; d++) {
    text_printf(out, "      %s) _kgen_words '", command_name(d));
    for (int i = 0; i < option_count; i++) {
      if (!is_offered(&option_table[i], d)) continue;
      bash_words(out, &option_table[i], " ");
      text_puts(out, " ");
    }
    text_puts(out, "' ;;\n");
  }
}

/* --- zsh --- */

static const TextForm zsh = {
    "", "", {{'\'', "'\\''"}, {'[', "\\["}, {']', "\\]"}, {':', "\\:"}, {'\\', "\\\\"}}};

static void zsh_value(Text *out, const OptionRow *row) {
  static const char *const complete[] = {
      [VALUE_TEXT] = " ", [VALUE_FILE] = "_files", [VALUE_FOLDER] = "_files -/"};
  text_printf(out, ":%s:%s", option_text(out->arena, row->value, &zsh),
              row->choice ? "(" : complete[row->kind]);
  for (int c = 0; row->choice && row->choice(c); c++)
    text_printf(out, "%s%s", c ? " " : "", row->choice(c));
  if (row->choice) text_puts(out, ")");
}

static void zsh_option(Text *out, const OptionRow *row) {
  const char *equals = row->value ? "=" : "";
  text_puts(out, "        ");
  if (row->letter)
    text_printf(out, "'*'{-%c%s,--%s%s}'", row->letter, row->value ? "+" : "", row->name, equals);
  else
    text_printf(out, "'*--%s%s", row->name, equals);
  text_printf(out, "[%s]", option_text(out->arena, row->about, &zsh));
  if (row->value) zsh_value(out, row);
  text_puts(out, "'\n");
}

static void zsh_options(Text *out) {
  for (int d = 0; d < COMMANDS; d++) {
    text_printf(out, "    %s)\n      arguments=(\n", command_name(d));
    for (int i = 0; i < option_count; i++)
      if (is_offered(&option_table[i], d)) zsh_option(out, &option_table[i]);
    text_puts(out, "      ) ;;\n");
  }
}

/* --- Markdown --- */

static const TextForm markdown = {"`", "`", {{'|', "\\|"}}};

static void markdown_options(Text *out) {
  for (int i = 0; i < option_count; i++) {
    const OptionRow *row = &option_table[i];
    text_puts(out, "| ");
    if (row->letter) text_printf(out, "`-%c`, ", row->letter);
    text_printf(out, "`--%s%s%s` | %s |\n", row->name, row->value ? " " : "",
                row->value ? row->value : "", option_text(out->arena, row->about, &markdown));
  }
}

/* --- filling in --- */

static const struct {
  const char *name;
  void (*put)(Text *out);
} pages[] = {
    {"man_title", man_title},
    {"man_synopsis", man_synopsis},
    {"man_options", man_options},
    {"man_exits", man_exits},
    {"man_environment", man_environment},
    {"bash_values", bash_values},
    {"bash_options", bash_options},
    {"zsh_options", zsh_options},
    {"doors", commands},
    {"markdown_options", markdown_options},
};

/* "@NAME@", a line of its own. */
static bool put_table(Text *out, const char *line, size_t n) {
  for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
    if (strlen(pages[i].name) + 2 == n && memcmp(pages[i].name, line + 1, n - 2) == 0) {
      pages[i].put(out);
      return true;
    }
  return false;
}

bool option_pages_fill(const char *page, Text *out, Text *why) {
  for (const char *line = page, *next; *line; line = next) {
    const size_t n = strcspn(line, "\n");
    next = line + n + (line[n] == '\n');
    if (n < 3 || line[0] != '@' || line[n - 1] != '@') {
      text_add(out, line, (size_t)(next - line));
    } else if (!put_table(out, line, n)) {
      text_printf(why, "no table is called %.*s", (int)n, line);
      return false;
    }
  }
  return true;
}
