#include "command/option_parse.h"

#include <string.h>

#include "command/option_table.h"
#include "command/output.h"

/* Where sources are written unless -o names another folder. */
#define OUTPUT_FOLDER "out"

typedef struct {
  Arena *arena;
  int argc, next;
  char **argv;
  bool *given; /* of option_table */
  Options *out;
  Text *why;
} Parser;

/* --- one option --- */

static void suggest(Text *why, const char *dashes, const char *word, const char *const *names,
                    int count) {
  const char *near = diag_nearest(word, names, count);
  if (near) text_printf(why, "; did you mean %s%s?", dashes, near);
  text_puts(why, "\n");
}

static void unknown_option(const Parser *p, const char *arg, const char *name, size_t n) {
  const char **names = ARENA_ARRAY(p->arena, const char *, (size_t)option_count);
  for (int i = 0; i < option_count; i++) names[i] = option_table[i].name;
  text_printf(p->why, "kgen: unknown option %s", arg);
  suggest(p->why, "--", arena_strndup(p->arena, name, n), names, option_count);
}

static void unknown_choice(const Parser *p, const OptionRow *row, const char *value, int count) {
  const char **names = ARENA_ARRAY(p->arena, const char *, (size_t)count);
  for (int i = 0; i < count; i++) names[i] = row->choice(i);
  text_printf(p->why, "kgen: --%s %s: not one of", row->name, value);
  for (int i = 0; i < count; i++) text_printf(p->why, "%s %s", i ? "," : "", names[i]);
  suggest(p->why, "", value, names, count);
}

/* Which of the row's choices a value is; -1, with a message: none. */
static int find_choice(const Parser *p, const OptionRow *row, const char *value) {
  int count = 0;
  for (; row->choice(count); count++)
    if (strcmp(row->choice(count), value) == 0) return count;
  unknown_choice(p, row, value, count);
  return -1;
}

static bool set(const Parser *p, const OptionRow *row, const char *value) {
  OptionArg g = {.arena = p->arena, .name = row->name, .text = value, .why = p->why};
  p->given[row - option_table] = true;
  if (row->kind == VALUE_FILE || row->kind == VALUE_FOLDER)
    option_list_add(p->arena, &p->out->named, value);
  if (row->kind == VALUE_CHOICE) g.choice = find_choice(p, row, value);
  return g.choice >= 0 && row->set(&g, p->out);
}

/* value: what stands after the option in the same word, or NULL. */
static bool take(Parser *p, const OptionRow *row, const char *value) {
  if (!row->value) {
    if (value) text_printf(p->why, "kgen: --%s takes no value\n", row->name);
    return set(p, row, NULL) && !value; /* --json=1 is refused in JSON */
  }
  if (!value && p->next < p->argc) value = p->argv[p->next++];
  if (value && *value) return set(p, row, value);
  text_printf(p->why, "kgen: --%s needs a value: %s\n", row->name, row->value);
  return false;
}

/* --- words --- */

/* --name, --name=value */
static bool parse_long(Parser *p, const char *arg) {
  const char *name = arg + 2, *equals = strchr(name, '=');
  const size_t n = equals ? (size_t)(equals - name) : strlen(name);
  const OptionRow *row = option_find(name, n);
  if (row) return take(p, row, equals ? equals + 1 : NULL);
  unknown_option(p, arg, name, n);
  return false;
}

/* -q, -qv, -o DIR, -oDIR */
static bool parse_short(Parser *p, const char *arg) {
  bool ok = true;
  for (const char *c = arg + 1; *c; c++) {
    const OptionRow *row = option_find_letter(*c);
    if (!row) {
      unknown_option(p, arg, arg + 1, strlen(arg + 1));
      return false;
    }
    if (row->value) return take(p, row, c[1] ? c + 1 : NULL) && ok;
    ok = take(p, row, NULL) && ok;
  }
  return ok;
}

static bool parse_word(Parser *p, const char *arg) {
  if (arg[0] == '-' && arg[1] == '-') return parse_long(p, arg);
  if (arg[0] == '-' && arg[1]) return parse_short(p, arg);
  option_list_add(p->arena, &p->out->spec, arg);
  return true;
}

static bool parse_words(Parser *p) {
  bool ok = true, options_end = false;
  while (p->next < p->argc) {
    const char *arg = p->argv[p->next++];
    if (options_end)
      option_list_add(p->arena,
                      p->out->command == COMMAND_EXEC ? &p->out->exec.program : &p->out->spec, arg);
    else if (strcmp(arg, "--") == 0)
      options_end = true;
    else
      ok = parse_word(p, arg) && ok;
  }
  return ok;
}

/* --- whether all options fit the front door --- */

/* An option that specs do not use belongs to the doors that it names. */
static bool is_for_specs(const OptionRow *row) { return row->commands & (1U << COMMAND_SPECS); }

static void report_foreign_option(const OptionRow *row, Text *why) {
  text_printf(why, "kgen: --%s goes with", row->name);
  const char *comma = "";
  for (int d = 0; d < COMMANDS; d++) {
    const OptionRow *opener = command_option((Command)d);
    if (!opener || !(row->commands & (1U << d))) continue;
    text_printf(why, "%s --%s%s%s", comma, opener->name, opener->value ? " " : "",
                opener->value ? opener->value : "");
    comma = " or";
  }
  text_puts(why, "\n");
}

static void report_option_mismatch(Command command, const OptionRow *row, Text *why) {
  if (is_for_specs(row) || option_names_command(row))
    text_printf(why, "kgen: --%s does not go with --%s\n", command_table[command].option,
                row->name);
  else
    report_foreign_option(row, why);
}

static bool fits_command(const Parser *p) {
  const Command command = p->out->command;
  const bool spec = p->out->spec.count && !command_table[command].takes_specs;
  if (spec)
    text_printf(p->why, "kgen: --%s takes no SPEC: %s%s\n", command_table[command].option,
                p->out->spec.item[0],
                command == COMMAND_EXEC ? "; the program stands after --" : "");
  bool ok = !spec;
  for (int i = 0; i < option_count; i++) {
    const OptionRow *row = &option_table[i];
    if (!p->given[i] || row->commands & (1U << command | IDLE)) continue;
    ok = false;
    report_option_mismatch(command, row, p->why);
  }
  return ok;
}

/* Of two outputs to one file the last would be left. */
static bool outputs_differ(const Parser *p) {
  const Options *o = p->out;
  const char *const file[] = {o->html, o->svg, o->sarif};
  for (int i = 0; i < 3; i++)
    for (int k = i + 1; k < 3; k++) {
      if (!file[i] || !file[k] || strcmp(file[i], file[k]) != 0) continue;
      text_printf(p->why, "kgen: two of --html, --svg and --sarif are to be written to %s\n",
                  output_is_stdout(file[i]) ? "stdout" : file[i]);
      return false;
    }
  return true;
}

/* Of an option that is repeated the last value counts, so that only now it is known what goes to
 * stdout. A file goes there alone, without a report. */
static bool stdout_is_free(Parser *p) {
  Options *o = p->out;
  const char *const file[] = {o->html, o->svg, o->sarif};
  bool ok = true;
  for (int i = 0; i < 3; i++)
    if (file[i] && output_is_stdout(file[i]))
      ok = options_claim_stdout(o, FORMAT_FILE, p->why) && ok;
  if (!output_is_stdout(o->out)) return ok;
  o->out = OUTPUT_FOLDER;
  return ok && options_claim_stdout(o, FORMAT_SOURCE, p->why);
}

bool options_parse(Arena *a, int argc, char **argv, Options *out, Text *why) {
  *out = (Options){.out = OUTPUT_FOLDER,
                   .device = "auto",
                   .seed = 1,
                   .tolerance = -1,
                   .tune = {.shard = 1, .shards = 1},
                   .command_line = options_command(a, argc, argv),
                   .lint = {.std = "c++17", .max_conflicts = -1, .time_limit = -1},
                   .exec = {.as = arch_find("sm_90"), .error_exit = 1, .launches = -1}};
  Parser p = {a, argc, 1, argv, ARENA_ARRAY(a, bool, (size_t)option_count), out, why};
  return parse_words(&p) && fits_command(&p) && outputs_differ(&p) && stdout_is_free(&p);
}
