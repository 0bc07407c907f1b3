/* SPDX-License-Identifier: MIT */
#include "lint/same.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lint/input/file.h"
#include "lint/input/name.h"
#include "lint/lint.h"
#include "lint/report/json.h"
#include "lint/report/same.h"

/* A buffer or a variable, with its contents before and after the launch. */
typedef struct {
  const char *name;
  const Dtype *dtype; /* NULL: unknown */
  uint64_t bytes;
  const char *before, *after;
} Held;

/* One launch of one side. */
typedef struct {
  Arena *arena;
  SameSide *out;
  int buffers, variables;
  Held *buffer, *variable;
} Side;

/* FILE or FILE:NAME, and its launches. */
typedef struct {
  const char *path, *name; /* name: a kernel, or a launch of a file; or NULL */
  const char *file;        /* its lint.yaml; NULL: a source */
  int launches;
  LintFileLaunch *launch; /* for a source on the command line: the one launch of the options */
  bool from_options;
} Given;

typedef struct {
  Arena *arena;
  const Options *options;
  Text *messages;
  Diag *diag; /* printed after the messages */
  Given given[SAME_SIDES];
} Same;

/* --- which launches --- */

static Given given_of(Arena *a, const char *text) {
  Given g = {0};
  g.path = options_split(a, text, &g.name);
  g.file = lint_file_path(a, g.path);
  return g;
}

static int read_file(Same *s, Given *g) {
  Diag *d = diag_new(s->arena);
  LintFile file;
  Options o = *s->options;
  if (g->name) o.lint.kernel = g->name;
  const bool ok = lint_file_read(s->arena, d, g->file, &o, &file);
  diag_print(d, s->messages, options_color(s->options, STDERR_FILENO));
  g->launches = file.launches;
  g->launch = file.launch;
  for (int i = 0; i < g->launches; i++) g->launch[i].launch.chain = NULL;
  return ok ? 0 : EXIT_BAD_INPUT;
}

static void take_options(Same *s, Given *g) {
  g->from_options = true;
  g->launches = 1;
  g->launch = ARENA_NEW(s->arena, LintFileLaunch);
  g->launch->options = *s->options;
  g->launch->options.lint.file = g->path;
  if (g->name) g->launch->options.lint.kernel = g->name;
}

/* A source that is compared with a lint.yaml gets that file's launches. */
static void take_other(Same *s, Given *g, const Given *other) {
  g->launches = other->launches;
  g->launch = ARENA_ARRAY(s->arena, LintFileLaunch, (size_t)other->launches + 1);
  for (int i = 0; i < other->launches; i++) {
    g->launch[i] = other->launch[i];
    g->launch[i].options.lint.file = g->path;
    if (g->name) g->launch[i].options.lint.kernel = g->name;
  }
}

static int read_given(Same *s) {
  const char *const text[SAME_SIDES] = {s->options->same, s->options->spec.item[0]};
  for (int i = 0; i < SAME_SIDES; i++) {
    Given *g = &s->given[i];
    *g = given_of(s->arena, text[i]);
    const int code = g->file ? read_file(s, g) : 0;
    if (code) return code;
  }
  for (int i = 0; i < SAME_SIDES; i++) {
    Given *g = &s->given[i], *other = &s->given[!i];
    if (!g->file && other->file)
      take_other(s, g, other);
    else if (!g->file)
      take_options(s, g);
  }
  const Given *g = s->given;
  if (g[0].launches == g[1].launches) return 0;
  diag_say(s->diag, DIAG_ARGUMENT, "%s has %d launches, %s %d: choose by name, FILE:NAME",
           g[0].path, g[0].launches, g[1].path, g[1].launches);
  return EXIT_USAGE;
}

/* --- one launch --- */

static const char *held(const Side *s, const EmuMemory *memory, uint64_t address, uint64_t bytes) {
  char *copy = arena_alloc(s->arena, bytes + 1);
  if (!emu_copy_out(memory, copy, address, bytes)) die("memory that is gone");
  return copy;
}

static const char *name_of(const Side *s, const LintBuffer *b) {
  if (b->value->name) return b->value->name;
  return b->argument ? arena_printf(s->arena, "argument %d", b->argument) : "a member's buffer";
}

static void look_at_buffers(Side *s, const LintMemory *m, bool after) {
  const LintBoundArguments *placed = m->placed;
  if (!after) s->buffer = ARENA_ARRAY(s->arena, Held, (size_t)placed->buffers + 1);
  s->buffers = placed->buffers;
  for (int i = 0; i < s->buffers; i++) {
    const LintBuffer *b = &placed->buffer[i];
    Held *h = &s->buffer[i];
    const char *bytes = held(s, m->memory, b->address, b->value->value);
    if (after)
      h->after = bytes;
    else
      *h = (Held){name_of(s, b), b->value->fill.dtype, b->value->value, bytes, NULL};
  }
}

/* Copies the name, because it must outlive the module. */
static const char *variable_name(Arena *a, const char *mangled) {
  return arena_printf(a, "%s", lint_name_variable(a, mangled));
}

static void look_at_variables(Side *s, const LintMemory *m, bool after) {
  const EmuVariable *all = emu_variables(m->module, &s->variables);
  if (!after) s->variable = ARENA_ARRAY(s->arena, Held, (size_t)s->variables + 1);
  for (int i = 0; i < s->variables; i++) {
    EmuVariable v;
    uint64_t address = 0;
    Held *h = &s->variable[i];
    if (!emu_variable(m->module, all[i].name, &v, &address)) die("a variable that is gone");
    const char *bytes = held(s, m->memory, address, v.bytes);
    if (after)
      h->after = bytes;
    else
      *h = (Held){variable_name(s->arena, all[i].name), NULL, v.bytes, bytes, NULL};
  }
}

static void look(void *context, const LintMemory *m, bool after) {
  look_at_buffers(context, m, after);
  look_at_variables(context, m, after);
}

static void take(void *context, const LintReport *r) {
  const Side *s = context;
  SameCounts *c = &s->out->counts;
  *c = (SameCounts){.conflicts = r->conflicts,
                    .bulk_wavefronts = r->bulk_wavefronts,
                    .warp_instructions = r->warp_instructions,
                    .shared_bytes = r->shared_bytes,
                    .findings = (uint64_t)r->finding_count};
  for (int i = 0; i < r->shared_count; i++) c->wavefronts += r->shared[i].wavefronts;
  for (int i = 0; i < r->global_count; i++) {
    c->sectors += r->global[i].sectors;
    c->ideal_sectors += r->global[i].ideal;
    if (r->global[i].op != OP_LOAD) c->stored += r->global[i].sectors;
  }
  s->out->file = arena_printf(s->arena, "%s", r->source->path);
  s->out->kernel = arena_printf(s->arena, "%s", r->kernel);
  if (!r->finding_count) return;
  const LintFinding *f = &r->finding[0];
  s->out->finding = arena_printf(s->arena, "%s, line %d: %s", emu_finding_kind_name[f->kind],
                                 f->at.line, f->message);
}

static int run(const Same *s, int which, int launch, Side *side) {
  const Given *g = &s->given[which];
  const LintFileLaunch *l = &g->launch[launch];
  const LintListener listener = {.take = take, .look = look, .context = side};
  Diag *diag = diag_new(s->arena);
  const int code =
      lint_judge_with(s->arena, &l->options, g->from_options ? NULL : &l->launch, &listener, diag);
  diag_write(diag, s->messages);
  return code > EXIT_WRONG ? code : 0;
}

/* --- the comparison --- */

static bool is_written(const Held *h) { return memcmp(h->before, h->after, h->bytes) != 0; }

static bool compare_held(const Same *s, const Held *a, const Held *b, SamePair *out) {
  const Dtype *dtype = a->dtype ? a->dtype : b->dtype;
  const double tolerance = s->options->tolerance > 0 ? s->options->tolerance : 0;
  if (memcmp(a->before, b->before, a->bytes) != 0) out->input[out->inputs++] = a->name;
  if (!is_written(a) && !is_written(b)) return true;
  LintOutput *o = &out->output[out->outputs++];
  *o = lint_output_compare(s->arena, dtype, tolerance, a->after, b->after, a->bytes);
  o->name = a->name;
  if (dtype || !o->different || tolerance <= 0) return true;
  diag_say(s->diag, DIAG_ARGUMENT, "%s: --tolerance needs its type: buf:COUNTxf32, or 'dtype'",
           a->name);
  return false;
}

static bool can_compare(const Same *s, const Side side[SAME_SIDES]) {
  bool ok = side[0].buffers == side[1].buffers;
  for (int i = 0; ok && i < side[0].buffers; i++)
    ok = side[0].buffer[i].bytes == side[1].buffer[i].bytes;
  if (!ok)
    diag_say(s->diag, DIAG_ARGUMENT,
             "A and B must have buffers of the same number and sizes: A has %d, B %d",
             side[0].buffers, side[1].buffers);
  return ok;
}

static const Held *variable_of(const Side *s, const Held *like) {
  for (int i = 0; i < s->variables; i++)
    if (strcmp(s->variable[i].name, like->name) == 0 && s->variable[i].bytes == like->bytes)
      return &s->variable[i];
  return NULL;
}

/* Variables of only one side are not compared. */
static bool compare(const Same *s, const Side side[SAME_SIDES], SamePair *out) {
  const size_t most = (size_t)(side[0].buffers + side[0].variables) + 1;
  out->input = ARENA_ARRAY(s->arena, const char *, most);
  out->output = ARENA_ARRAY(s->arena, LintOutput, most);
  if (!can_compare(s, side)) return false;
  bool ok = true;
  for (int i = 0; i < side[0].buffers; i++)
    ok = compare_held(s, &side[0].buffer[i], &side[1].buffer[i], out) && ok;
  for (int i = 0; i < side[0].variables; i++) {
    const Held *a = &side[0].variable[i], *b = variable_of(&side[1], a);
    if (b) ok = compare_held(s, a, b, out) && ok;
  }
  const uint64_t stored = out->side[0].counts.stored;
  out->idle = !out->outputs && stored && stored == out->side[1].counts.stored;
  out->equal = (out->outputs > 0 || out->idle) && !out->inputs;
  for (int i = 0; i < out->outputs; i++) out->equal = out->equal && !out->output[i].different;
  return ok;
}

static int judge_pair(const Same *s, int launch, SamePair *out) {
  Side side[SAME_SIDES] = {{0}};
  out->name = s->given[0].launch[launch].launch.name;
  for (int i = 0; i < SAME_SIDES; i++) {
    side[i] = (Side){.arena = s->arena, .out = &out->side[i]};
    const int code = run(s, i, launch, &side[i]);
    if (code) return code;
  }
  if (!compare(s, side, out)) return EXIT_USAGE;
  const bool clean = !out->side[0].counts.findings && !out->side[1].counts.findings;
  return out->equal && clean ? 0 : EXIT_WRONG;
}

static int judge_all(Same *s, Text *data) {
  const Options *o = s->options;
  if (o->spec.count != 1) {
    diag_say(s->diag, DIAG_ARGUMENT,
             "two kernels are needed: kgen same A.cu B.cu, each with or without :KERNEL");
    return EXIT_USAGE;
  }
  int worst = read_given(s);
  if (worst) return worst;
  const int pairs = s->given[0].launches;
  SamePair *pair = ARENA_ARRAY(s->arena, SamePair, (size_t)pairs + 1);
  for (int i = 0; i < pairs; i++) {
    const int code = judge_pair(s, i, &pair[i]);
    if (code > EXIT_WRONG) return code;
    if (code > worst) worst = code;
  }
  if (o->format == FORMAT_JSON)
    lint_same_json(data, pair, pairs);
  else if (!o->quiet)
    lint_same_text(data, pair, pairs);
  return worst;
}

/* If there is no comparison, JSON contains the reason. */
int lint_same_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag) {
  Same s = {.arena = a, .options = o, .messages = messages, .diag = diag};
  const int code = judge_all(&s, data);
  Text why = text_new(a);
  text_puts(&why, messages->s);
  diag_write(diag, &why);
  if (code > EXIT_WRONG && o->format == FORMAT_JSON)
    lint_json_refusal(data, "same", o->same, o->lint.kernel, code, why.s);
  return code;
}
