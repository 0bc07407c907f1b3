#include "command/option_table.h"

#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const char *std_choice(int i) {
  static const char *const names[] = {"c++11", "c++14", "c++17", "c++20"};
  return pick(names, sizeof names / sizeof *names, i);
}

/* --- setters that can refuse, or keep more than one word --- */

static bool take_between(const OptionArg *g, uint64_t least, uint64_t most, uint64_t *out) {
  char *end;
  const bool hexadecimal = strncmp(g->text, "0x", 2) == 0;
  errno = 0;
  *out = strtoull(g->text, &end, hexadecimal ? 16 : 10);
  if (*g->text >= '0' && *g->text <= '9' && !*end && errno == 0 && *out >= least && *out <= most)
    return true;
  text_printf(g->why, "kgen: --%s %s: not a number from %" PRIu64 " to %" PRIu64 "\n", g->name,
              g->text, least, most);
  return false;
}

static bool take_number(const OptionArg *g, uint64_t most, uint64_t *out) {
  return take_between(g, 0, most, out);
}

static bool take_real(const OptionArg *g, double most, double *out) {
  char *end;
  *out = strtod(g->text, &end);
  if (((*g->text >= '0' && *g->text <= '9') || *g->text == '.') && !*end && *out <= most)
    return true;
  text_printf(g->why, "kgen: --%s %s: not a number from 0 to %g\n", g->name, g->text, most);
  return false;
}

static bool take_count(const OptionArg *g, int64_t *out) {
  uint64_t n = 0;
  const bool ok = take_number(g, INT64_MAX, &n);
  *out = (int64_t)n;
  return ok;
}

static bool take_format(const OptionArg *g, Format format, Options *o) {
  return options_claim_stdout(o, format, g->why);
}

static void take_layout(const OptionArg *g, const Want **out) {
  Want *want = ARENA_NEW(g->arena, Want);
  *want = (Want)g->choice;
  *out = want;
}

static void take_until(Stage until, Stage *out) {
  if (*out < until) *out = until;
}

static void take_answer(InfoRequest answer, InfoRequest *out) {
  if (*out < answer) *out = answer;
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
    text_printf(g->why, "kgen: --%s %s: %s\n", g->name, g->text, why);
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
  text_printf(g->why, "kgen: --dump %s: not BUFFER=FILE\n", g->text);
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
    text_printf(g->why, "kgen: --shard %s: not I/N with I from 1 to N, at most %d\n", g->text,
                MOST);
  return ok;
}

/* --- setters --- */

/* SET never refuses what it is given, TRY may. g is what was given, o the options. */
#define TRY(option, attempt)                                                                       \
  static bool set_##option(const OptionArg *g, Options *o) { return attempt; }
#define SET(option, effect)                                                                        \
  static bool set_##option(const OptionArg *g, Options *o) {                                       \
    (void)g;                                                                                       \
    effect;                                                                                        \
    return true;                                                                                   \
  }
SET(output, o->out = g->text)
SET(jit, take_until(STAGE_COMPILED, &o->until))
SET(run, take_until(STAGE_RUN, &o->until))
SET(device, o->device = g->text)
SET(explain, o->explain = true)
TRY(json, take_format(g, FORMAT_JSON, o))
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
SET(arch, o->arch = &arch_table[g->choice])
SET(layout, take_layout(g, &o->layout))
SET(templates, o->templates = g->text)
TRY(seed, take_number(g, UINT64_MAX, &o->seed))
SET(no_cache, o->no_cache = true)
SET(repro, o->repro_folder = g->text)
SET(quiet, o->quiet = true)
SET(verbose, o->verbose = true)
SET(color, o->color = (Color)g->choice)
SET(help, take_answer(INFO_HELP, &o->answer))
SET(version, take_answer(INFO_VERSION, &o->answer))
SET(sweep, take_sweep(g, o))
SET(tune, o->command = COMMAND_TUNE)
TRY(budget, take_between(g, 1, 1 << 30, &o->tune.budget))
SET(free, o->tune.free = true)
SET(only, option_list_add(g->arena, &o->tune.only, g->text))
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

/* --- the tables --- */

/* What takes specs; what reads them or a kernel. */
enum {
  SPECS = 1 << COMMAND_SPECS,
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
  RUNS = SPECS | SWEEP
};

/* A help text says "may be repeated" of each OptionList. */
const OptionRow option_table[] = {
    {'o', "output", "DIR", VALUE_FOLDER, SPECS | IDLE, set_output, NULL,
     "folder for NAME.cu (NAME.h for `none`) and NAME.json; default `out`; `-`: the source to "
     "stdout"},
    {0, "jit", NULL, VALUE_NONE, RUNS | TUNE, set_jit, NULL,
     "compile with NVRTC; report registers and occupancy"},
    {0, "run", NULL, VALUE_NONE, RUNS, set_run, NULL, "compile, launch, check, measure"},
    {0, "device", "WHERE", VALUE_CHOICE, RUNS | TUNE | DOCTOR | IDLE, set_device, device_choice,
     "`auto`, `cuda` or `emulator`; default `auto`; `cuda` exits 77 without a GPU"},
    {0, "explain", NULL, VALUE_NONE, SPECS, set_explain, NULL,
     "show the banks, the layout and the reasons"},
    {0, "html", "FILE", VALUE_FILE, RUNS | LINT | EXEC, set_html, NULL,
     "write a page to look at: banks, lanes, reasons, the trade of bytes against wavefronts; `-`: "
     "to stdout"},
    {0, "svg", "FILE", VALUE_FILE, SPECS, set_svg, NULL,
     "write a picture of one tile, plain and as chosen; `-`: to stdout"},
    {0, "tile", "NAME", VALUE_TEXT, SPECS, set_tile, NULL,
     "which tile is drawn; default: the one with the most conflicts when plain"},
    {0, "dry-run", NULL, VALUE_NONE, SPECS | IDLE, set_dry_run, NULL,
     "write no sources and no NAME.json"},
    {0, "arch", "SM", VALUE_CHOICE, RUNS | TUNE | FRONT | LINT | SAME | IDLE, set_arch, arch_choice,
     "architecture, e.g. `sm_90`, instead of the specs'"},
    {0, "layout", "KIND", VALUE_CHOICE, RUNS | FRONT | IDLE, set_layout, want_choice,
     "`auto`, `none`, `pad`, `xor` or `tma`, instead of the specs'"},
    {0, "templates", "DIR", VALUE_FOLDER,
     RUNS | TUNE | WISDOM | FRONT | INIT | SCHEMA | DOCTOR | IDLE, set_templates, NULL,
     "folder of the families; else `$KGEN_TEMPLATES`, `templates/` here, or what was installed"},
    {0, "seed", "N", VALUE_TEXT, RUNS | TUNE | LINT | SAME | IDLE, set_seed, NULL,
     "seed of the random inputs; default 1"},
    {0, "no-cache", NULL, VALUE_NONE, RUNS | TUNE | LINT | SAME | IDLE, set_no_cache, NULL,
     "compile even what has been compiled before"},
    {0, "sweep", "NAME=V,..", VALUE_TEXT, SWEEP, set_sweep, NULL,
     "try each pad (`pad=0..8`) or value of a param; may be repeated"},
    {0, "tune", NULL, VALUE_NONE, TUNE, set_tune, NULL,
     "search what the specs leave open for the fastest (on the emulator: the fewest wavefronts and "
     "sectors), and remember every measurement"},
    {0, "budget", "SECONDS", VALUE_TEXT, TUNE, set_budget, NULL,
     "for all specs together; default 60 for each"},
    {0, "free", NULL, VALUE_NONE, TUNE, set_free, NULL, "also search what the specs set"},
    {0, "only", "CONFIG", VALUE_TEXT, TUNE, set_only, NULL,
     "measure this configuration, e.g. `'vector=4 d0=64'`, and no other; may be repeated"},
    {0, "shard", "I/N", VALUE_TEXT, TUNE, set_shard, NULL, "search one of N disjoint parts"},
    {0, "devices", "LIST", VALUE_TEXT, TUNE, set_devices, NULL,
     "`all`, or numbers of GPUs, e.g. `0,1`: a process and a part of the search on each"},
    {0, "for", "DEVICE", VALUE_TEXT, SPECS | IDLE, set_for, NULL,
     "use what was measured on this device, e.g. `H200`; default: this machine's GPU"},
    {0, "no-wisdom", NULL, VALUE_NONE, SPECS | IDLE, set_no_wisdom, NULL,
     "leave what the specs leave open to their families"},
    {0, "wisdom", NULL, VALUE_NONE, WISDOM, set_wisdom, NULL,
     "list what is remembered, the best of each spec first"},
    {0, "merge", NULL, VALUE_NONE, WISDOM, set_merge, NULL,
     "add the FILEs' measurements that are not there yet"},
    {0, "prune", NULL, VALUE_NONE, WISDOM, set_prune, NULL,
     "drop from the user's file what no spec can use any more: that of other toolkits and "
     "templates"},
    {0, "t4", NULL, VALUE_NONE, WISDOM, set_t4, NULL,
     "Kernel Tuner's T4 results in JSON on stdout"},
    {0, "lint", "FILE", VALUE_FILE, LINT, set_lint, NULL,
     "judge the kernels of a .cu or .ptx file on the emulator, or the launches of a lint.yaml"},
    {0, "kernel", "NAME", VALUE_TEXT, LINT | SAME, set_kernel, NULL,
     "which one, also `ns::name`, `'scale<float, 4>'`, `'sum(const float *, int)'` or its name in "
     "PTX; default: list them"},
    {0, "grid", "X,Y,Z", VALUE_TEXT, LINT | SAME, set_grid, NULL,
     "blocks; what is left out is 1; at most 2^24 threads in all"},
    {0, "block", "X,Y,Z", VALUE_TEXT, LINT | SAME, set_block, NULL, "threads of a block"},
    {0, "cluster", "X,Y,Z", VALUE_TEXT, LINT | SAME, set_cluster, NULL,
     "blocks of a cluster; default: what the kernel declares"},
    {0, "arg", "ARG", VALUE_TEXT, LINT | SAME, set_arg, NULL,
     "one for each parameter, in order: `buf:BYTES` or `buf:COUNTxf32` (random), `buf:SIZE:zero`, "
     "`iota`, `permutation`, `random=0..9`, `constant=V` or a file's name; `i32:V`, `f16:V` and "
     "other types, `{MEMBER,...}` for a structure, `raw:BYTES:FILE` for any; `buf:{MEMBER,...}` "
     "that holds these, `at:N+BYTES` into the buffer of argument N, `at:NAME+BYTES` into "
     "`NAME=buf:...`; `tmap:f16:dims=256x64:box=64x32:swizzle=128` for a CUtensorMap; "
     "`tex:f32:dims=64x64:filter=linear`, `surf:u32:dims=64x64` for texture and surface objects"},
    {0, "variable", "NAME=VALUE", VALUE_TEXT, LINT | SAME, set_variable, NULL,
     "what a `__constant__` or `__device__` variable holds: a value as an argument's, "
     "`data:random` or "
     "`data:FILE`; may be repeated"},
    {0, "dump", "BUF=FILE", VALUE_TEXT, LINT, set_dump, NULL,
     "write what a buffer, by name or argument, holds after the launch; may be repeated"},
    {0, "smem", "BYTES", VALUE_TEXT, LINT | SAME, set_smem, NULL,
     "dynamic shared memory; default 0"},
    {0, "include", "DIR", VALUE_FOLDER, LINT | SAME | EXEC, set_include, NULL,
     "folder of headers; may be repeated; the file's folder and the toolkit's are found"},
    {0, "define", "NAME[=V]", VALUE_TEXT, LINT | SAME, set_define, NULL, "macro; may be repeated"},
    {0, "std", "STD", VALUE_CHOICE, LINT | SAME, set_std, std_choice,
     "C++ standard; default `c++17`"},
    {0, "flag", "FLAG", VALUE_TEXT, LINT | SAME, set_flag, NULL,
     "any flag of NVRTC or nvcc with which they still emit PTX, e.g. `use_fast_math`, "
     "`fmad=false`, "
     "`-G`; may be repeated"},
    {0, "max-conflicts", "N", VALUE_TEXT, LINT | EXEC, set_max_conflicts, NULL,
     "exit 1 on more than N wavefronts above the ideal; default: only report them"},
    {0, "baseline", "OLD.json", VALUE_FILE, LINT | EXEC, set_baseline, NULL,
     "an older report in JSON: exit 1 only where a line is worse than in it"},
    {0, "max-steps", "N", VALUE_TEXT, LINT | SAME | EXEC, set_max_steps, NULL,
     "instructions that one warp may execute before it counts as endless; default 2^24, of a "
     "program "
     "2^30"},
    {0, "time-limit", "SECONDS", VALUE_TEXT, LINT, set_time_limit, NULL,
     "after so long begin no more blocks, and judge those that ran; default none"},
    {0, "exec", NULL, VALUE_NONE, EXEC, set_exec, NULL,
     "run the CUDA program after `--` without a GPU, and judge its launches"},
    {0, "as", "SM", VALUE_CHOICE, EXEC, set_as, arch_choice,
     "the GPU that the program sees; default `sm_90`"},
    {0, "kernels", "REGEX", VALUE_TEXT, EXEC, set_kernels, NULL,
     "judge only kernels whose C++ name it matches; others run faster"},
    {0, "skip", "N", VALUE_TEXT, EXEC, set_skip, NULL, "judge none of the first N of those"},
    {0, "launches", "N", VALUE_TEXT, EXEC, set_launches, NULL, "judge N of them at most"},
    {0, "save", "DIR", VALUE_FOLDER, EXEC, set_save, NULL,
     "save each judged launch as a folder in DIR, which must be new or empty: `kgen --lint "
     "DIR/NAME` repeats it"},
    {0, "no-native", NULL, VALUE_NONE, EXEC, set_no_native, NULL,
     "interpret what is not judged; else `$CC`, `cc`, `gcc` or `clang` compiles kernels that run "
     "long"},
    {0, "no-leaks", NULL, VALUE_NONE, EXEC, set_no_leaks, NULL,
     "memory that is never freed is no finding: packages of Python keep theirs to the end"},
    {0, "strict", NULL, VALUE_NONE, LINT | EXEC, set_strict, NULL,
     "notes count as findings: exit code 1"},
    {0, "error-exit", "N", VALUE_TEXT, EXEC, set_error_exit, NULL,
     "exit code where something is found; default 1; 0: always the program's own"},
    {0, "pads", NULL, VALUE_NONE, PADS, set_pads, NULL,
     "the pads that column reads need, and well-known ones judged"},
    {0, "compare", "OLD.json", VALUE_FILE, COMPARE, set_compare, NULL,
     "what changed from one report in JSON to the next; exit 1 if anything got worse"},
    {0, "same", "A", VALUE_FILE, SAME, set_same, NULL,
     "run two kernels on equal inputs and compare what they write: `A.cu B.cu`, `a.cu:KERNEL`, "
     "`lint.yaml:LAUNCH` or folders"},
    {0, "tolerance", "N", VALUE_TEXT, SAME | COMPARE, set_tolerance, NULL,
     "by how much two kernels' numbers may differ, relative to the larger of 1 and their size; "
     "default: not a bit. Of two reports: percent by which a time may change beyond its noise; "
     "default 2"},
    {0, "front", NULL, VALUE_NONE, FRONT, set_front, NULL,
     "bytes against wavefronts and blocks of an SM of every layout; what one other access would "
     "gain"},
    {0, "init", "FAMILY", VALUE_TEXT, INIT, set_init, NULL,
     "a commented spec of a family, or of `none`, on stdout"},
    {0, "schema", NULL, VALUE_NONE, SCHEMA, set_schema, NULL,
     "the JSON Schema of specs, with the families there are, on stdout; with `lint`, of a "
     "lint.yaml"},
    {0, "doctor", NULL, VALUE_NONE, DOCTOR, set_doctor, NULL,
     "what kgen needs and finds here, and how to get the rest"},
    {0, "json", NULL, VALUE_NONE, ALL_COMMANDS & ~INIT, set_json, NULL,
     "one JSON object on stdout; where nothing can be reported, it says why"},
    {0, "csv", NULL, VALUE_NONE, RUNS | PADS | COMPARE | FRONT, set_csv, NULL,
     "CSV on stdout, a line each"},
    {0, "markdown", NULL, VALUE_NONE, SPECS | LINT | EXEC | COMPARE | FRONT, set_markdown, NULL,
     "tables of Markdown on stdout"},
    {0, "sarif", "FILE", VALUE_FILE, SPECS | LINT | EXEC, set_sarif, NULL,
     "also write mistakes in specs, or what lint finds, as SARIF 2.1.0; `-`: to stdout"},
    {0, "repro", "DIR", VALUE_TEXT, RUNS | LINT, set_repro, NULL,
     "where something is wrong or refused (exit 1, 5, 6), fill an empty folder with all that "
     "reproduces it: `DIR/run.sh`"},
    {'q', "quiet", NULL, VALUE_NONE, ALL_COMMANDS, set_quiet, NULL, "no table, no progress"},
    {'v', "verbose", NULL, VALUE_NONE, ALL_COMMANDS, set_verbose, NULL,
     "the compiler's log, and what is being done"},
    {0, "color", "WHEN", VALUE_CHOICE, ALL_COMMANDS, set_color, color_choice,
     "`auto`, `always` or `never`; default `auto`, which honours `$NO_COLOR`"},
    {'h', "help", NULL, VALUE_NONE, ALL_COMMANDS, set_help, NULL, "this text"},
    {0, "version", NULL, VALUE_NONE, ALL_COMMANDS, set_version, NULL,
     "the version, and which parts of CUDA were found"},
};
const int option_count = sizeof option_table / sizeof *option_table;

const CommandRow command_table[COMMANDS] = {
    [COMMAND_SPECS] = {NULL, true, "[SPEC.yaml | FOLDER]... [options]",
                       "Solve specs, generate, compile, run (without a SPEC: all of specs/)"},
    [COMMAND_SWEEP] = {"sweep", true,
                       "SPEC.yaml --sweep pad=0..8 [--sweep PARAM=1,2,4]... [options]",
                       "Compare pads and parameters; no file is written"},
    [COMMAND_TUNE] = {"tune", true, "--tune SPEC... [--budget SECONDS] [options]",
                      "Find the fastest configuration, and remember it"},
    [COMMAND_WISDOM] = {"wisdom", true, "--wisdom [--merge FILE... | --prune | --t4] [--json]",
                        "List what is remembered"},
    [COMMAND_LINT] = {"lint", false,
                      "--lint FILE.cu --kernel NAME --grid X,Y,Z --block X,Y,Z [--arg ARG]... "
                      "[options]",
                      "Judge a kernel, without a spec and without a GPU"},
    [COMMAND_EXEC] = {"exec", false, "--exec [options] -- PROGRAM [ARGUMENT]...",
                      "Run a CUDA program without a GPU, and judge its kernels"},
    [COMMAND_PADS] = {"pads", false, "--pads [--json | --csv]", "Print the least pads"},
    [COMMAND_SAME] =
        {"same", true,
         "--same A.cu[:KERNEL] B.cu[:KERNEL] --grid X,Y,Z --block X,Y,Z [--arg ARG]... "
         "[options]",
         "Check whether two kernels compute the same, and what each costs"},
    [COMMAND_COMPARE] = {"compare", true, "--compare OLD.json NEW.json [options]",
                         "Show what changed, and what got worse"},
    [COMMAND_FRONT] = {"front", true, "--front SPEC... [options]",
                       "Show what fewer wavefronts cost in bytes"},
    [COMMAND_INIT] = {"init", false, "--init FAMILY >NAME.yaml", "Write a spec to begin with"},
    [COMMAND_SCHEMA] = {"schema", true, "--schema [lint] >kgen-spec.schema.json",
                        "Describe the spec language to editors"},
    [COMMAND_DOCTOR] = {"doctor", false, "--doctor [--device cuda] [--json]",
                        "Show what works on this machine"},
};

const FactRow exit_table[] = {
    {"0", "ok"},
    {"1", "a wrong result, a finding, something worse, wavefronts not as predicted"},
    {"2", "usage, or output that cannot be written"},
    {"3", "a bad spec"},
    {"4", "`strict`, and no conflict-free layout"},
    {"5", "NVRTC rejects the source"},
    {"6", "CUDA fails at run time, NVRTC is not there, or nvcc has no host compiler"},
    {"77", "a GPU was demanded and there is none"},
};
const int exit_count = sizeof exit_table / sizeof *exit_table;

const FactRow environment_table[] = {
    {"KGEN_TEMPLATES", "folder of the families, unless `--templates` names one"},
    {"KGEN_CACHE_DIR", "folder of compiled kernels; else `$XDG_CACHE_HOME/kgen`, `~/.cache/kgen`"},
    {"KGEN_WISDOM",
     "measurements; else `$XDG_DATA_HOME/kgen/wisdom.jsonl`, or below `~/.local/share`"},
    {"CUDA_HOME", "the CUDA Toolkit; else `CUDA_PATH`, `/usr/local/cuda`, `$PATH`"},
    {"NO_COLOR", "no colour, unless `--color always` asks for it"},
};
const int environment_count = sizeof environment_table / sizeof *environment_table;

/* --- looking up --- */

const OptionRow *option_find(const char *name, size_t n) {
  for (int i = 0; i < option_count; i++)
    if (strlen(option_table[i].name) == n && memcmp(option_table[i].name, name, n) == 0)
      return &option_table[i];
  return NULL;
}

const OptionRow *option_find_letter(char letter) {
  for (int i = 0; i < option_count; i++)
    if (option_table[i].letter == letter) return &option_table[i];
  return NULL;
}

const OptionRow *command_option(Command command) {
  const char *name = command_table[command].option;
  return name ? option_find(name, strlen(name)) : NULL;
}

bool option_names_command(const OptionRow *row) {
  for (int d = 0; d < COMMANDS; d++)
    if (command_option((Command)d) == row) return true;
  return false;
}
