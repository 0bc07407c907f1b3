/* SPDX-License-Identifier: MIT */
#include "command/option_parse.h"

#include <string.h>
#include <unistd.h>

#include "command/option_table.h"
#include "command/output.h"

typedef struct {
  Arena *arena;
  int argc, next;
  char **argv;
  Command verb; /* the first word; COMMANDS: no verb */
  bool *given;  /* by index in option_table */
  Options *out;
  Diag *diag;
} Parser;

/* --- one option --- */

/* "; did you mean NAME?", or nothing. */
static const char *suggestion(Arena *a, const char *dashes, const char *word,
                              const char *const *names, int count) {
  const char *near = diag_nearest(word, names, count);
  return near ? arena_printf(a, "; did you mean %s%s?", dashes, near) : "";
}

static void unknown_option(const Parser *p, const char *arg, const char *name, size_t n) {
  const char **names = ARENA_ARRAY(p->arena, const char *, (size_t)option_count);
  int count = 0;
  for (int i = 0; i < option_count; i++)
    if (p->verb == COMMANDS || option_is_for(&option_table[i], p->verb, true))
      names[count++] = option_table[i].name;
  diag_say(p->diag, DIAG_ARGUMENT, "unknown option %s%s", arg,
           suggestion(p->arena, "--", arena_strndup(p->arena, name, n), names, count));
}

static void unknown_choice(const Parser *p, const OptionRow *row, const char *value, int count) {
  const char **names = ARENA_ARRAY(p->arena, const char *, (size_t)count);
  Text all = text_new(p->arena);
  for (int i = 0; i < count; i++) {
    names[i] = row->choice(i);
    text_printf(&all, "%s %s", i ? "," : "", names[i]);
  }
  diag_say(p->diag, DIAG_ARGUMENT, "--%s %s: not one of%s%s", row->name, value, all.s,
           suggestion(p->arena, "", value, names, count));
}

/* The index of a value in the row's choices; -1, with a message, if it is none of them. */
static int find_choice(const Parser *p, const OptionRow *row, const char *value) {
  int count = 0;
  for (; row->choice(count); count++)
    if (strcmp(row->choice(count), value) == 0) return count;
  unknown_choice(p, row, value, count);
  return -1;
}

static bool set(const Parser *p, const OptionRow *row, const char *value) {
  OptionArg g = {.arena = p->arena, .name = row->name, .text = value, .diag = p->diag};
  p->given[row - option_table] = true;
  if (row->kind == VALUE_FILE || row->kind == VALUE_FOLDER)
    option_list_add(p->arena, &p->out->named, value);
  if (row->kind == VALUE_CHOICE) g.choice = find_choice(p, row, value);
  return g.choice >= 0 && row->set(&g, p->out);
}

/* value: the text after the option in the same word, or NULL. */
static bool take(Parser *p, const OptionRow *row, const char *value) {
  if (row->kind == VALUE_MAYBE) return set(p, row, value);
  if (!row->value) {
    if (value) diag_say(p->diag, DIAG_ARGUMENT, "--%s takes no value", row->name);
    return set(p, row, NULL) && !value;
  }
  if (!value && p->next < p->argc) value = p->argv[p->next++];
  if (value && *value) return set(p, row, value);
  diag_say(p->diag, DIAG_ARGUMENT, "--%s needs a value: %s", row->name, row->value);
  return false;
}

/* --- words --- */

/* --name, --name=value */
static bool parse_long(Parser *p, const char *arg) {
  const char *name = arg + 2, *equals = strchr(name, '=');
  const size_t n = equals ? (size_t)(equals - name) : strlen(name);
  const OptionRow *row = option_find(name, n, p->verb);
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

/* After the verb exec, options end at the program. */
static bool parse_words(Parser *p) {
  bool ok = true, options_end = false;
  while (p->next < p->argc) {
    const char *arg = p->argv[p->next++];
    const bool dashes = strcmp(arg, "--") == 0;
    if (p->verb == COMMAND_EXEC && *arg != '-') options_end = true;
    if (options_end)
      option_list_add(p->arena,
                      p->out->command == COMMAND_EXEC ? &p->out->exec.program : &p->out->spec, arg);
    else if (dashes)
      options_end = true;
    else
      ok = parse_word(p, arg) && ok;
  }
  return ok;
}

/* --- whether all options fit the command --- */

/* " kgen lint, kgen exec" */
static const char *commands_of(Arena *a, const OptionRow *row) {
  Text all = text_new(a);
  for (int c = 0; c < COMMANDS; c++)
    if (option_is_for(row, (Command)c, true))
      text_printf(&all, "%s kgen %s", all.len ? "," : "", command_table[c].verb);
  return all.s;
}

/* Reports, after a verb, an option of other commands or one from before verbs existed. */
static void report_mismatch(const Parser *p, Command verb, const OptionRow *row) {
  diag_say(p->diag, DIAG_ARGUMENT, "%s has no option --%s: %s%s", command_table[verb].verb,
           row->name, row->instead ? "write kgen " : "it belongs to",
           row->instead ? row->instead : commands_of(p->arena, row));
}

/* Reports, without a verb, an option of another command than the selected one. */
static void report_foreign_option(const Parser *p, Command command, const OptionRow *row) {
  const bool for_specs = option_is_for(row, COMMAND_GEN, false);
  if (command != COMMAND_GEN && (for_specs || option_selects(row)))
    diag_say(p->diag, DIAG_ARGUMENT, "--%s does not go with --%s", command_table[command].option,
             row->name);
  else
    diag_say(p->diag, DIAG_ARGUMENT, "--%s belongs to%s%s", row->name, row->instead ? " kgen " : "",
             row->instead ? row->instead : commands_of(p->arena, row));
}

static bool options_fit(const Parser *p) {
  const bool after_verb = p->verb != COMMANDS;
  const Command command = after_verb ? p->verb : p->out->command;
  bool ok = true;
  for (int i = 0; i < option_count; i++) {
    const OptionRow *row = &option_table[i];
    if (!p->given[i] || option_is_for(row, command, after_verb)) continue;
    if (!after_verb && row->commands & IDLE) continue;
    ok = false;
    if (after_verb)
      report_mismatch(p, command, row);
    else
      report_foreign_option(p, command, row);
  }
  return ok;
}

/* --- operands --- */

static void report_operands(const Parser *p, int count) {
  const CommandRow *row = &command_table[p->verb];
  const bool many = count > row->most && row->kind != OPERANDS_PROGRAM;
  diag_say(p->diag, DIAG_ARGUMENT, "%s takes %s%s, %s%s", row->verb,
           *row->operands ? "" : "no operand", row->operands, many ? "not " : "which is missing",
           many ? p->out->spec.item[row->most] : "");
}

static bool operands_fit(const Parser *p) {
  const CommandRow *row = &command_table[p->verb];
  const int count = row->kind == OPERANDS_PROGRAM ? p->out->exec.program.count : p->out->spec.count;
  const bool many = row->kind != OPERANDS_NONE && row->most == 0;
  if (count >= row->fewest && (many || count <= row->most))
    return !row->take || row->take(p->arena, p->out, p->diag);
  report_operands(p, count);
  return false;
}

/* Without a verb, the operands are specs or FILEs. */
static bool takes_specs(Command command) {
  const CommandRow *row = &command_table[command];
  return row->kind == OPERANDS_SPECS || command == COMMAND_SAME || command == COMMAND_COMPARE ||
         command == COMMAND_WISDOM || command == COMMAND_SCHEMA;
}

static bool specs_fit(const Parser *p) {
  const Command command = p->out->command;
  if (!p->out->spec.count || takes_specs(command)) return true;
  diag_say(p->diag, DIAG_ARGUMENT, "--%s takes no SPEC: %s%s", command_table[command].option,
           p->out->spec.item[0], command == COMMAND_EXEC ? "; the program stands after --" : "");
  return false;
}

/* Rejects two outputs to one file, because the last would overwrite the first. */
static bool outputs_differ(const Parser *p) {
  const Options *o = p->out;
  const char *const file[] = {o->html, o->svg, o->sarif};
  for (int i = 0; i < 3; i++)
    for (int k = i + 1; k < 3; k++) {
      if (!file[i] || !file[k] || strcmp(file[i], file[k]) != 0) continue;
      diag_say(p->diag, DIAG_ARGUMENT, "two of --html, --svg and --sarif are to be written to %s",
               output_is_stdout(file[i]) ? "stdout" : file[i]);
      return false;
    }
  return true;
}

/* Checks what goes to stdout once all options are read, because the last value of a repeated option
 * counts. A file goes to stdout alone, without a report. */
static bool stdout_is_free(Parser *p) {
  Options *o = p->out;
  const char *const file[] = {o->html, o->svg, o->sarif};
  bool ok = true;
  for (int i = 0; i < 3; i++)
    if (file[i] && output_is_stdout(file[i]))
      ok = options_claim_stdout(o, FORMAT_FILE, p->diag) && ok;
  if (!output_is_stdout(o->out)) return ok;
  o->out = OPTIONS_OUTPUT;
  return ok && options_claim_stdout(o, FORMAT_SOURCE, p->diag);
}

/* --- all of it --- */

/* Applies the defaults of the verbs. */
static void complete(Options *o) {
  if (o->command == COMMAND_EXPLAIN) o->explain = o->dry_run = true;
  if (o->command == COMMAND_RUN) o->stage = STAGE_RUN;
  if (o->compile_only) o->stage = STAGE_COMPILED;
  if (o->command == COMMAND_EXEC && o->arch) o->exec.as = o->arch;
  if (o->command == COMMAND_EXPLAIN || o->command == COMMAND_RUN) o->command = COMMAND_GEN;
}

/* False for bare kgen, and for options that do not say where the sources of all of specs/ go. */
static bool says_what_to_do(Parser *p) {
  const Options *o = p->out;
  if (p->verb != COMMANDS || o->command != COMMAND_GEN || o->spec.count || o->info) return true;
  if (p->argc <= 1) {
    p->out->info = INFO_SCREEN;
    return true;
  }
  if (o->output_given || o->dry_run || o->stage > STAGE_WRITTEN) return true;
  diag_say(p->diag, DIAG_ARGUMENT, "no SPEC is given: kgen gen takes all of specs/");
  return false;
}

/* True, without a verb, if the first word is no file but similar to a verb. */
static bool is_misspelt_verb(const Parser *p) {
  const char *word = p->argc > 1 ? p->argv[1] : "", *verb[COMMANDS];
  if (p->verb != COMMANDS || *word == '-' || strpbrk(word, "/.") || access(word, F_OK) == 0)
    return false;
  for (int i = 0; i < COMMANDS; i++) verb[i] = command_table[i].verb;
  if (!diag_nearest(word, verb, COMMANDS)) return false;
  diag_say(p->diag, DIAG_ARGUMENT, "there is no command and no file %s%s", word,
           suggestion(p->arena, "", word, verb, COMMANDS));
  return true;
}

bool options_parse(Arena *a, int argc, char **argv, Options *out, Diag *diag) {
  const Command verb = argc > 1 ? command_find(argv[1]) : COMMANDS;
  *out = options_default();
  out->verb = verb;
  if (verb != COMMANDS) out->command = verb;
  out->command_line = options_command(a, argc, argv);
  Parser p = {.arena = a,
              .argc = argc,
              .next = verb == COMMANDS ? 1 : 2,
              .argv = argv,
              .verb = verb,
              .given = ARENA_ARRAY(a, bool, (size_t)option_count),
              .out = out,
              .diag = diag};
  if (!parse_words(&p) || is_misspelt_verb(&p) || !options_fit(&p)) return false;
  if (verb == COMMANDS && out->info == INFO_HELP && out->command != COMMAND_GEN)
    out->verb = out->command;
  if (out->info == INFO_HELP) return true;
  if (!(verb == COMMANDS ? specs_fit(&p) : operands_fit(&p))) return false;
  out->output_given = p.given[option_find("output", strlen("output"), COMMANDS) - option_table];
  complete(out);
  return says_what_to_do(&p) && outputs_differ(&p) && stdout_is_free(&p);
}
