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

Command option_text_home(const OptionRow *row) {
  if ((row->commands & ALL_COMMANDS) == ALL_COMMANDS) return COMMANDS;
  int command = 0;
  while (!(row->commands & (1U << command))) command++;
  return (Command)command;
}

const char *option_text_section(Command home) {
  return home == COMMANDS ? "Everywhere" : command_table[home].about;
}
