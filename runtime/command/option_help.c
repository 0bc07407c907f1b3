/* SPDX-License-Identifier: MIT */
#include "command/option_help.h"

#include <string.h>

#include "command/option_text.h"

static const TextForm plain = {.open = "", .close = ""};
enum { COLUMN = 27, WIDTH = 100 };

/* Writes words from `column` on in lines of at most `width`; further lines are indented. */
static void text_fill(Text *out, const char *at, int column, int indent, int width) {
  text_printf(out, "%*s", indent > column ? indent - column : 0, "");
  column = indent;
  while (*at) {
    const int n = (int)strcspn(at, " ");
    const bool fits = column == indent || column + 1 + n <= width;
    if (!fits) text_printf(out, "\n%*s", indent, "");
    if (!fits) column = indent;
    text_printf(out, "%s%.*s", column > indent ? " " : "", n, at);
    column += n + (column > indent);
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
  text_fill(out, option_text(out->arena, row->about, &plain), (int)(out->len - start), COLUMN,
            WIDTH);
}

/* Options of every command are listed last. */
static void put_options(Text *out, Command command, bool common) {
  text_puts(out, common ? "\nEverywhere:\n" : "\nOptions:\n");
  for (int i = 0; i < option_count; i++) {
    const OptionRow *row = &option_table[i];
    if (option_is_for(row, command, true) && option_text_is_common(row) == common)
      put_option(out, row);
  }
}

static bool has_own_options(Command command) {
  for (int i = 0; i < option_count; i++)
    if (option_is_for(&option_table[i], command, true) && !option_text_is_common(&option_table[i]))
      return true;
  return false;
}

void option_help(Text *out, Command command) {
  text_printf(out, "usage: kgen %s\n", option_text_usage(out->arena, command));
  text_fill(out, option_text(out->arena, command_table[command].about, &plain), 0, 0, WIDTH);
  if (has_own_options(command)) put_options(out, command, false);
  put_options(out, command, true);
}

static const struct {
  Command first;
  const char *title;
} groups[] = {{COMMAND_EXPLAIN, "Layouts and kernels from specs"},
              {COMMAND_LINT, "Your own CUDA code, no GPU needed"},
              {COMMAND_COMPARE, "Reports and setup"}};

void option_help_screen(Text *out) {
  text_puts(out,
            "kgen - conflict-free shared memory for CUDA: solve layouts, check kernels\n"
            "usage: kgen SPEC... -o DIR       solve specs, write CUDA sources (same as kgen gen)\n"
            "       kgen COMMAND [options]    kgen help COMMAND shows a command's options\n");
  for (int c = 0; c < COMMANDS; c++) {
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
      if ((int)groups[g].first == c) text_printf(out, "%s\n", groups[g].title);
    if (command_table[c].screen)
      text_printf(out, "  %-16s %s\n", command_table[c].screen, command_table[c].gist);
  }
  text_puts(out,
            "exit: 0 ok, 1 finding or wrong result, 2 usage, 3 bad input, 4 strict: conflicts,\n"
            "      5 does not compile, 6 CUDA or a tool is missing, 77 no GPU\n");
}
