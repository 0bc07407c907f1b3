/* SPDX-License-Identifier: MIT */
#include "lint/report/read.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* --- values --- */

static const char *text_of(const Yaml *map, const char *key) {
  const Yaml *v = yaml_get(map, key);
  return v && v->kind == YAML_TEXT && !yaml_is_null(v) ? v->text : NULL;
}

static int int_of(const Yaml *map, const char *key) { return (int)yaml_number(map, key); }

static const Yaml *list_of(const Yaml *map, const char *key) {
  static const Yaml empty = {.kind = YAML_LIST};
  const Yaml *v = yaml_get(map, key);
  return v && v->kind == YAML_LIST ? v : &empty;
}

/* Reads a list of numbers, at most `most`; returns their number. */
static int numbers_of(const Yaml *map, const char *key, int *out, int most) {
  const Yaml *list = list_of(map, key);
  const int count = list->count < most ? list->count : most;
  for (int i = 0; i < count; i++) {
    const Yaml *v = list->item[i];
    out[i] = v->kind == YAML_TEXT ? (int)strtol(v->text, NULL, 10) : 0;
  }
  return count;
}

static void triple_of(const Yaml *map, const char *key, uint32_t out[3]) {
  int v[3] = {0};
  numbers_of(map, key, v, 3);
  for (int d = 0; d < 3; d++) out[d] = (uint32_t)v[d];
}

/* The index of a text among `count` names; -1: none. */
static int name_of(const char *text, const char *const *name, int count) {
  for (int i = 0; text && i < count; i++)
    if (strcmp(text, name[i]) == 0) return i;
  return -1;
}

/* -1: unknown operation. */
static int op_of(const Yaml *entry) { return name_of(text_of(entry, "op"), op_name, OP_COUNT); }

/* --- locations --- */

typedef struct {
  Arena *arena;
  LintReport *out;
  const Yaml *lint, *more;
  const char *folder; /* files below it are named relative to it; or NULL */
  int files, capacity;
  const char **file; /* without duplicates: each file has one pointer in a report */
} Reader;

static const char *file_of(Reader *r, const char *path) {
  path = path ? path_below(r->folder, path) : NULL;
  for (int i = 0; path && i < r->files; i++)
    if (strcmp(r->file[i], path) == 0) return r->file[i];
  if (!path) return NULL;
  r->file = arena_grow(r->arena, r->file, r->files, &r->capacity, sizeof *r->file);
  return r->file[r->files++] = path;
}

static LintLocation place_of(Reader *r, const Yaml *entry) {
  return (LintLocation){file_of(r, text_of(entry, "file")), int_of(entry, "line")};
}

static const LintLocation *places_of(Reader *r, const Yaml *entry, const char *key, int *count) {
  const Yaml *list = list_of(entry, key);
  LintLocation *out = ARENA_ARRAY(r->arena, LintLocation, (size_t)list->count + 1);
  *count = list->count < LINT_MAX_STACK ? list->count : LINT_MAX_STACK;
  for (int i = 0; i < *count; i++) out[i] = place_of(r, list->item[i]);
  return out;
}

static LintTrail trail_of(Reader *r, const Yaml *entry) {
  LintTrail t;
  t.caller = places_of(r, entry, "called_from", &t.callers);
  t.other = places_of(r, entry, "also_called_from", &t.others);
  t.inner = places_of(r, entry, "inlined", &t.inners);
  return t;
}

static void read_quotes(Reader *r, LintSource *s) {
  const Yaml *list = list_of(r->lint, "lines");
  s->quote = ARENA_ARRAY(r->arena, LintQuote, (size_t)list->count + 1);
  for (int i = 0; i < list->count; i++)
    s->quote[i] = (LintQuote){place_of(r, list->item[i]), text_of(list->item[i], "text")};
  s->quotes = list->count;
}

/* --- rows --- */

static const LintFix *fix_called(const LintReport *out, const char *text) {
  for (int i = 0; text && i < out->fix_count; i++)
    if (out->fix[i].fix && strcmp(out->fix[i].fix, text) == 0) return &out->fix[i];
  return NULL;
}

static bool read_shared(Reader *r, int i, const Yaml *e) {
  const Yaml *all = list_of(r->more, "accesses"), *more = i < all->count ? all->item[i] : NULL;
  const int op = op_of(e);
  LintShared *s = &r->out->shared[i];
  *s = (LintShared){.at = place_of(r, e),
                    .op = (Op)op,
                    .bytes = int_of(e, "bytes_per_lane"),
                    .instructions = yaml_number(e, "instructions"),
                    .wavefronts = yaml_number(e, "wavefronts"),
                    .minimum = yaml_number(e, "minimum"),
                    .lock = yaml_get(e, "lock") != NULL,
                    .same_word = int_of(e, "same_word_lanes"),
                    .by_cg = int_of(e, "worst_with_cg"),
                    .by_order = int_of(e, "worst_in_source_order"),
                    .stride = int_of(e, "stride"),
                    .ideal = yaml_number(e, "ideal"),
                    .worst_cost = int_of(more, "worst_wavefronts"),
                    .worst_bank = int_of(more, "worst_bank"),
                    .fix = fix_called(r->out, text_of(e, "fix")),
                    .join = {.insns = int_of(more, "join_instructions"),
                             .joined = int_of(more, "join_joined"),
                             .bytes = int_of(more, "join_bytes"),
                             .before = int_of(more, "join_before"),
                             .after = int_of(more, "join_after")}};
  s->trail = trail_of(r, e);
  s->worst_lanes = numbers_of(e, "worst_lanes", s->worst_lane, WARP);
  return op >= 0;
}

static bool read_global(Reader *r, int i, const Yaml *e) {
  const Yaml *used = list_of(r->more, "global_bytes_used");
  const int op = op_of(e);
  LintGlobal *g = &r->out->global[i];
  *g = (LintGlobal){.at = place_of(r, e),
                    .op = (Op)op,
                    .bytes = int_of(e, "bytes_per_lane"),
                    .requests = yaml_number(e, "requests"),
                    .sectors = yaml_number(e, "sectors"),
                    .ideal = yaml_number(e, "ideal_sectors")};
  if (i < used->count && used->item[i]->kind == YAML_TEXT)
    g->bytes_used = strtoull(used->item[i]->text, NULL, 10);
  g->trail = trail_of(r, e);
  return op >= 0;
}

static bool read_hot(Reader *r, int i, const Yaml *e) {
  const Yaml *lock = yaml_get(e, "lock");
  r->out->hot[i] = (LintHot){.at = place_of(r, e),
                             .buffer = text_of(e, "buffer"),
                             .offset = yaml_number(e, "offset"),
                             .address = yaml_number(e, "address"),
                             .updates = yaml_number(e, "updates"),
                             .all = yaml_number(e, "all_updates"),
                             .lock = lock && lock->text && strcmp(lock->text, "true") == 0};
  return true;
}

static bool read_wgmma(Reader *r, int i, const Yaml *e) {
  LintWgmma *w = &r->out->wgmma[i];
  *w = (LintWgmma){.at = place_of(r, e),
                   .tcgen05 = yaml_get(e, "basis") != NULL,
                   .products = yaml_number(e, "instructions"),
                   .wavefronts = yaml_number(e, "wavefronts")};
  w->trail = trail_of(r, e);
  return true;
}

static bool read_fix(Reader *r, int i, const Yaml *e) {
  LintArray *array = ARENA_NEW(r->arena, LintArray);
  *array = (LintArray){.name = text_of(e, "name"), .bytes = (uint32_t)yaml_number(e, "bytes")};
  r->out->fix[i] = (LintFix){.array = array,
                             .fix = text_of(e, "fix"),
                             .alternative = text_of(e, "alternative"),
                             .why_none = text_of(e, "why_none"),
                             .before = yaml_number(e, "wavefronts"),
                             .after = yaml_number(e, "fixed_wavefronts"),
                             .ideal = yaml_number(e, "ideal"),
                             .sampled = yaml_get(e, "sampled") != NULL,
                             .joined = yaml_number(e, "joined_wavefronts")};
  return array->name != NULL;
}

static const LintWhere *wheres_of(Reader *r, const Yaml *entry, int *count) {
  const Yaml *list = list_of(entry, "where");
  LintWhere *out = ARENA_ARRAY(r->arena, LintWhere, (size_t)list->count + 1);
  *count = list->count;
  for (int i = 0; i < list->count; i++) {
    const char *text = text_of(list->item[i], "text");
    out[i] = (LintWhere){place_of(r, list->item[i]), text ? text : ""};
  }
  return out;
}

static bool read_one(Reader *r, LintFinding *f, const Yaml *e) {
  const int kind = name_of(text_of(e, "kind"), emu_finding_kind_name, EMU_FINDING_KINDS);
  const int space = name_of(text_of(e, "space"), emu_space_name, EMU_SPACES);
  *f = (LintFinding){.at = place_of(r, e),
                     .kind = (EmuFindingKind)kind,
                     .space = space >= 0 ? (EmuSpace)space : EMU_SPACES,
                     .count = yaml_number(e, "count"),
                     .message = text_of(e, "message")};
  triple_of(e, "thread", f->thread);
  triple_of(e, "block", f->block);
  const LintLocation *other = places_of(r, e, "other_places", &f->others);
  if (f->others > EMU_OTHERS) f->others = EMU_OTHERS;
  memcpy(f->other, other, (size_t)f->others * sizeof *other);
  f->where = wheres_of(r, e, &f->wheres);
  f->trail = trail_of(r, e);
  f->other_trail.inner = places_of(r, e, "other_inlined", &f->other_trail.inners);
  f->other_trail.caller = places_of(r, e, "other_called_from", &f->other_trail.callers);
  if (!f->message) f->message = "";
  return kind >= 0;
}

static bool read_finding(Reader *r, int i, const Yaml *e) {
  return read_one(r, &r->out->finding[i], e);
}

static bool read_note(Reader *r, int i, const Yaml *e) { return read_one(r, &r->out->note[i], e); }

/* --- the whole --- */

static bool read_list(Reader *r, const char *key, int *count,
                      bool (*read)(Reader *, int, const Yaml *)) {
  const Yaml *list = list_of(r->lint, key);
  bool ok = true;
  for (int i = 0; i < list->count; i++) ok = read(r, i, list->item[i]) && ok;
  *count = list->count;
  return ok;
}

static void *room_for(const Reader *r, const char *key, size_t size) {
  return arena_array(r->arena, (size_t)list_of(r->lint, key)->count + 1, size);
}

static LintSource *source_of(Reader *r) {
  LintSource *s = ARENA_NEW(r->arena, LintSource);
  *s = (LintSource){
      .arena = r->arena, .path = text_of(r->lint, "file"), .arch = text_of(r->lint, "arch")};
  s->path = s->path ? path_below(r->folder, s->path) : "?";
  if (!s->arch) s->arch = "?";
  read_quotes(r, s);
  s->files = lint_files_new(r->arena, s->path, false, NULL, 0);
  return s;
}

static void read_totals(const Yaml *lint, LintReport *out) {
  out->kernel = text_of(lint, "kernel");
  triple_of(lint, "grid", out->grid);
  triple_of(lint, "block", out->block);
  triple_of(lint, "cluster", out->cluster);
  out->shared_bytes = (uint32_t)yaml_number(lint, "shared_bytes");
  out->launches = yaml_number(lint, "launches");
  out->blocks = yaml_number(lint, "blocks_run");
  out->cut = yaml_get(lint, "time_limit") != NULL;
  out->warp_instructions = yaml_number(lint, "warp_instructions");
  out->conflicts = yaml_number(lint, "conflicts");
  out->mbarriers = yaml_number(lint, "mbarrier_operations");
  out->bulk_copies = yaml_number(lint, "bulk_copies");
  out->bulk_wavefronts = yaml_number(lint, "bulk_wavefronts");
}

bool lint_read(Arena *a, const Yaml *lint, const Yaml *more, const char *folder, LintReport *out) {
  Reader r = {.arena = a, .out = out, .lint = lint, .more = more, .folder = folder};
  *out = (LintReport){0};
  read_totals(lint, out);
  if (!out->kernel || yaml_get(lint, "error")) return false;
  out->source = source_of(&r);
  out->fix = room_for(&r, "arrays", sizeof *out->fix);
  out->shared = room_for(&r, "accesses", sizeof *out->shared);
  out->global = room_for(&r, "global", sizeof *out->global);
  out->wgmma = room_for(&r, "wgmma", sizeof *out->wgmma);
  out->hot = room_for(&r, "contended", sizeof *out->hot);
  out->finding = room_for(&r, "findings", sizeof *out->finding);
  out->note = room_for(&r, "notes", sizeof *out->note);
  bool ok = read_list(&r, "arrays", &out->fix_count, read_fix);
  ok = read_list(&r, "accesses", &out->shared_count, read_shared) && ok;
  ok = read_list(&r, "global", &out->global_count, read_global) && ok;
  ok = read_list(&r, "contended", &out->hot_count, read_hot) && ok;
  ok = read_list(&r, "wgmma", &out->wgmma_count, read_wgmma) && ok;
  ok = read_list(&r, "notes", &out->note_count, read_note) && ok;
  return read_list(&r, "findings", &out->finding_count, read_finding) && ok;
}
