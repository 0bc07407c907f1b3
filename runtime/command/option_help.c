#include "command/option_help.h"

#include <string.h>

#include "command/option_text.h"

static const TextForm plain = {.open = "", .close = ""};
enum { COLUMN = 27, WIDTH = 100 };

/* Wraps a text that begins at `column`; further lines are indented to COLUMN. */
static void put_wrapped(Text *out, const char *about, int column) {
  const char *at = option_text(out->arena, about, &plain);
  text_printf(out, "%*s", COLUMN - column, "");
  column = COLUMN;
  while (*at) {
    const int n = (int)strcspn(at, " ");
    const bool fits = column == COLUMN || column + 1 + n <= WIDTH;
    if (!fits) text_printf(out, "\n%*s", COLUMN, "");
    if (!fits) column = COLUMN;
    text_printf(out, "%s%.*s", column > COLUMN ? " " : "", n, at);
    column += n + (column > COLUMN);
    at += n + (at[n] == ' ');
  }
  text_puts(out, "\n");
}

static void put_option(Text *out, const OptionRow *row) {
  const char *value = row->value ? row->value : "";
  char letter[] = "-?,";
  letter[1] = row->letter;
  const size_t start = out->len;
  text_printf(out, "  %-4s--%s%s%s ", row->letter ? letter : "", row->name, *value ? " " : "",
              value);
  put_wrapped(out, row->about, (int)(out->len - start));
}

static void put_section(Text *out, Command home) {
  text_printf(out, "\n%s:\n", option_text_section(home));
  for (int i = 0; i < option_count; i++)
    if (option_text_home(&option_table[i]) == home) put_option(out, &option_table[i]);
}

static void put_facts(Text *out, const char *title, const FactRow *row, int count) {
  int width = 0;
  for (int i = 0; i < count; i++)
    if ((int)strlen(row[i].name) > width) width = (int)strlen(row[i].name);
  text_printf(out, "\n%s:\n", title);
  for (int i = 0; i < count; i++)
    text_printf(out, "  %*s %s\n", width, row[i].name,
                option_text(out->arena, row[i].about, &plain));
}

void option_help(Text *out) {
  for (int d = 0; d < COMMANDS; d++)
    text_printf(out, "%s kgen %s\n", d ? "      " : "usage:", command_table[d].usage);
  text_puts(out, "\nFrom tile specs to conflict-free shared-memory layouts, proven minimal, and "
                 "CUDA kernels.\n");
  for (int home = 0; home <= COMMANDS; home++) put_section(out, (Command)home);
  put_facts(out, "Exit", exit_table, exit_count);
  put_facts(out, "Environment", environment_table, environment_count);
}
