#include "command/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  char letter; /* 0: none */
  const char *name;
  const char *value; /* what --help calls its value; NULL: a switch */
  const char *const *choices;
  size_t offset;
  const char *about;
} Flag;

static const char *const devices[] = {"auto", "cuda", "emulator", NULL};
static const char *const colors[] = {"auto", "always", "never", NULL};
static const char *const layouts[] = {"auto", "none", "pad", "xor", NULL};

#define AT(field) offsetof(Options, field)
static const Flag flags[] = {
    {'o', "output", "DIR", NULL, AT(out), "folder for NAME.cu and NAME.json (default: out)"},
    {0, "jit", NULL, NULL, AT(jit), "compile with NVRTC; report registers and occupancy"},
    {0, "run", NULL, NULL, AT(run), "compile, launch, check, measure"},
    {0, "device", "WHERE", devices, AT(device), "auto, cuda or emulator (default: auto)"},
    {0, "explain", NULL, NULL, AT(explain), "show the banks, the layout and the reasons"},
    {0, "json", NULL, NULL, AT(json), "results as JSON on stdout"},
    {0, "csv", NULL, NULL, AT(csv), "results as CSV on stdout"},
    {0, "dry-run", NULL, NULL, AT(dry_run), "write no files"},
    {0, "arch", "SM", NULL, AT(arch), "architecture, e.g. sm_90, instead of the spec's"},
    {0, "layout", "KIND", layouts, AT(layout), "auto, none, pad or xor, instead of the spec's"},
    {0, "sweep", "NAME=V,..", NULL, AT(sweep),
     "try each pad (pad=0..8) or value of a param; may be repeated"},
    {0, "templates", "DIR", NULL, AT(templates), "folder of the families"},
    {0, "seed", "N", NULL, AT(seed), "seed of the random inputs (default: 1)"},
    {0, "no-cache", NULL, NULL, AT(no_cache), "compile even what has been compiled before"},
    {'q', "quiet", NULL, NULL, AT(quiet), "no table, no progress"},
    {'v', "verbose", NULL, NULL, AT(verbose), "the compiler's log, and what is being done"},
    {0, "color", "WHEN", colors, AT(color), "auto, always or never (default: auto)"},
    {'h', "help", NULL, NULL, AT(help), "this text"},
    {0, "version", NULL, NULL, AT(version), "the version"},
    {0, "pads", NULL, NULL, AT(pads),
     "the pads that column reads need, and well-known ones judged"},
    {0, "lint", "FILE", NULL, AT(lint), "judge the kernels of a .cu or .ptx file on the emulator"},
    {0, "kernel", "NAME", NULL, AT(kernel),
     "which one, e.g. 'scale<float, 4>' (default: list them)"},
    {0, "grid", "X,Y,Z", NULL, AT(grid), "blocks"},
    {0, "block", "X,Y,Z", NULL, AT(block), "threads of a block"},
    {0, "smem", "BYTES", NULL, AT(smem), "dynamic shared memory (default: 0)"},
    {0, "max-conflicts", "N", NULL, AT(max_conflicts),
     "exit 1 above N (default: only report them)"},
    {0, "max-steps", "N", NULL, AT(max_steps), "instructions of one warp (default: 2^24)"},
    {0, "arg", "ARG", NULL, AT(arg), "the next argument: buf:BYTES (random), buf:BYTES:zero,"},
    {0, "include", "DIR", NULL, AT(include), "folder of headers; may be repeated"},
    {0, "define", "NAME[=V]", NULL, AT(define), "macro; may be repeated"},
};
enum { FLAGS = sizeof flags / sizeof *flags };

/* --- looking up --- */

static const Flag *find_letter(char letter) {
  for (int i = 0; i < FLAGS; i++)
    if (flags[i].letter == letter) return &flags[i];
  return NULL;
}

static const Flag *find_name(const char *name, size_t n) {
  for (int i = 0; i < FLAGS; i++)
    if (strlen(flags[i].name) == n && memcmp(flags[i].name, name, n) == 0) return &flags[i];
  return NULL;
}

static void suggest(Text *why, const char *dashes, const char *word, const char *const *names,
                    int count) {
  const char *near = diag_nearest(word, names, count);
  if (near) text_printf(why, "; did you mean %s%s?", dashes, near);
  text_puts(why, "\n");
}

static void unknown_flag(Arena *a, Text *why, const char *arg, const char *name, size_t n) {
  const char *names[FLAGS];
  for (int i = 0; i < FLAGS; i++) names[i] = flags[i].name;
  text_printf(why, "kgen: unknown option %s", arg);
  suggest(why, "--", arena_strndup(a, name, n), names, FLAGS);
}

static bool is_choice(const Flag *f, const char *value, Text *why) {
  if (!f->choices) return true;
  int count = 0;
  for (; f->choices[count]; count++)
    if (strcmp(f->choices[count], value) == 0) return true;
  text_printf(why, "kgen: --%s %s: not one of", f->name, value);
  for (int i = 0; i < count; i++) text_printf(why, "%s %s", i ? "," : "", f->choices[i]);
  suggest(why, "", value, f->choices, count);
  return false;
}

/* Options keeps the fields of one kind together. */
static bool is_for_lint(const Flag *f) { return f->offset >= AT(kernel) && f->offset < AT(sweep); }
static bool is_list(const Flag *f) { return f->offset >= AT(arg); }

/* --- parsing --- */

typedef struct {
  Arena *arena;
  int argc, next;
  char **argv;
  Options *out;
  Text *why;
} Parser;

static void append(const Parser *p, char *field, const char *value) {
  OptionList list;
  memcpy(&list, field, sizeof list);
  if (!list.item) list.item = ARENA_ARRAY(p->arena, const char *, (size_t)p->argc);
  list.item[list.count++] = value;
  memcpy(field, &list, sizeof list);
}

static bool set(Parser *p, const Flag *f, const char *value) {
  char *field = (char *)p->out + f->offset;
  if (!f->value) {
    if (value) text_printf(p->why, "kgen: --%s takes no value\n", f->name);
    const bool on = true;
    memcpy(field, &on, sizeof on);
    return !value;
  }
  if (!value && p->next < p->argc) value = p->argv[p->next++];
  if (!value || !*value) {
    text_printf(p->why, "kgen: --%s needs a value: %s\n", f->name, f->value);
    return false;
  }
  if (is_list(f))
    append(p, field, value);
  else
    memcpy(field, &value, sizeof value);
  return is_choice(f, value, p->why);
}

/* --name, --name=value */
static bool parse_long(Parser *p, const char *arg) {
  const char *name = arg + 2, *equals = strchr(name, '=');
  const size_t n = equals ? (size_t)(equals - name) : strlen(name);
  const Flag *f = find_name(name, n);
  if (f) return set(p, f, equals ? equals + 1 : NULL);
  unknown_flag(p->arena, p->why, arg, name, n);
  return false;
}

/* -q, -qv, -o DIR, -oDIR */
static bool parse_short(Parser *p, const char *arg) {
  for (const char *c = arg + 1; *c; c++) {
    const Flag *f = find_letter(*c);
    if (!f) {
      unknown_flag(p->arena, p->why, arg, arg + 1, strlen(arg + 1));
      return false;
    }
    if (f->value) return set(p, f, c[1] ? c + 1 : NULL);
    set(p, f, NULL);
  }
  return true;
}

static bool parse_arg(Parser *p, const char *arg) {
  if (arg[0] == '-' && arg[1] == '-') return parse_long(p, arg);
  if (arg[0] == '-' && arg[1]) return parse_short(p, arg);
  p->out->spec[p->out->specs++] = arg;
  return true;
}

/* --- what the flags say together --- */

static bool arch_is_known(const Options *o, Text *why) {
  if (!o->arch || arch_find(o->arch)) return true;
  const char *names[64];
  int count = 0;
  for (; count < arch_count && count < 64; count++) names[count] = arch_table[count].name;
  text_printf(why, "kgen: --arch %s is unknown", o->arch);
  suggest(why, "", o->arch, names, count);
  return false;
}

static bool seed_is_number(const Options *o, Text *why) {
  char *end;
  errno = 0;
  strtoull(o->seed, &end, 0);
  if (!*end && errno == 0 && o->seed[0] != '-') return true;
  text_printf(why, "kgen: --seed %s is not a number from 0 to 2^64 - 1\n", o->seed);
  return false;
}

static bool is_given(const Options *o, const Flag *f) {
  const char *field = (const char *)o + f->offset, *text;
  OptionList list;
  memcpy(&text, field, sizeof text);
  if (is_list(f)) memcpy(&list, field, sizeof list);
  return is_list(f) ? list.count > 0 : text != NULL;
}

/* --lint is a command of its own. */
static bool lint_fits(const Options *o, Text *why) {
  const size_t before = why->len;
  for (int i = 0; !o->lint && i < FLAGS; i++)
    if (is_for_lint(&flags[i]) && is_given(o, &flags[i]))
      text_printf(why, "kgen: --%s goes with --lint FILE\n", flags[i].name);
  if (o->lint && (o->specs || o->jit || o->explain || o->csv))
    text_puts(why, "kgen: --lint takes no SPEC, no --jit, --run, --explain and --csv\n");
  return why->len == before;
}

static bool pads_fit(const Options *o, Text *why) {
  if (!o->pads || !(o->specs || o->jit || o->explain || o->lint || o->sweep.count)) return true;
  text_puts(why, "kgen: --pads takes no SPEC, no --jit, --run, --explain, --lint and --sweep\n");
  return false;
}

static bool sweep_fits(const Options *o, Text *why) {
  if (!o->sweep.count || !(o->explain || o->lint)) return true;
  text_puts(why, "kgen: --sweep goes with neither --explain nor --lint\n");
  return false;
}

static bool is_consistent(const Options *o, Text *why) {
  bool ok = arch_is_known(o, why);
  ok = seed_is_number(o, why) && ok;
  ok = lint_fits(o, why) && ok;
  ok = pads_fit(o, why) && ok;
  ok = sweep_fits(o, why) && ok;
  if (o->json && o->csv) {
    text_puts(why, "kgen: --json and --csv exclude each other\n");
    ok = false;
  }
  return ok;
}

bool options_parse(Arena *a, int argc, char **argv, Options *out, Text *why) {
  *out = (Options){.out = "out",
                   .device = "auto",
                   .color = "auto",
                   .seed = "1",
                   .spec = ARENA_ARRAY(a, const char *, (size_t)argc + 1)};
  Parser p = {.arena = a, .argc = argc, .next = 1, .argv = argv, .out = out, .why = why};
  bool ok = true, flags_end = false;
  while (p.next < argc) {
    const char *arg = argv[p.next++];
    if (flags_end)
      out->spec[out->specs++] = arg;
    else if (strcmp(arg, "--") == 0)
      flags_end = true;
    else
      ok = parse_arg(&p, arg) && ok;
  }
  out->jit = out->jit || out->run;
  out->dry_run = out->dry_run || out->sweep.count > 0;
  return ok && is_consistent(out, why);
}

void options_help(Text *out) {
  text_puts(out,
            "usage: kgen [SPEC.yaml | FOLDER]... [options]\n"
            "       kgen --lint FILE.cu --kernel NAME --grid X,Y,Z --block X,Y,Z [--arg ARG]... "
            "[options]\n"
            "       kgen SPEC.yaml --sweep pad=0..8 [--sweep PARAM=1,2,4]... [options]\n"
            "       kgen --pads [--json | --csv]\n\n"
            "From tile specs to conflict-free shared-memory layouts, proven minimal, and CUDA "
            "kernels.\nWithout a SPEC: every spec of specs/.\n\n");
  for (int i = 0; i < FLAGS; i++) {
    const Flag *f = &flags[i];
    text_printf(out, "  %c%c%s --%s%s%-*s %s\n", f->letter ? '-' : ' ', f->letter ? f->letter : ' ',
                f->letter ? "," : " ", f->name, f->value ? " " : "",
                18 - (int)strlen(f->name) - (f->value ? 1 : 0), f->value ? f->value : "", f->about);
    if (f->offset == AT(arg))
      text_printf(out, "%27sbuf:BYTES:FILE, i32:V, i64:V, f32:V, f64:V, {MEMBER,...}\n", "");
  }
  text_puts(
      out,
      "\nexit: 0 ok, 1 wrong result or a finding, 2 usage, 3 bad spec, 4 strict and no "
      "conflict-free "
      "layout,\n      5 NVRTC rejects the source, 6 CUDA fails at run time or NVRTC is not there, "
      "77 no GPU\n"
      "environment: KGEN_CACHE_DIR, KGEN_TEMPLATES, CUDA_HOME, CUDA_PATH, NO_COLOR\n");
}

uint64_t options_seed(const Options *o) { return strtoull(o->seed, NULL, 0); }

bool options_color(const Options *o, int fd) {
  if (strcmp(o->color, "auto") != 0) return strcmp(o->color, "always") == 0;
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  return isatty(fd) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}
