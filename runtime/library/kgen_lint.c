/* kgen_lint.c: kgen_lint of kgen.h. The library's one function that needs the runtime: gen, where
 * the rest of kgen.h is, knows nothing of kernels. */
#include <stdlib.h>
#include <string.h>

#include "base/span.h"
#include "base/word_list.h"
#include "command/option_parse.h"
#include "kgen_handle.h"
#include "lint/input/file.h"
#include "lint/lint.h"
#include "lint/report/json.h"
#include "lint/report/text.h"

enum { CODE_FOUND = 1 }; /* above it there is no report */

/* --- what is asked for, as a command line: one reader knows defaults, ranges and mistakes --- */

static void add(WordList *l, const char *option, const char *value) {
  if (value) word_list_printf(l, "%s%s", option, value);
}

static void add_number(WordList *l, const char *option, uint64_t value) {
  if (value) add(l, option, arena_printf(l->arena, "%llu", (unsigned long long)value));
}

static void add_words(WordList *l, const char *option, const KgenWords *words) {
  for (int i = 0; i < words->count; i++) add(l, option, words->item[i]);
}

/* launches: a file says them, so that only what was given is passed on, to be refused. */
static void add_extents(WordList *l, const char *option, const uint32_t v[3], bool launches) {
  if (launches && !v[0] && !v[1] && !v[2]) return;
  add(l, option,
      arena_printf(l->arena, "%u,%u,%u", v[0] ? v[0] : 1, v[1] ? v[1] : 1, v[2] ? v[2] : 1));
}

static WordList line_of(Arena *a, const KgenLint *q, bool launches) {
  WordList l = {.arena = a};
  add(&l, "kgen", "");
  add(&l, "--lint=", q->file);
  add(&l, "--kernel=", q->kernel);
  add_extents(&l, "--grid=", q->grid, launches);
  add_extents(&l, "--block=", q->block, launches);
  add_number(&l, "--smem=", q->smem);
  add_words(&l, "--arg=", &q->arg);
  add_words(&l, "--variable=", &q->variable);
  add_words(&l, "--include=", &q->include);
  add_words(&l, "--define=", &q->define);
  add_words(&l, "--flag=", &q->flag);
  add(&l, "--std=", q->std);
  add(&l, "--arch=", q->arch);
  add_number(&l, "--seed=", q->seed);
  add_number(&l, "--max-steps=", q->max_steps);
  add_number(&l, "--time-limit=", q->time_limit > 0 ? (uint64_t)q->time_limit : 0);
  return l;
}

/* --- what went wrong: compilers' logs and kgen's messages, a line each --- */

/* The number that ends at *end, which moves to its first digit; false if there is none. */
static bool read_number(const char *s, const char **end, int *out) {
  const char *at = *end;
  while (at > s && at[-1] >= '0' && at[-1] <= '9') at--;
  if (at == *end) return false;
  *out = atoi(at);
  *end = at;
  return true;
}

/* FILE:LINE: error: TEXT of kgen and of gcc, FILE(LINE): error: TEXT of NVIDIA's compilers. */
static bool read_placed(Arena *a, Span p, KgenError *e) {
  const char *s = arena_strndup(a, p.s, p.len), *mark = strstr(s, "error: "), *end = mark;
  while (end && end > s && end[-1] != ':') end--; /* before "catastrophic " */
  if (!mark || end - s < 4) return false;
  end -= end[-2] == ')' ? 2 : 1;
  if (!read_number(s, &end, &e->line) || end - s < 2 || !strchr(":(", end[-1])) return false;
  e->file = arena_strndup(a, s, (size_t)(end - 1 - s));
  e->message = mark + strlen("error: ");
  return true;
}

/* A line of kgen's own, a hint to the one before, or more of it. */
static void read_other(Kgen *k, Span p, KgenErrorKind kind) {
  static const char ours[] = "kgen: ", hint[] = "kgen: hint: ";
  KgenError *last = k->errors ? &k->error[k->errors - 1] : NULL;
  if (p.len > strlen(hint) && strncmp(p.s, hint, strlen(hint)) == 0) {
    if (last) last->hint = arena_strndup(k->arena, p.s + strlen(hint), p.len - strlen(hint));
  } else if (p.len > strlen(ours) && strncmp(p.s, ours, strlen(ours)) == 0) {
    const char *text = arena_strndup(k->arena, p.s + strlen(ours), p.len - strlen(ours));
    handle_error(k, &(KgenError){.kind = kind, .message = text});
  } else if (last && !last->file && p.len > 2 && strncmp(p.s, "  ", 2) == 0) {
    const char *more = arena_strndup(k->arena, p.s, p.len);
    last->hint = last->hint ? arena_printf(k->arena, "%s\n%s", last->hint, more) : more;
  }
}

static void take_messages(Kgen *k, const char *messages, KgenErrorKind kind) {
  const int before = k->errors;
  text_puts(&k->text, messages);
  for (const char *at = messages; *at;) {
    const Span p = span_line(&at);
    KgenError e = {.kind = kind};
    if (read_placed(k->arena, p, &e))
      handle_error(k, &e);
    else
      read_other(k, p, kind);
  }
  if (k->errors == before) handle_error(k, &(KgenError){.kind = kind, .message = messages});
}

/* --- what was found --- */

typedef struct {
  Kgen *k;
  const LintLaunch *launch; /* of a file; NULL: that of the options */
  const KgenLintReport *first;
  const KgenLintReport **last; /* where the next report is linked */
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
  Text messages = text_new(t->k->arena);
  t->launch = launch;
  const int code = lint_judge(t->k->arena, o, launch, take, t, &messages);
  if (code <= CODE_FOUND) return true;
  take_messages(t->k, messages.s, code == EXIT_USAGE ? KGEN_BAD_ARGUMENT : KGEN_REJECTED);
  return false;
}

/* All are judged, so that all errors are reported. */
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
  Text messages = text_new(k->arena);
  const char *path = lint->text ? NULL : lint_file_path(k->arena, lint->file);
  const WordList line = line_of(k->arena, lint, path != NULL);
  if (!options_parse(k->arena, line.count, word_list_argv(&line), &o, &messages)) {
    take_messages(k, messages.s, KGEN_BAD_ARGUMENT);
    return false;
  }
  o.quiet = true;
  o.lint.text = lint->text ? arena_strndup(k->arena, lint->text, strlen(lint->text)) : NULL;
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
