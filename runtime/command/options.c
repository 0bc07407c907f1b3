/* SPDX-License-Identifier: MIT */
#include "command/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

Options options_default(void) {
  return (Options){.command = COMMAND_GEN,
                   .verb = COMMANDS,
                   .out = OPTIONS_OUTPUT,
                   .device = "auto",
                   .seed = 1,
                   .tolerance = -1,
                   .language = -1,
                   .tune = {.shard = 1, .shards = 1},
                   .lint = {.std = "c++17", .max_conflicts = -1, .time_limit = -1},
                   .exec = {.as = arch_find("sm_90"), .error_exit = 1, .launches = -1}};
}

void option_list_add(Arena *a, OptionList *list, const char *item) {
  list->item = arena_grow(a, list->item, list->count, &list->capacity, sizeof *list->item);
  list->item[list->count++] = item;
}

void options_quote(Text *out, const char *word, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (word[i] == '\'')
      text_puts(out, "'\\''");
    else
      text_add(out, &word[i], 1);
  }
}

const char *options_split(Arena *a, const char *text, const char **name) {
  const char *path = text;
  for (const char *c = strchr(text, ':'); c && access(path, F_OK) != 0; c = strchr(c + 1, ':')) {
    const char *file = arena_strndup(a, text, (size_t)(c - text));
    if (access(file, F_OK) != 0) continue;
    path = file;
    *name = c + 1;
  }
  return path;
}

static void quote_word(Text *t, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "%+,-./:=@_";
  if (*word && strspn(word, plain) == strlen(word)) {
    text_puts(t, word);
    return;
  }
  text_puts(t, "'");
  options_quote(t, word, strlen(word));
  text_puts(t, "'");
}

const char *options_command(Arena *a, int argc, char **argv) {
  Text t = text_new(a);
  text_puts(&t, "kgen");
  for (int i = 1; i < argc; i++) {
    text_puts(&t, " ");
    quote_word(&t, argv[i]);
  }
  return t.s;
}

bool options_claim_stdout(Options *o, Format format, Diag *diag) {
  const bool ok = o->format == FORMAT_TABLE || o->format == format;
  if (!ok)
    diag_say(diag, DIAG_ARGUMENT,
             "--json, --csv, --markdown, and `-` as the value of -o, --html, --svg or "
             "--sarif exclude each other, as each writes to stdout");
  if (o->format != FORMAT_JSON) o->format = format;
  return ok;
}

bool options_allow_table(const Options *o) { return !o->quiet && o->format != FORMAT_FILE; }

bool options_color(const Options *o, int fd) {
  if (o->color != COLOR_AUTO) return o->color == COLOR_ALWAYS;
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  return isatty(fd) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}
