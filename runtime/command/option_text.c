/* SPDX-License-Identifier: MIT */
#include "command/option_text.h"

#include "base/text.h"

static void put_char(Text *out, char c, const TextForm *form) {
  for (int i = 0; form->escape[i].c; i++)
    if (form->escape[i].c == c) {
      text_puts(out, form->escape[i].as);
      return;
    }
  text_add(out, &c, 1);
}

const char *option_text(Arena *a, const char *about, const TextForm *form) {
  Text out = text_new(a);
  bool typed = false;
  for (const char *c = about; *c; c++) {
    if (*c != '`') {
      put_char(&out, *c, form);
      continue;
    }
    text_puts(&out, typed ? form->close : form->open);
    typed = !typed;
  }
  return out.s;
}

const char *option_text_usage(Arena *a, Command command) {
  const CommandRow *row = &command_table[command];
  return arena_printf(a, "%s [options]%s%s", row->verb, *row->operands ? " " : "", row->operands);
}

bool option_text_is_common(const OptionRow *row) {
  return (row->commands & ALL_COMMANDS) == ALL_COMMANDS;
}
