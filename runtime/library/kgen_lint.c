/* SPDX-License-Identifier: MIT */
/* kgen_lint.c: kgen_lint() of kgen.h, the only function of the library that needs the runtime; gen/
 * has the others. */
#include <string.h>

#include "command/option_table.h"
#include "kgen_handle.h"
#include "lint/input/file.h"
#include "lint/lint.h"
#include "lint/report/json.h"
#include "lint/report/text.h"

enum { CODE_FOUND = 1 }; /* codes above it come without a report */

/* --- the request --- */

static void take_words(Arena *a, OptionList *out, const KgenWords *words) {
  for (int i = 0; i < words->count; i++)
    option_list_add(a, out, arena_strndup(a, words->item[i], strlen(words->item[i])));
}

/* The grid or block as an option. In a lint.yaml each launch has its own, so only a given one is
 * passed on. */
static const char *extents_of(Arena *a, const uint32_t v[3], bool launches) {
  if (launches && !v[0] && !v[1] && !v[2]) return NULL;
  return arena_printf(a, "%u,%u,%u", v[0] ? v[0] : 1, v[1] ? v[1] : 1, v[2] ? v[2] : 1);
}

typedef const char *Choice(int i); /* NULL after the last */

/* The index of the word among the choices; -1 with an error. */
static int choose(Arena *a, Diag *d, const char *what, const char *word, Choice *choice) {
  int count = 0;
  for (; choice(count); count++)
    if (strcmp(choice(count), word) == 0) return count;
  const char **names = ARENA_ARRAY(a, const char *, (size_t)count + 1);
  Text list = text_new(a);
  for (int i = 0; i < count; i++) {
    names[i] = choice(i);
    text_printf(&list, "%s%s", i ? ", " : "", names[i]);
  }
  diag_say(d, DIAG_ARGUMENT, "%s is '%s', but must be one of %s", what, word, list.s);
  const char *near = diag_nearest(word, names, count);
  if (near) diag_hint(d, "did you mean '%s'?", near);
  return -1;
}

static bool take_options(Arena *a, Diag *d, const KgenLint *q, bool launches, Options *o) {
  *o = options_default();
  o->command = COMMAND_LINT;
  o->quiet = true;
  o->no_cache = true;
  o->seed = q->seed ? q->seed : 1;
  o->lint.file = arena_strndup(a, q->file, strlen(q->file));
  o->lint.kernel = q->kernel;
  o->lint.text = q->text ? arena_strndup(a, q->text, strlen(q->text)) : NULL;
  o->lint.grid = extents_of(a, q->grid, launches);
  o->lint.block = extents_of(a, q->block, launches);
  o->lint.smem = q->smem;
  o->lint.max_steps = q->max_steps;
  if (q->time_limit > 0) o->lint.time_limit = q->time_limit;
  take_words(a, &o->lint.arg, &q->arg);
  take_words(a, &o->lint.variable, &q->variable);
  take_words(a, &o->lint.include, &q->include);
  take_words(a, &o->lint.define, &q->define);
  take_words(a, &o->lint.flag, &q->flag);
  const int arch = q->arch ? choose(a, d, "arch", q->arch, arch_choice) : -1;
  const int std = q->std ? choose(a, d, "std", q->std, option_std) : -1;
  if (arch >= 0) o->arch = &arch_table[arch];
  if (std >= 0) o->lint.std = option_std(std);
  if (q->smem > INT32_MAX)
    diag_say(d, DIAG_ARGUMENT, "smem is %u, but must be at most %d", q->smem, INT32_MAX);
  if (q->max_steps > INT64_MAX)
    diag_say(d, DIAG_ARGUMENT, "max_steps must be at most %lld", (long long)INT64_MAX);
  return diag_count(d) == 0;
}

/* --- the result --- */

typedef struct {
  Kgen *k;
  const LintLaunch *launch; /* a launch of a file; NULL: the options' launch */
  const KgenLintReport *first;
  const KgenLintReport **last; /* receives the next report */
} Taker;

static const char *kept(const Taker *t, const char *s) {
  return s ? arena_strndup(t->k->arena, s, strlen(s)) : NULL;
}

static const char *file_of(const Taker *t, const LintReport *r, LintLocation at) {
  return kept(t, at.file ? at.file : r->source->path);
}

static const KgenSharedLine *shared_of(const Taker *t, const LintReport *r) {
  KgenSharedLine *line = ARENA_ARRAY(t->k->arena, KgenSharedLine, (size_t)r->shared_count + 1);
  for (int i = 0; i < r->shared_count; i++) {
    const LintShared *s = &r->shared[i];
    line[i] = (KgenSharedLine){.file = file_of(t, r, s->at),
                               .line = s->at.line,
                               .op = op_name[s->op],
                               .bytes_per_lane = s->bytes,
                               .instructions = (int64_t)s->instructions,
                               .wavefronts = (int64_t)s->wavefronts,
                               .ideal = (int64_t)s->ideal,
                               .fix = s->fix ? kept(t, s->fix->fix) : NULL};
  }
  return line;
}

static const KgenGlobalLine *global_of(const Taker *t, const LintReport *r) {
  KgenGlobalLine *line = ARENA_ARRAY(t->k->arena, KgenGlobalLine, (size_t)r->global_count + 1);
  for (int i = 0; i < r->global_count; i++) {
    const LintGlobal *g = &r->global[i];
    line[i] = (KgenGlobalLine){.file = file_of(t, r, g->at),
                               .line = g->at.line,
                               .op = op_name[g->op],
                               .bytes_per_lane = g->bytes,
                               .requests = (int64_t)g->requests,
                               .sectors = (int64_t)g->sectors,
                               .ideal_sectors = (int64_t)g->ideal,
                               .used_share = lint_report_used_share(g)};
  }
  return line;
}

static const KgenFinding *findings_of(const Taker *t, const LintReport *r, const LintFinding *all,
                                      int count) {
  KgenFinding *finding = ARENA_ARRAY(t->k->arena, KgenFinding, (size_t)count + 1);
  for (int i = 0; i < count; i++) {
    const LintFinding *f = &all[i];
    finding[i] = (KgenFinding){.kind = emu_finding_kind_name[f->kind],
                               .file = file_of(t, r, f->at),
                               .line = f->at.line,
                               .message = kept(t, f->message),
                               .count = (int64_t)f->count};
    memcpy(finding[i].thread, f->thread, sizeof finding[i].thread);
    memcpy(finding[i].block, f->block, sizeof finding[i].block);
  }
  return finding;
}

static const char *print_with(const Taker *t, const LintReport *r, bool json) {
  Text text = text_new(t->k->arena);
  if (json)
    lint_json_put(&text, r);
  else
    lint_text_put(&text, r, false);
  return text.s;
}

static void take(void *context, const LintReport *r) {
  Taker *t = context;
  KgenLintReport *out = ARENA_NEW(t->k->arena, KgenLintReport);
  *out = (KgenLintReport){
      .kernel = kept(t, r->kernel),
      .conflicts = (int64_t)r->conflicts,
      .blocks = (int64_t)r->blocks,
      .shared_lines = r->shared_count,
      .global_lines = r->global_count,
      .findings = r->finding_count,
      .notes = r->note_count,
      .shared_line = shared_of(t, r),
      .global_line = global_of(t, r),
      .finding = findings_of(t, r, r->finding, r->finding_count),
      .note = findings_of(t, r, r->note, r->note_count),
      .printed = arena_strndup(t->k->arena, r->printed ? r->printed : "", r->printed_bytes),
      .text = print_with(t, r, false),
      .json = print_with(t, r, true),
      .name = t->launch ? kept(t, t->launch->name) : NULL};
  *t->last = out;
  t->last = &out->next;
}

static bool judge_launch(Taker *t, const Options *o, const LintLaunch *launch) {
  Diag *d = diag_new(t->k->arena);
  t->launch = launch;
  const int code = lint_judge(t->k->arena, o, launch, take, t, d);
  if (code <= CODE_FOUND) return true;
  handle_take_written(t->k, code == EXIT_USAGE ? KGEN_BAD_ARGUMENT : KGEN_REJECTED, d);
  return false;
}

/* Checks all launches, so that all errors are reported. */
static bool judge_file(Taker *t, const Options *o, const char *path) {
  LintFile file;
  Diag *d = diag_new(t->k->arena);
  if (!lint_file_read(t->k->arena, d, path, o, &file)) {
    handle_take(t->k, KGEN_BAD_ARGUMENT, d);
    return false;
  }
  bool all = true;
  for (int i = 0; i < file.launches; i++)
    all = judge_launch(t, &file.launch[i].options, &file.launch[i].launch) && all;
  return all;
}

static bool judge(Taker *t, const KgenLint *lint) {
  Kgen *k = t->k;
  Options o;
  Diag *d = diag_new(k->arena);
  const char *path = lint->text ? NULL : lint_file_path(k->arena, lint->file);
  if (!take_options(k->arena, d, lint, path != NULL, &o)) {
    handle_take_written(k, KGEN_BAD_ARGUMENT, d);
    return false;
  }
  return path ? judge_file(t, &o, path) : judge_launch(t, &o, NULL);
}

const KgenLintReport *kgen_lint(Kgen *k, const KgenLint *lint) {
  Taker taker = {.k = k, .last = &taker.first};
  if (!lint || !lint->file) {
    handle_refuse(k, KGEN_BAD_ARGUMENT, "file is not given: a text needs a name, too");
    return NULL;
  }
  const locale_t before = handle_enter(k);
  const bool judged = judge(&taker, lint);
  handle_leave(before);
  return judged ? taker.first : NULL;
}
