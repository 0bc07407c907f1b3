/* SPDX-License-Identifier: MIT */
/* The command line, a word each line: options, or messages of which each line says who speaks. */
// covers: gen/base runtime/command runtime/lint/input/args*
// words: runtime/command/option_table.c runtime/lint/input/args.c
// seeds: README.md docs/*/*.md
// max_len: 512
#include "command/option_parse.h"
#include "command/sweep.h"
#include "lint/input/args.h"

#include "fuzz.h"

static void check_diag(Arena *a, const Diag *d, bool ok) {
  Text why = text_new(a);
  diag_write(d, &why);
  MUST(ok == (diag_count(d) == 0) && ok == (why.len == 0));
  MUST(ok || (strncmp(why.s, "kgen: ", 6) == 0 && why.s[why.len - 1] == '\n'));
}

static void check_arguments(Arena *a, const Options *o) {
  LintLaunch launch;
  Diag *d = diag_new(a);
  const bool ok = lint_args_read(a, o, &launch, d);
  check_diag(a, d, ok);
}

/* Calls what the commands do with their arguments. */
static void run_commands(Arena *a, const Options *o) {
  Diag *d = diag_new(a);
  Sweep sweep;
  if (o->command == COMMAND_LINT) check_arguments(a, o);
  if (o->command == COMMAND_SWEEP) check_diag(a, d, sweep_parse(a, o, &sweep, d));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { MAX_WORDS = 64 };
  Arena *a = arena_new();
  char *text = arena_strndup(a, (const char *)data, size), *argv[MAX_WORDS + 2] = {"kgen"};
  int argc = 1;
  for (char *word = text, *next; word && argc <= MAX_WORDS; word = next) {
    next = strchr(word, '\n');
    if (next) *next++ = '\0';
    argv[argc++] = word;
  }
  Options o;
  Diag *d = diag_new(a);
  const bool ok = options_parse(a, argc, argv, &o, d);
  check_diag(a, d, ok);
  if (ok) run_commands(a, &o);
  arena_free(a);
  return 0;
}
