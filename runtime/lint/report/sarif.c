/* SPDX-License-Identifier: MIT */
#include "lint/report/sarif.h"

#include <inttypes.h>
#include <string.h>

/* --- rules: for costs, then one per kind of finding --- */

enum {
  CONFLICT,
  UNCOALESCED,
  CONTENTION,
  SOURCE,
  FAULTS,
  HOST = FAULTS + EMU_FINDING_KINDS,
  RULES = HOST + LINT_HOST_KINDS,
  LINE = 200
};

static const char *const about_fault[] = {
    [EMU_OUT_OF_BOUNDS] = "An access lies outside of every array or buffer.",
    [EMU_MISALIGNED] = "An address is not a multiple of what the access moves.",
    [EMU_UNINITIALISED] = "Shared, local or device memory that nothing wrote decides something.",
    [EMU_RACE] = "Two threads use one place without an order, and one of them writes.",
    [EMU_BARRIER] = "Threads do not come to a barrier that others wait at.",
    [EMU_MAX_STEPS] = "A warp executes more instructions than --max-steps allows.",
    [EMU_TRAP] = "The kernel executes a trap.",
    [EMU_ASSERT] = "An assertion of the kernel fails.",
    [EMU_STACK] = "Calls are nested too deep, or local memory is exhausted.",
    [EMU_EXITED] = "Shared memory of a block of the cluster is used that has ended, or may have.",
    [EMU_TRANSACTION] = "The bytes that arrive at an mbarrier are not those that it expects.",
    [EMU_SCHEDULE] = "The output depends on the order in which warps and blocks run.",
    [EMU_HARDWARE] = "An H200 does something else there than PTX says.",
    [EMU_PROXY] = "TMA or wgmma reads what ordinary instructions wrote, without a proxy fence.",
    [EMU_PROXY_WRITE] = "TMA writes what ordinary instructions used, without a proxy fence.",
    [EMU_PROXY_INIT] = "TMA signals an mbarrier whose init no fence makes visible to it.",
    [EMU_TENSOR_MAP] = "A tensor map lacks its fence, or is written while a copy uses it.",
    [EMU_IN_FLIGHT] = "Registers or shared memory are touched that a wgmma still uses.",
    [EMU_TMEM_READ] = "Tensor memory is read that a tcgen05 instruction still writes.",
    [EMU_TMEM_WRITE] = "Tensor memory is written that a tcgen05 instruction still uses.",
    [EMU_TMEM_FENCE] = "tcgen05 instructions of two threads lack a tcgen05.fence.",
    [EMU_TMEM_BOUNDS] = "Tensor memory is used that is not allocated, or by the wrong warp.",
    [EMU_TMEM_ALLOC] = "Tensor memory is not freed, freed twice or in use, or badly allocated.",
    [EMU_COMMIT] = "A tcgen05.commit is by a thread that has issued nothing.",
    [EMU_DESCRIPTOR] = "Fields of a shared-memory descriptor of tcgen05 contradict one another.",
    [EMU_INSTRUCTION] = "An instruction descriptor contradicts its tcgen05.mma.",
    [EMU_WARPGROUP] = "A wgmma lacks its wgmma.fence, or a warpgroup does not do as one.",
};
_Static_assert(sizeof about_fault / sizeof *about_fault == EMU_FINDING_KINDS,
               "a kind of finding without a sentence about it");

static const SarifRule *rules(Arena *a) {
  SarifRule *rule = ARENA_ARRAY(a, SarifRule, RULES);
  rule[CONFLICT] = (SarifRule){
      "bank-conflict",
      "Lanes of one instruction need different words of one bank of shared memory.", "warning"};
  rule[UNCOALESCED] = (SarifRule){
      "uncoalesced", "A request to global memory takes at least twice the sectors that would do.",
      "note"};
  rule[CONTENTION] = (SarifRule){
      "contention", "Atomics of many lanes update one word, one after another.", "note"};
  rule[SOURCE] = (SarifRule){
      "copy-source", "A cp.async takes more wavefronts than its bytes need, for where it reads.",
      "note"};
  for (int k = 0; k < EMU_FINDING_KINDS; k++)
    rule[FAULTS + k] = (SarifRule){emu_finding_kind_name[k], about_fault[k], "error"};
  for (int k = 0; k < LINT_HOST_KINDS; k++)
    rule[HOST + k] = (SarifRule){lint_host_name[k], lint_host_about[k], "error"};
  return rule;
}

/* --- results --- */

typedef struct {
  Sarif *out;
  const LintReport *report;
} Writer;

static const char *file_of(const Writer *w, LintLocation at) {
  return at.file ? at.file : w->report->source->path;
}

/* The location, copied: the log is written when the module, which owns the names of inlined code,
 * is gone. */
static SarifPlace place_of(const Writer *w, LintLocation at, const char *role) {
  const char *file = file_of(w, at);
  return (SarifPlace){
      .file = arena_strndup(w->out->arena, file, strlen(file)), .line = at.line, .role = role};
}

static void relate(const Writer *w, SarifResult *r, const char *role, const LintLocation *place,
                   int count) {
  SarifPlace *all = ARENA_ARRAY(w->out->arena, SarifPlace, (size_t)(r->related + count) + 1);
  if (r->related) memcpy(all, r->related_at, (size_t)r->related * sizeof *all);
  for (int i = 0; i < count; i++) all[r->related + i] = place_of(w, place[i], role);
  r->related += count;
  r->related_at = all;
}

static SarifResult result_of(const Writer *w, const char *rule, const char *message,
                             LintLocation at, const LintTrail *t) {
  SarifResult r = {.rule = rule,
                   .message = message,
                   .at = place_of(w, at, NULL),
                   .text = lint_source_line(w->report->source, at, LINE)};
  relate(w, &r, "its code", t->inner, t->inners);
  relate(w, &r, "called from here", t->caller, t->callers);
  relate(w, &r, "called from here", t->other, t->others);
  return r;
}

static void add(Writer *w, const char *rule, const char *message, LintLocation at,
                const LintTrail *t) {
  const SarifResult r = result_of(w, rule, message, at, t);
  sarif_add(w->out, &r);
}

static void add_conflict(Writer *w, const LintShared *s) {
  Text t = text_new(w->out->arena);
  if (s->wavefronts == s->ideal) return;
  text_printf(&t,
              "shared %s of %d bytes per lane: %" PRIu64 " wavefronts, ideal %" PRIu64
              "; bank %d serves %d lanes one after another",
              op_name[s->op], s->bytes, s->wavefronts, s->ideal, s->worst_bank, s->worst_lanes);
  const char *why = lint_report_why(w->out->arena, s);
  if (why) text_printf(&t, "; %s", why);
  if (s->fix && s->fix->fix) text_printf(&t, ". Fix: %s", s->fix->fix);
  add(w, "bank-conflict", t.s, s->at, &s->trail);
}

static void add_remedy(Writer *w, const LintShared *s) {
  const char *remedy = lint_report_remedy(w->out->arena, s);
  if (remedy) add(w, s->op == OP_ATOMIC ? "contention" : "copy-source", remedy, s->at, &s->trail);
}

static void add_waste(Writer *w, const LintGlobal *g) {
  if (!lint_report_is_wasteful(g)) return;
  const char *message =
      arena_printf(w->out->arena,
                   "global %s of %d bytes per lane: %" PRIu64 " sectors where %" PRIu64 " would do",
                   op_name[g->op], g->bytes, g->sectors, g->ideal);
  add(w, "uncoalesced", message, g->at, &g->trail);
}

static void relate_wheres(const Writer *w, SarifResult *r, const LintFinding *f) {
  for (int i = 0; i < f->wheres; i++) {
    const LintWhere *at = &f->where[i];
    relate(w, r, arena_strndup(w->out->arena, at->text, strlen(at->text)),
           at->at.line ? &at->at : &f->at, 1);
  }
}

/* level NULL: the level of the kind. */
static void add_finding(Writer *w, const LintFinding *f, const char *level) {
  const char *kind = emu_finding_kind_name[f->kind];
  const char *message = arena_printf(
      w->out->arena, "%s: %s; thread (%u, %u, %u) of block (%u, %u, %u), %" PRIu64 " in all", kind,
      f->message, f->thread[0], f->thread[1], f->thread[2], f->block[0], f->block[1], f->block[2],
      f->count);
  SarifResult r = result_of(w, kind, message, f->at, &f->trail);
  r.level = level;
  relate(w, &r, "the other side", f->other, f->others);
  relate(w, &r, "code of the other side", f->other_trail.inner, f->other_trail.inners);
  relate(w, &r, "call of the other side", f->other_trail.caller, f->other_trail.callers);
  relate_wheres(w, &r, f);
  sarif_add(w->out, &r);
}

Sarif lint_sarif_begin(Arena *a, const char *category) {
  return sarif_new(a, category, rules(a), RULES);
}

void lint_sarif_add(Sarif *out, const LintReport *r) {
  Writer w = {out, r};
  for (int i = 0; i < r->shared_count; i++) add_conflict(&w, &r->shared[i]);
  for (int i = 0; i < r->shared_count; i++) add_remedy(&w, &r->shared[i]);
  for (int i = 0; i < r->hot_count; i++)
    add(&w, "contention", lint_report_hot(out->arena, &r->hot[i]), r->hot[i].at, &(LintTrail){0});
  for (int i = 0; i < r->global_count; i++) add_waste(&w, &r->global[i]);
  for (int i = 0; i < r->finding_count; i++) add_finding(&w, &r->finding[i], NULL);
  for (int i = 0; i < r->note_count; i++) add_finding(&w, &r->note[i], "note");
}

/* The comparison's name for the rule's subject. */
static const char *counted_by(const SarifResult *r) {
  if (strcmp(r->rule, "bank-conflict") == 0) return "conflicts";
  return strcmp(r->rule, "uncoalesced") == 0 ? "sectors above the ideal" : r->rule;
}

/* True if a change is about the subject; a finding's change may have more text than its kind: "race
 * with line 12". */
static bool is_about(const char *what, const char *counted) {
  const size_t n = strlen(counted);
  return strncmp(what, counted, n) == 0 &&
         (!what[n] || strncmp(what + n, " with ", 6) == 0 || strncmp(what + n, " in ", 4) == 0);
}

static const char *state_of(Arena *a, const SarifResult *r, const Comparison *baseline) {
  const char *of = arena_printf(a, "%s:%d", r->at.file, r->at.line);
  for (int i = 0; i < baseline->count; i++) {
    const Change *c = &baseline->change[i];
    if (strcmp(c->of, of) == 0 && is_about(c->what, counted_by(r)))
      return strcmp(c->was, "0") == 0 ? "new" : "updated";
  }
  return "unchanged";
}

void lint_sarif_compare(Sarif *log, const Comparison *baseline) {
  for (int i = 0; i < log->results; i++)
    log->result[i].state = state_of(log->arena, &log->result[i], baseline);
}

/* Writes an argument without its fill: "buf:4096" for "x=buf:4096:random". */
static void put_shape(Text *t, const char *arg) {
  const char *at = strstr(arg, "buf:");
  if (!at || *arg == '{' || at[4] == '{') at = NULL;
  const char *end = at ? at + 4 + strcspn(at + 4, ":") : arg + strlen(arg);
  text_puts(t, "/");
  text_add(t, at ? at : arg, (size_t)(end - (at ? at : arg)));
}

const char *lint_sarif_category(Arena *a, const Options *o, const char *kernel) {
  const LintOptions *l = &o->lint;
  Text t = text_new(a);
  text_printf(&t, "lint/%s/%s", l->file, kernel ? kernel : "?");
  if (l->grid) text_printf(&t, "/grid %s", l->grid);
  if (l->block) text_printf(&t, "/block %s", l->block);
  if (l->cluster) text_printf(&t, "/cluster %s", l->cluster);
  if (l->smem) text_printf(&t, "/smem %" PRIu64, l->smem);
  for (int i = 0; i < l->arg.count; i++) put_shape(&t, l->arg.item[i]);
  return t.s;
}

Sarif lint_sarif(Arena *a, const char *category, const LintReport *r) {
  Sarif out = lint_sarif_begin(a, category);
  lint_sarif_add(&out, r);
  return out;
}

/* Adds a result of host code. Its location is the innermost call whose line is known; the outer
 * calls are related locations. */
void lint_sarif_host(Sarif *out, const LintHostFinding *f) {
  SarifPlace *place = ARENA_ARRAY(out->arena, SarifPlace, (size_t)f->from.count + 1);
  int count = 0;
  for (int i = 0; i < f->from.count; i++)
    if (f->from.frame[i].file)
      place[count++] = (SarifPlace){
          .file = f->from.frame[i].file, .line = f->from.frame[i].line, .role = "called from here"};
  if (!count && f->from.count) place[count++] = (SarifPlace){.file = f->from.frame[0].module};
  if (!count) place[count++] = (SarifPlace){.file = "?"};
  place[0].role = NULL;
  const SarifResult r = {.rule = lint_host_name[f->kind],
                         .message = arena_printf(out->arena, "%s: %s, %" PRIu64 " in all",
                                                 lint_host_name[f->kind], f->message, f->count),
                         .at = place[0],
                         .related = count - 1,
                         .related_at = place + 1};
  sarif_add(out, &r);
}

Sarif lint_sarif_refusal(Arena *a, const char *category, const char *messages) {
  Sarif out = sarif_new(a, category, rules(a), RULES);
  out.refusal = messages;
  return out;
}
