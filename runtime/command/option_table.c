/* SPDX-License-Identifier: MIT */
#include "command/option_table.h"

#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/language.h"
#include "emu/emu.h"

/* --- choices --- */

static const char *pick(const char *const *name, int count, int i) {
  return i < count ? name[i] : NULL;
}

static const char *device_choice(int i) {
  static const char *const name[] = {"auto", "cuda", "emulator"};
  return pick(name, 3, i);
}

static const char *color_choice(int i) {
  static const char *const name[] = {
      [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
  return pick(name, 3, i);
}

const char *option_std(int i) {
  static const char *const names[] = {"c++11", "c++14", "c++17", "c++20"};
  return pick(names, sizeof names / sizeof *names, i);
}

static const char *language_choice(int i) { return pick(language_name, LANGUAGES, i); }

static const char *finding_choice(int i) {
  return pick(emu_finding_kind_name, EMU_FINDING_KINDS, i);
}

/* --- setters that may reject a value, or keep more than one word --- */

static bool take_between(const OptionArg *g, uint64_t least, uint64_t most, uint64_t *out) {
  char *end;
  const bool hexadecimal = strncmp(g->text, "0x", 2) == 0;
  errno = 0;
  *out = strtoull(g->text, &end, hexadecimal ? 16 : 10);
  if (*g->text >= '0' && *g->text <= '9' && !*end && errno == 0 && *out >= least && *out <= most)
    return true;
  diag_say(g->diag, DIAG_ARGUMENT, "--%s %s: not a number from %" PRIu64 " to %" PRIu64 "", g->name,
           g->text, least, most);
  return false;
}

static bool take_number(const OptionArg *g, uint64_t most, uint64_t *out) {
  return take_between(g, 0, most, out);
}

/* N means 1..N. */
static bool take_schedules(const OptionArg *g, int out[2]) {
  enum { MOST = 1000000 };
  char end;
  const bool digits = *g->text >= '0' && *g->text <= '9';
  const int parts = digits ? sscanf(g->text, "%7d..%7d%c", &out[0], &out[1], &end) : 0;
  if (parts == 1 && strspn(g->text, "0123456789") == strlen(g->text)) {
    out[1] = out[0];
    out[0] = 1;
  } else if (parts != 2) {
    out[1] = 0;
  }
  if (out[0] >= 1 && out[1] >= out[0] && out[1] <= MOST) return true;
  diag_say(g->diag, DIAG_ARGUMENT, "--%s %s: not a number from 1 to %d, nor a range such as 7..9",
           g->name, g->text, MOST);
  return false;
}

static bool take_real(const OptionArg *g, double most, double *out) {
  char *end;
  *out = strtod(g->text, &end);
  if (((*g->text >= '0' && *g->text <= '9') || *g->text == '.') && !*end && *out <= most)
    return true;
  diag_say(g->diag, DIAG_ARGUMENT, "--%s %s: not a number from 0 to %g", g->name, g->text, most);
  return false;
}

static bool take_count(const OptionArg *g, int64_t *out) {
  uint64_t n = 0;
  const bool ok = take_number(g, INT64_MAX, &n);
  *out = (int64_t)n;
  return ok;
}

static bool take_format(const OptionArg *g, Format format, Options *o) {
  return options_claim_stdout(o, format, g->diag);
}

/* --json=full: prints all entries of long lists. Another value is rejected, as JSON. */
static bool take_json(const OptionArg *g, Options *o) {
  const bool free = take_format(g, FORMAT_JSON, o);
  o->json_full = g->text && strcmp(g->text, "full") == 0;
  if (!g->text || o->json_full) return free;
  diag_say(g->diag, DIAG_ARGUMENT, "--json=%s: the only value is full", g->text);
  return false;
}

static void take_layout(const OptionArg *g, const Want **out) {
  Want *want = ARENA_NEW(g->arena, Want);
  *want = (Want)g->choice;
  *out = want;
}

static void take_stage(Stage stage, Stage *out) {
  if (*out < stage) *out = stage;
}

static void take_info(InfoRequest info, InfoRequest *out) {
  if (*out < info) *out = info;
}

static void take_lint(const OptionArg *g, Options *o) {
  o->command = COMMAND_LINT;
  o->lint.file = g->text;
}

static bool take_pattern(const OptionArg *g, const char **out) {
  regex_t pattern;
  const int error = regcomp(&pattern, g->text, REG_EXTENDED | REG_NOSUB);
  char why[200] = "";
  if (error) {
    regerror(error, &pattern, why, sizeof why);
    diag_say(g->diag, DIAG_ARGUMENT, "--%s %s: %s", g->name, g->text, why);
  } else {
    regfree(&pattern);
  }
  *out = g->text;
  return !error;
}

static bool take_dump(const OptionArg *g, Options *o) {
  const char *equals = strchr(g->text, '=');
  option_list_add(g->arena, &o->lint.dump, g->text);
  if (equals && equals > g->text && equals[1]) return true;
  diag_say(g->diag, DIAG_ARGUMENT, "--dump %s: not BUFFER=FILE", g->text);
  return false;
}

static void take_same(const OptionArg *g, Options *o) {
  o->command = COMMAND_SAME;
  o->same = g->text;
}

static void take_compare(const OptionArg *g, Options *o) {
  o->command = COMMAND_COMPARE;
  o->compare = g->text;
}

static void take_init(const OptionArg *g, Options *o) {
  o->command = COMMAND_INIT;
  o->init = g->text;
}

static void take_sweep(const OptionArg *g, Options *o) {
  o->command = COMMAND_SWEEP;
  option_list_add(g->arena, &o->sweep, g->text);
}

static bool take_shard(const OptionArg *g, TuneOptions *out) {
  enum { MOST = 1 << 20 };
  char end;
  const bool ok = strspn(g->text, "0123456789/") == strlen(g->text) &&
                  sscanf(g->text, "%7d/%7d%c", &out->shard, &out->shards, &end) == 2 &&
                  out->shard >= 1 && out->shard <= out->shards && out->shards <= MOST;
  if (!ok)
    diag_say(g->diag, DIAG_ARGUMENT, "--shard %s: not I/N with I from 1 to N, at most %d", g->text,
             MOST);
  return ok;
}

/* --- setters --- */

/* SET accepts every value, TRY may reject one. g is the option as given, o the parsed options. */
#define TRY(option, attempt)                                                                       \
  static bool set_##option(const OptionArg *g, Options *o) { return attempt; }
#define SET(option, effect)                                                                        \
  static bool set_##option(const OptionArg *g, Options *o) {                                       \
    (void)g;                                                                                       \
    effect;                                                                                        \
    return true;                                                                                   \
  }
SET(output, o->out = g->text)
SET(jit, take_stage(STAGE_COMPILED, &o->stage))
SET(run, take_stage(STAGE_RUN, &o->stage))
SET(compile_only, o->compile_only = true)
SET(device, o->device = g->text)
SET(explain, o->explain = true)
TRY(json, take_json(g, o))
TRY(csv, take_format(g, FORMAT_CSV, o))
TRY(markdown, take_format(g, FORMAT_MARKDOWN, o))
SET(sarif, o->sarif = g->text)
SET(compare, take_compare(g, o))
TRY(tolerance, take_real(g, 1000, &o->tolerance))
SET(same, take_same(g, o))
SET(front, o->command = COMMAND_FRONT)
SET(init, take_init(g, o))
SET(schema, o->command = COMMAND_SCHEMA)
SET(doctor, o->command = COMMAND_DOCTOR)
SET(baseline, o->lint.baseline = g->text)
SET(html, o->html = g->text)
SET(svg, o->svg = g->text)
SET(tile, o->tile = g->text)
SET(dry_run, o->dry_run = true)
SET(language, o->language = g->choice)
SET(arch, o->arch = &arch_table[g->choice])
SET(layout, take_layout(g, &o->layout))
SET(templates, o->templates = g->text)
TRY(seed, take_number(g, UINT64_MAX, &o->seed))
SET(no_cache, o->no_cache = true)
SET(repro, o->repro_folder = g->text)
SET(quiet, o->quiet = true)
SET(verbose, o->verbose = true)
SET(color, o->color = (Color)g->choice)
SET(help, take_info(INFO_HELP, &o->info))
SET(version, take_info(INFO_VERSION, &o->info))
SET(sweep, take_sweep(g, o))
SET(tune, o->command = COMMAND_TUNE)
TRY(budget, take_between(g, 1, 1 << 30, &o->tune.budget))
SET(free, o->tune.free = true)
SET(only, option_list_add(g->arena, &o->tune.only, g->text))
SET(sizes, option_list_add(g->arena, &o->tune.sizes, g->text))
TRY(shard, take_shard(g, &o->tune))
SET(devices, o->tune.devices = g->text)
SET(wisdom, o->command = COMMAND_WISDOM)
SET(merge, o->tune.merge = true)
SET(prune, o->tune.prune = true)
SET(t4, o->tune.t4 = true)
SET(for, o->wisdom_of = g->text)
SET(no_wisdom, o->no_wisdom = true)
SET(lint, take_lint(g, o))
SET(kernel, o->lint.kernel = g->text)
SET(grid, o->lint.grid = g->text)
SET(block, o->lint.block = g->text)
SET(cluster, o->lint.cluster = g->text)
SET(arg, option_list_add(g->arena, &o->lint.arg, g->text))
SET(variable, option_list_add(g->arena, &o->lint.variable, g->text))
TRY(dump, take_dump(g, o))
SET(std, o->lint.std = g->text)
SET(flag, option_list_add(g->arena, &o->lint.flag, g->text))
TRY(smem, take_number(g, INT32_MAX, &o->lint.smem))
SET(include, option_list_add(g->arena, &o->lint.include, g->text))
SET(define, option_list_add(g->arena, &o->lint.define, g->text))
TRY(max_conflicts, take_count(g, &o->lint.max_conflicts))
SET(strict, o->lint.strict = true)
SET(ignore, o->lint.ignored |= 1u << g->choice)
TRY(schedules, take_schedules(g, o->lint.schedule))
TRY(hang_states, take_between(g, 1, 1 << 28, &o->lint.hang_states))
TRY(time_limit, take_count(g, &o->lint.time_limit))
TRY(max_steps, take_between(g, 1, INT64_MAX, &o->lint.max_steps))
SET(exec, o->command = COMMAND_EXEC)
SET(as, o->exec.as = &arch_table[g->choice])
TRY(kernels, take_pattern(g, &o->exec.kernels))
TRY(skip, take_number(g, INT64_MAX, &o->exec.skip))
TRY(launches, take_count(g, &o->exec.launches))
TRY(error_exit, take_number(g, 255, &o->exec.error_exit))
SET(save, o->exec.save = g->text)
SET(no_native, o->exec.no_native = true)
SET(no_leaks, o->exec.no_leaks = true)
SET(pads, o->command = COMMAND_PADS)

/* --- operands --- */

static bool take_lint_file(Arena *a, Options *o, Diag *diag) {
  const char *option = o->lint.kernel;
  o->lint.file = options_split(a, o->spec.item[0], &o->lint.kernel);
  option_list_add(a, &o->named, o->lint.file);
  o->spec.count = 0;
  const bool one = !option || strcmp(option, o->lint.kernel) == 0;
  if (!one)
    diag_say(diag, DIAG_ARGUMENT, "--kernel %s, but FILE:%s: give the kernel once", option,
             o->lint.kernel);
  return one;
}

/* Removes the first of two operands from the list. */
static const char *take_first(OptionList *list) {
  const char *first = list->item[0];
  list->item++;
  list->count--;
  list->capacity = 0;
  return first;
}

static bool take_pair(Arena *a, Options *o, Diag *diag) {
  (void)a, (void)diag;
  const char *first = take_first(&o->spec);
  if (o->command == COMMAND_SAME)
    o->same = first;
  else
    o->compare = first;
  return true;
}

static bool take_template(Arena *a, Options *o, Diag *diag) {
  (void)a, (void)diag;
  o->init = take_first(&o->spec);
  return true;
}

static const char *const wisdom_words[] = {"list", "merge", "prune", "t4"};

static const char *wisdom_word(int i) { return pick(wisdom_words, 4, i); }

static bool take_wisdom(Arena *a, Options *o, Diag *diag) {
  (void)a;
  if (!o->spec.count) return true;
  const char *word = take_first(&o->spec);
  o->tune.merge = strcmp(word, "merge") == 0;
  o->tune.prune = strcmp(word, "prune") == 0;
  o->tune.t4 = strcmp(word, "t4") == 0;
  const bool known = o->tune.merge || o->tune.prune || o->tune.t4 || strcmp(word, "list") == 0;
  if (!known) diag_say(diag, DIAG_ARGUMENT, "wisdom %s: not list, merge, prune or t4", word);
  if (known && o->spec.count && !o->tune.merge)
    diag_say(diag, DIAG_ARGUMENT, "wisdom %s takes no file: %s", word, o->spec.item[0]);
  return known && (!o->spec.count || o->tune.merge);
}

static const char *schema_word(int i) {
  static const char *const word[] = {"spec", "lint"};
  return pick(word, 2, i);
}

/* `spec` is the default. */
static bool take_language(Arena *a, Options *o, Diag *diag) {
  (void)a, (void)diag;
  if (o->spec.count && strcmp(o->spec.item[0], "spec") == 0) take_first(&o->spec);
  return true;
}

static const char *verb_word(int i) { return i < COMMANDS ? command_table[i].verb : NULL; }

static bool take_verb(Arena *a, Options *o, Diag *diag) {
  (void)a;
  o->info = INFO_HELP;
  o->verb = COMMANDS;
  if (!o->spec.count) return true;
  o->verb = command_find(o->spec.item[0]);
  if (o->verb != COMMANDS) return true;
  const char *names[COMMANDS];
  for (int i = 0; i < COMMANDS; i++) names[i] = command_table[i].verb;
  const char *near = diag_nearest(o->spec.item[0], names, COMMANDS);
  diag_say(diag, DIAG_ARGUMENT, "help %s: there is no such command%s%s%s", o->spec.item[0],
           near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
  return false;
}

static bool take_version(Arena *a, Options *o, Diag *diag) {
  (void)a, (void)diag;
  o->info = INFO_VERSION;
  return true;
}

/* --- the tables --- */

enum {
  GEN = 1 << COMMAND_GEN,
  SWEEP = 1 << COMMAND_SWEEP,
  TUNE = 1 << COMMAND_TUNE,
  WISDOM = 1 << COMMAND_WISDOM,
  LINT = 1 << COMMAND_LINT,
  EXEC = 1 << COMMAND_EXEC,
  PADS = 1 << COMMAND_PADS,
  SAME = 1 << COMMAND_SAME,
  COMPARE = 1 << COMMAND_COMPARE,
  FRONT = 1 << COMMAND_FRONT,
  INIT = 1 << COMMAND_INIT,
  SCHEMA = 1 << COMMAND_SCHEMA,
  DOCTOR = 1 << COMMAND_DOCTOR,
  RUN = 1 << COMMAND_RUN,
  HELP = 1 << COMMAND_HELP,
  SPECS = GEN | 1 << COMMAND_EXPLAIN | RUN,
  WRITES = GEN | RUN
};

const OptionRow option_table[] = {
    {'o', "output", "DIR", VALUE_FOLDER, WRITES | IDLE, set_output, NULL,
     "directory for NAME.cu (NAME.h for `kernel: none`) and NAME.json; default `out`; `-`: print "
     "the source instead",
     0, NULL},
    {0, "jit", NULL, VALUE_NONE, 0, set_jit, NULL,
     "compile with NVRTC; report registers and occupancy", GEN | SWEEP | TUNE,
     "run --compile-only"},
    {0, "run", NULL, VALUE_NONE, SWEEP, set_run, NULL, "compile, launch, verify and measure", GEN,
     "run SPEC"},
    {0, "compile-only", NULL, VALUE_NONE, RUN | SWEEP | TUNE, set_compile_only, NULL,
     "compile with NVRTC, report registers and occupancy, launch nothing", 0, NULL},
    {0, "device", "WHERE", VALUE_CHOICE, RUN | SWEEP | TUNE | DOCTOR | IDLE, set_device,
     device_choice,
     "`auto`, `cuda` or `emulator`; default `auto`; `cuda` exits with 77 if there is no GPU", 0,
     NULL},
    {0, "explain", NULL, VALUE_NONE, 0, set_explain, NULL,
     "also show the banks, the layout and the reasons", GEN, "explain SPEC"},
    {0, "html", "FILE", VALUE_FILE, SPECS | SWEEP | LINT | EXEC, set_html, NULL,
     "write an HTML report: banks, lanes, reasons, bytes against wavefronts; `-`: to stdout", 0,
     NULL},
    {0, "svg", "FILE", VALUE_FILE, SPECS, set_svg, NULL,
     "write a picture of one tile, unpadded and as chosen; `-`: to stdout", 0, NULL},
    {0, "tile", "NAME", VALUE_TEXT, SPECS, set_tile, NULL,
     "the tile that --svg draws; default: the one with the most conflicts when unpadded", 0, NULL},
    {0, "dry-run", NULL, VALUE_NONE, WRITES | IDLE, set_dry_run, NULL,
     "write no sources and no NAME.json", 0, NULL},
    {0, "arch", "SM", VALUE_CHOICE, SPECS | SWEEP | TUNE | FRONT | LINT | SAME | EXEC | IDLE,
     set_arch, arch_choice,
     "architecture, e.g. `sm_90`: of the specs, of the kernel, or of the GPU that a program sees "
     "(default `sm_90`)",
     0, NULL},
    {0, "layout", "KIND", VALUE_CHOICE, SPECS | SWEEP | FRONT | IDLE, set_layout, want_choice,
     "`auto`, `none`, `pad`, `xor` or `tma`, instead of what the specs say", 0, NULL},
    {0, "templates", "DIR", VALUE_FOLDER,
     SPECS | SWEEP | TUNE | WISDOM | FRONT | INIT | SCHEMA | DOCTOR | IDLE, set_templates, NULL,
     "directory of the kernel templates; default: `$KGEN_TEMPLATES`, `templates/` here, or the "
     "installed ones",
     0, NULL},
    {0, "seed", "N", VALUE_TEXT, RUN | SWEEP | TUNE | LINT | SAME | IDLE, set_seed, NULL,
     "seed of the random inputs; default 1", 0, NULL},
    {0, "no-cache", NULL, VALUE_NONE, RUN | SWEEP | TUNE | LINT | SAME | IDLE, set_no_cache, NULL,
     "compile again what is in the cache", 0, NULL},
    {0, "set", "NAME=V,..", VALUE_TEXT, SWEEP, set_sweep, NULL,
     "try each pad (`pad=0..8`) or each value of a parameter; may be repeated", 0, NULL},
    {0, "sweep", "NAME=V,..", VALUE_TEXT, 0, set_sweep, NULL,
     "try each pad or value of a parameter; may be repeated", SWEEP, "sweep SPEC --set NAME=V,.."},
    {0, "tune", NULL, VALUE_NONE, 0, set_tune, NULL, "search for the fastest configuration", TUNE,
     "tune SPEC"},
    {0, "budget", "SECONDS", VALUE_TEXT, TUNE, set_budget, NULL,
     "time limit of the search for all specs together; default 60 per spec", 0, NULL},
    {0, "all", NULL, VALUE_NONE, TUNE, set_free, NULL, "also search what the specs set", 0, NULL},
    {0, "free", NULL, VALUE_NONE, 0, set_free, NULL, "also search what the specs set", TUNE,
     "tune --all"},
    {0, "only", "CONFIG", VALUE_TEXT, TUNE, set_only, NULL,
     "measure only this configuration, e.g. `'vector=4 d0=64'`; may be repeated", 0, NULL},
    {0, "sizes", "NAME=V,..", VALUE_TEXT, TUNE, set_sizes, NULL,
     "tune at these sizes of the problem, all combinations, e.g. `'m=1024..8192 times 2 n=4096'`; "
     "may be repeated",
     0, NULL},
    {0, "shard", "I/N", VALUE_TEXT, TUNE, set_shard, NULL, "search the I-th of N disjoint parts", 0,
     NULL},
    {0, "devices", "LIST", VALUE_TEXT, TUNE, set_devices, NULL,
     "`all`, or numbers of GPUs, e.g. `0,1`: search with one process per GPU", 0, NULL},
    {0, "for", "DEVICE", VALUE_TEXT, SPECS | IDLE, set_for, NULL,
     "use the measurements of this device, e.g. `H200`; default: this machine's GPU", 0, NULL},
    {0, "no-wisdom", NULL, VALUE_NONE, SPECS | IDLE, set_no_wisdom, NULL,
     "ignore stored measurements: what the specs leave open is the kernel template's default", 0,
     NULL},
    {0, "wisdom", NULL, VALUE_NONE, 0, set_wisdom, NULL, "list the stored measurements", WISDOM,
     "wisdom"},
    {0, "merge", NULL, VALUE_NONE, 0, set_merge, NULL, "add the FILEs' measurements", WISDOM,
     "wisdom merge FILE"},
    {0, "prune", NULL, VALUE_NONE, 0, set_prune, NULL,
     "drop from the user's file what no spec can use any more", WISDOM, "wisdom prune"},
    {0, "t4", NULL, VALUE_NONE, 0, set_t4, NULL, "print Kernel Tuner's T4 results in JSON", WISDOM,
     "wisdom t4"},
    {0, "lint", "FILE", VALUE_FILE, 0, set_lint, NULL,
     "check a kernel of a .cu or .ptx file, or the launches of a lint.yaml", LINT, "lint FILE"},
    {0, "kernel", "NAME", VALUE_TEXT, LINT | SAME, set_kernel, NULL,
     "the kernel, also as `ns::name`, `'scale<float, 4>'`, `'sum(const float *, int)'` or its name "
     "in PTX; default: list them",
     0, NULL},
    {0, "grid", "X,Y,Z", VALUE_TEXT, LINT | SAME, set_grid, NULL,
     "number of blocks; Y and Z default to 1; at most 2^24 threads in all", 0, NULL},
    {0, "block", "X,Y,Z", VALUE_TEXT, LINT | SAME, set_block, NULL, "threads per block", 0, NULL},
    {0, "cluster", "X,Y,Z", VALUE_TEXT, LINT | SAME, set_cluster, NULL,
     "blocks per cluster; default: what the kernel declares", 0, NULL},
    {0, "arg", "ARG", VALUE_ARGUMENT, LINT | SAME, set_arg, NULL,
     "one for each parameter, in order: a number; `i32:V`, `f16:V` and other types; `buf:BYTES` or "
     "`buf:COUNTxf32` (random), `buf:SIZE:zero`, `iota`, `permutation`, `random=0..9`, "
     "`constant=V` or a file's name; `{MEMBER,...}` for a structure; `raw:BYTES:FILE` for "
     "anything; `buf:{MEMBER,...}`; `at:N+BYTES` into the buffer of argument N, `at:NAME+BYTES` "
     "into `NAME=buf:...`; `tmap:f16:dims=256x64:box=64x32:swizzle=128` for a CUtensorMap; "
     "`tex:f32:dims=64x64:filter=linear`, `surf:u32:dims=64x64` for texture and surface objects",
     0, NULL},
    {0, "variable", "NAME=VALUE", VALUE_TEXT, LINT | SAME, set_variable, NULL,
     "contents of a `__constant__` or `__device__` variable: a value like an argument's with its "
     "type, `data:random` or `data:FILE`; may be repeated",
     0, NULL},
    {0, "dump", "BUF=FILE", VALUE_TEXT, LINT, set_dump, NULL,
     "write a buffer, by name or argument number, after the launch; may be repeated", 0, NULL},
    {0, "smem", "BYTES", VALUE_TEXT, LINT | SAME, set_smem, NULL,
     "dynamic shared memory; default 0", 0, NULL},
    {0, "include", "DIR", VALUE_FOLDER, LINT | SAME | EXEC, set_include, NULL,
     "directory of headers; may be repeated; the file's own and the toolkit's are found without it",
     0, NULL},
    {0, "define", "NAME[=V]", VALUE_TEXT, LINT | SAME, set_define, NULL, "macro; may be repeated",
     0, NULL},
    {0, "std", "STD", VALUE_CHOICE, LINT | SAME, set_std, option_std,
     "C++ standard; default `c++17`", 0, NULL},
    {0, "flag", "FLAG", VALUE_TEXT, LINT | SAME, set_flag, NULL,
     "a flag of NVRTC or nvcc with which they still emit PTX, e.g. `use_fast_math`, `fmad=false`, "
     "`-G`; may be repeated",
     0, NULL},
    {0, "max-conflicts", "N", VALUE_TEXT, LINT | EXEC, set_max_conflicts, NULL,
     "exit with 1 if there are more than N wavefronts above the ideal; default: only report them",
     0, NULL},
    {0, "strict", NULL, VALUE_NONE, LINT | EXEC, set_strict, NULL,
     "notes count as findings: exit code 1", 0, NULL},
    {0, "ignore", "KIND", VALUE_CHOICE, LINT | EXEC, set_ignore, finding_choice,
     "leave out findings and notes of a kind, e.g. `proxy-write`; may be repeated", 0, NULL},
    {0, "schedules", "N", VALUE_TEXT, LINT | EXEC, set_schedules, NULL,
     "repeat a launch without findings in N other orders of warps and blocks, or in orders A..B, "
     "until one has a "
     "finding, hangs or has another output",
     0, NULL},
    {0, "hang-states", "N", VALUE_TEXT, LINT, set_hang_states, NULL,
     "search all orders of the barrier and mbarrier operations for one that hangs, through at most "
     "N states per block",
     0, NULL},
    {0, "baseline", "OLD.json", VALUE_FILE, LINT | EXEC, set_baseline, NULL,
     "an older JSON report: exit with 1 only where a line got worse", 0, NULL},
    {0, "max-steps", "N", VALUE_TEXT, LINT | SAME | EXEC, set_max_steps, NULL,
     "instructions that one warp may execute before it is reported as endless; default 2^24, of a "
     "program 2^30",
     0, NULL},
    {0, "time-limit", "SECONDS", VALUE_TEXT, LINT, set_time_limit, NULL,
     "start no more blocks after this time, and report on those that ran; default: none", 0, NULL},
    {0, "exec", NULL, VALUE_NONE, 0, set_exec, NULL,
     "run the CUDA program after `--` without a GPU and check its launches", EXEC, "exec PROGRAM"},
    {0, "as", "SM", VALUE_CHOICE, 0, set_as, arch_choice, "the GPU that the program sees", EXEC,
     "exec --arch SM"},
    {0, "as", "LANGUAGE", VALUE_CHOICE, 1 << COMMAND_EXPLAIN, set_language, language_choice,
     "write the layout in another language: `c`, `cute`, `cutedsl`, `gluon`, `tilelang`, `mojo` or "
     "`cutile`",
     0, NULL},
    {0, "kernels", "REGEX", VALUE_TEXT, EXEC, set_kernels, NULL,
     "check only kernels whose C++ name matches; others run faster", 0, NULL},
    {0, "skip", "N", VALUE_TEXT, EXEC, set_skip, NULL, "do not check the first N of these launches",
     0, NULL},
    {0, "launches", "N", VALUE_TEXT, EXEC, set_launches, NULL, "check at most N of them", 0, NULL},
    {0, "save", "DIR", VALUE_FOLDER, EXEC, set_save, NULL,
     "save each checked launch in a directory of DIR, which must be new or empty: `kgen lint "
     "DIR/NAME` repeats it",
     0, NULL},
    {0, "no-native", NULL, VALUE_NONE, EXEC, set_no_native, NULL,
     "interpret unchecked launches; default: `$CC`, `cc`, `gcc` or `clang` compiles kernels that "
     "run long",
     0, NULL},
    {0, "no-leaks", NULL, VALUE_NONE, EXEC, set_no_leaks, NULL,
     "do not report memory that is never freed: Python packages keep theirs until the end", 0,
     NULL},
    {0, "error-exit", "N", VALUE_TEXT, EXEC, set_error_exit, NULL,
     "exit code if anything is found; default 1; 0: always the program's own", 0, NULL},
    {0, "pads", NULL, VALUE_NONE, 0, set_pads, NULL, "print minimal pads", PADS, "pads"},
    {0, "compare", "OLD.json", VALUE_FILE, 0, set_compare, NULL, "compare two JSON reports",
     COMPARE, "compare OLD.json NEW.json"},
    {0, "same", "A", VALUE_FILE, 0, set_same, NULL, "run two kernels on equal inputs", SAME,
     "same A B"},
    {0, "tolerance", "N", VALUE_TEXT, SAME, set_tolerance, NULL,
     "allowed difference of floating-point results, relative to the larger of 1 and their "
     "magnitude; default: none, bit for bit",
     COMPARE, "compare --time-tolerance PERCENT"},
    {0, "time-tolerance", "PERCENT", VALUE_TEXT, COMPARE, set_tolerance, NULL,
     "by how much a time may change beyond its noise; default 2", 0, NULL},
    {0, "front", NULL, VALUE_NONE, 0, set_front, NULL,
     "show the Pareto front of bytes and wavefronts", FRONT, "front SPEC"},
    {0, "init", "TEMPLATE", VALUE_TEXT, 0, set_init, NULL,
     "print a commented spec of a kernel template", INIT, "init TEMPLATE"},
    {0, "schema", NULL, VALUE_NONE, 0, set_schema, NULL,
     "print the JSON Schema of specs; with `lint`, of lint.yaml", SCHEMA, "schema"},
    {0, "doctor", NULL, VALUE_NONE, 0, set_doctor, NULL, "check what kgen needs on this machine",
     DOCTOR, "doctor"},
    {0, "json", NULL, VALUE_MAYBE, ALL_COMMANDS & ~(INIT | HELP), set_json, NULL,
     "print one JSON object; if nothing can be reported, it says why; --json=full: with all "
     "entries "
     "of long lists",
     0, NULL},
    {0, "csv", NULL, VALUE_NONE, SPECS | SWEEP | PADS | COMPARE | FRONT, set_csv, NULL, "print CSV",
     0, NULL},
    {0, "markdown", NULL, VALUE_NONE, SPECS | LINT | EXEC | COMPARE | FRONT, set_markdown, NULL,
     "print Markdown tables", 0, NULL},
    {0, "sarif", "FILE", VALUE_FILE, SPECS | LINT | EXEC, set_sarif, NULL,
     "also write errors in specs, or findings, as SARIF 2.1.0; `-`: to stdout", 0, NULL},
    {0, "repro", "DIR", VALUE_TEXT, RUN | SWEEP | LINT, set_repro, NULL,
     "if the exit code is 1, 5 or 6, fill an empty directory with everything that reproduces it: "
     "`DIR/run.sh`",
     0, NULL},
    {'q', "quiet", NULL, VALUE_NONE, ALL_COMMANDS, set_quiet, NULL,
     "print no table and no progress", 0, NULL},
    {'v', "verbose", NULL, VALUE_NONE, ALL_COMMANDS, set_verbose, NULL,
     "print the compiler's log and what is being done", 0, NULL},
    {0, "color", "WHEN", VALUE_CHOICE, ALL_COMMANDS, set_color, color_choice,
     "`auto`, `always` or `never`; default `auto`, which honours `$NO_COLOR`", 0, NULL},
    {'h', "help", NULL, VALUE_NONE, ALL_COMMANDS, set_help, NULL,
     "print the options of the command", 0, NULL},
    {0, "version", NULL, VALUE_NONE, 0, set_version, NULL,
     "print the version, and which parts of CUDA were found", ALL_COMMANDS, "version"},
};
const int option_count = sizeof option_table / sizeof *option_table;

const CommandRow command_table[COMMANDS] = {
    [COMMAND_GEN] = {"gen", NULL, OPERANDS_SPECS, 0, 0, "[SPEC]...",
                     "Solve specs and write CUDA sources. A SPEC is a file, a directory of *.yaml, "
                     "or `-` for standard input; without one, all of specs/ are taken.",
                     NULL, NULL, NULL, NULL},
    [COMMAND_EXPLAIN] =
        {"explain", NULL, OPERANDS_SPECS, 0, 0, "[SPEC]...",
         "Show the banks that each access uses, the layout that kgen chose, and why "
         "no cheaper one works. Writes no sources.",
         "explain SPEC", "banks, the chosen layout, and why nothing cheaper works", NULL, NULL},
    [COMMAND_RUN] = {"run", NULL, OPERANDS_SPECS, 0, 0, "[SPEC]...",
                     "Write the sources, compile them with NVRTC, launch them on the GPU or the "
                     "emulator, verify results and wavefronts, and measure times on a GPU.",
                     "run SPEC", "compile, launch, verify, count wavefronts, time", NULL, NULL},
    [COMMAND_SWEEP] = {"sweep", "sweep", OPERANDS_SPECS, 1, 0, "SPEC... --set NAME=VALUES",
                       "Compare pads or parameter values side by side. Writes no sources.",
                       "sweep SPEC", "compare pads or parameter values side by side", NULL, NULL},
    [COMMAND_FRONT] =
        {"front", "front", OPERANDS_SPECS, 1, 0, "SPEC...",
         "Show the Pareto front of shared-memory bytes and wavefronts, with the blocks "
         "per SM, and what one changed access would gain.",
         "front SPEC", "Pareto front of bytes and wavefronts", NULL, NULL},
    [COMMAND_TUNE] = {"tune", "tune", OPERANDS_SPECS, 1, 0, "SPEC...",
                      "Search what the specs leave open for the fastest configuration (on the "
                      "emulator: the fewest wavefronts and sectors), and store every measurement.",
                      "tune SPEC", "search for the fastest configuration (wisdom: manage results)",
                      NULL, NULL},
    [COMMAND_WISDOM] =
        {"wisdom", "wisdom", OPERANDS_WORDS, 0, 0, "[list | merge FILE... | prune | t4]",
         "List the stored measurements, the best of each spec first; merge those of "
         "other files; prune those that no spec can use any more; print Kernel Tuner's "
         "T4 results.",
         NULL, NULL, take_wisdom, wisdom_word},
    [COMMAND_INIT] = {"init", "init", OPERANDS_WORDS, 1, 1, "TEMPLATE",
                      "Print a commented spec of a kernel template, or of `none`.", "init, schema",
                      "a commented starter spec; the JSON Schema for editors", take_template, NULL},
    [COMMAND_SCHEMA] = {"schema", "schema", OPERANDS_WORDS, 0, 1, "[spec | lint]",
                        "Print the JSON Schema of specs, or of lint.yaml.", NULL, NULL,
                        take_language, schema_word},
    [COMMAND_LINT] =
        {"lint", "lint", OPERANDS_FILES, 1, 1, "FILE[:KERNEL]",
         "Run one kernel of a .cu or .ptx file on the emulator and report bank "
         "conflicts, sectors, races and memory errors. FILE may also be a lint.yaml, or "
         "a directory with one, which describes several launches.",
         "lint FILE", "bank conflicts, sectors, races, memory errors of one kernel", take_lint_file,
         NULL},
    [COMMAND_EXEC] =
        {"exec", "exec", OPERANDS_PROGRAM, 1, 0, "[--] PROGRAM [ARGUMENT]...",
         "Run an unmodified CUDA program without a GPU and check each of its launches. "
         "Options end at the program's name.",
         "exec PROGRAM", "the same for every launch of an unmodified program", NULL, NULL},
    [COMMAND_SAME] = {"same", "same", OPERANDS_FILES, 2, 2, "A[:KERNEL] B[:KERNEL]",
                      "Run two kernels on equal inputs and compare what they write, and what each "
                      "costs. A and B are .cu or .ptx files, lint.yaml:LAUNCH, or directories.",
                      "same A B", "run two kernels on equal inputs; compare outputs and cost",
                      take_pair, NULL},
    [COMMAND_COMPARE] = {"compare", "compare", OPERANDS_FILES, 2, 2, "OLD.json NEW.json",
                         "Show what changed between two JSON reports. Exits with 1 if anything got "
                         "worse.",
                         "compare OLD NEW",
                         "what changed between two JSON reports; exit 1 if worse", take_pair, NULL},
    [COMMAND_PADS] = {"pads", "pads", OPERANDS_NONE, 0, 0, "",
                      "Print the minimal pads for column reads, and the cost of well-known pads.",
                      "pads, doctor", "minimal pads for column reads; what works on this machine",
                      NULL, NULL},
    [COMMAND_DOCTOR] =
        {"doctor", "doctor", OPERANDS_NONE, 0, 0, "",
         "Check what kgen needs on this machine, and say how to get what is missing.", NULL, NULL,
         NULL, NULL},
    [COMMAND_HELP] = {"help", NULL, OPERANDS_WORDS, 0, 1, "[COMMAND]",
                      "Print a command's options, or the list of commands.", NULL, NULL, take_verb,
                      verb_word},
    [COMMAND_VERSION] = {"version", NULL, OPERANDS_NONE, 0, 0, "",
                         "Print the version, and which parts of CUDA were found.", NULL, NULL,
                         take_version, NULL},
};

const FactRow exit_table[] = {
    {"0", "ok"},
    {"1", "a finding, a wrong result, something worse, or wavefronts that were not predicted"},
    {"2", "a usage error, or output that cannot be written"},
    {"3", "a bad spec or input file"},
    {"4", "`strict`, and no layout without conflicts"},
    {"5", "the source does not compile, or the emulator does not support it"},
    {"6", "CUDA fails at run time, or a tool or part of a report is missing"},
    {"77", "a GPU was required and there is none"},
};
const int exit_count = sizeof exit_table / sizeof *exit_table;

const FactRow environment_table[] = {
    {"KGEN_TEMPLATES", "directory of the kernel templates, unless `--templates` names one"},
    {"KGEN_CACHE_DIR",
     "directory of compiled kernels; default: `$XDG_CACHE_HOME/kgen`, `~/.cache/kgen`"},
    {"KGEN_WISDOM",
     "measurements; default: `$XDG_DATA_HOME/kgen/wisdom.jsonl`, or below `~/.local/share`"},
    {"CUDA_HOME", "the CUDA Toolkit; default: `CUDA_PATH`, `/usr/local/cuda`, `$PATH`"},
    {"NO_COLOR", "no color, unless `--color always` asks for it"},
};
const int environment_count = sizeof environment_table / sizeof *environment_table;

/* --- looking up --- */

const OptionRow *option_find(const char *name, size_t n, Command verb) {
  const OptionRow *found = NULL;
  for (int i = 0; i < option_count; i++) {
    const OptionRow *row = &option_table[i];
    if (strlen(row->name) != n || memcmp(row->name, name, n) != 0) continue;
    if (verb != COMMANDS && row->commands & 1U << verb) return row;
    if (!found) found = row;
  }
  return found;
}

const OptionRow *option_find_letter(char letter) {
  for (int i = 0; i < option_count; i++)
    if (option_table[i].letter == letter) return &option_table[i];
  return NULL;
}

/* Without a verb, one command generates, explains and runs specs. */
bool option_is_for(const OptionRow *row, Command command, bool after_verb) {
  const unsigned set = !after_verb && command == COMMAND_GEN ? SPECS : 1U << command;
  return (row->commands & set) || (!after_verb && row->old & set);
}

Command command_find(const char *verb) {
  int i = 0;
  while (i < COMMANDS && strcmp(command_table[i].verb, verb) != 0) i++;
  return (Command)i;
}

const OptionRow *command_option(Command command) {
  const char *name = command_table[command].option;
  return name ? option_find(name, strlen(name), COMMANDS) : NULL;
}

bool option_selects(const OptionRow *row) {
  for (int c = 0; c < COMMANDS; c++)
    if (command_option((Command)c) == row) return true;
  return false;
}
