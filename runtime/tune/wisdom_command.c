/* SPDX-License-Identifier: MIT */
#include "tune/wisdom_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cells.h"
#include "base/file.h"
#include "command/paths.h"
#include "device/nvrtc.h"
#include "tune/choose.h"
#include "tune/t4.h"
#include "tune/tune_report.h"

/* The part of the key in which comparable measurements agree. */
typedef struct {
  const WisdomRecord *first;
  int records;
  bool stale;
} Group;

/* Cached, because reading a template's files takes longer than reading a record. */
typedef struct {
  const char *kernel;
  uint64_t code;
} FamilyCode;

typedef struct {
  Arena *arena;
  const Options *options;
  Text *data;
  Diag *diag;
  Templates *templates;
  const char *toolkit;
  int codes, code_capacity;
  FamilyCode *code;
  Wisdom wisdom;
  int groups;
  Group *group;
} WisdomApp;

/* --- current contents --- */

static uint64_t code_now(WisdomApp *app, const char *kernel) {
  for (int i = 0; i < app->codes; i++)
    if (strcmp(app->code[i].kernel, kernel) == 0) return app->code[i].code;
  app->code = arena_grow(app->arena, app->code, app->codes, &app->code_capacity, sizeof *app->code);
  const uint64_t code = choose_code(app->arena, kernel, app->templates);
  app->code[app->codes++] = (FamilyCode){kernel, code};
  return code;
}

static WisdomKey key_now(WisdomApp *app, const WisdomRecord *r) {
  WisdomKey key = r->key;
  key.toolkit = app->toolkit;
  key.code = code_now(app, key.kernel);
  return key;
}

static bool is_stale(WisdomApp *app, const WisdomRecord *r) {
  const WisdomKey now = key_now(app, r);
  return choose_is_stale(&r->key, &now);
}

static bool belongs(const Group *g, const WisdomRecord *r) {
  return choose_is_same(&g->first->key, &r->key) && g->first->key.code == r->key.code &&
         strcmp(g->first->key.toolkit, r->key.toolkit) == 0;
}

static void add_to_group(WisdomApp *app, const WisdomRecord *r) {
  for (int i = 0; i < app->groups; i++)
    if (belongs(&app->group[i], r)) {
      app->group[i].records++;
      return;
    }
  app->group[app->groups++] = (Group){r, 1, is_stale(app, r)};
}

/* Selects the specs or kernels that are named; without names, all. */
static bool is_wanted(const WisdomApp *app, const WisdomRecord *r) {
  const OptionList *names = &app->options->spec;
  for (int i = 0; i < names->count; i++)
    if (strcmp(names->item[i], r->name) == 0 || strcmp(names->item[i], r->key.kernel) == 0)
      return true;
  return names->count == 0;
}

static void make_groups(WisdomApp *app) {
  app->group = ARENA_ARRAY(app->arena, Group, (size_t)app->wisdom.count);
  for (int i = 0; i < app->wisdom.count; i++)
    if (is_wanted(app, &app->wisdom.record[i])) add_to_group(app, &app->wisdom.record[i]);
}

/* --- the list --- */

static void list_group(const WisdomApp *app, Cells *g, const Group *group) {
  Arena *a = app->arena;
  const WisdomKey *key = &group->first->key;
  const Choices all = choose_all(a, &app->wisdom, key, NULL);
  const Choice *best = all.count && !all.choice[0].invalid ? &all.choice[0] : NULL;
  const char **cell = cells_add(g);
  cell[0] = group->first->name;
  cell[1] = key->device;
  cell[2] = values_text(a, &key->problem);
  cell[3] = key->toolkit;
  cell[4] = arena_printf(a, "%d", group->records);
  cell[5] = best ? arena_printf(a, "%.5g", best->median) : "-";
  cell[6] = unit_name[key->unit];
  cell[7] = best ? arena_printf(a, "%.2g", best->noise) : "-";
  cell[8] = group->stale ? "stale" : "";
  cell[9] = best ? values_text(a, &best->set) : "";
}

static void print_list(WisdomApp *app) {
  static const CellsColumn column[] = {{"spec", "spec", true},
                                       {"device", "device", true},
                                       {"problem", "problem", true},
                                       {"toolkit", "toolkit", true},
                                       {"records", "records", false},
                                       {"best", "best", false},
                                       {"unit", "", true},
                                       {"noise", "noise", false},
                                       {"stale", "", true},
                                       {"set", "configuration", true}};
  Cells g = cells_new(app->arena, column, sizeof column / sizeof *column);
  for (int i = 0; i < app->groups; i++) list_group(app, &g, &app->group[i]);
  cells_print(&g, app->data);
}

static void json_group(WisdomApp *app, Json *j, const Group *group) {
  const WisdomKey *key = &group->first->key;
  const Choices all = choose_all(app->arena, &app->wisdom, key, NULL);
  json_object(j, NULL);
  json_string(j, "spec", group->first->name);
  json_string(j, "kernel", key->kernel);
  json_string(j, "device", key->device);
  json_string(j, "toolkit", key->toolkit);
  json_string(j, "problem", values_text(app->arena, &key->problem));
  json_string(j, "unit", unit_name[key->unit]);
  json_bool(j, "stale", group->stale);
  json_int(j, "records", group->records);
  json_array(j, "configurations");
  for (int i = 0; i < all.count; i++) {
    json_line(j, NULL);
    choice_json(j, &all.choice[i]);
    json_end(j);
  }
  json_ends(j, 2);
}

static void print_json(WisdomApp *app) {
  Json j = json_new(app->data);
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  json_array(&j, "wisdom");
  for (int i = 0; i < app->groups; i++) json_group(app, &j, &app->group[i]);
  json_ends(&j, 2);
}

static void print_t4(WisdomApp *app) {
  const Wisdom *w = &app->wisdom;
  const WisdomRecord **record = ARENA_ARRAY(app->arena, const WisdomRecord *, (size_t)w->count);
  int records = 0;
  for (int i = 0; i < w->count; i++)
    if (is_wanted(app, &w->record[i])) record[records++] = &w->record[i];
  t4_put(app->data, record, records);
}

static int list(WisdomApp *app) {
  const WisdomTexts texts = wisdom_texts(app->arena, paths_wisdom(app->arena));
  app->wisdom = wisdom_parse(app->arena, &texts, NULL);
  make_groups(app);
  if (!app->groups)
    diag_note(app->diag, "no such measurements are kept: kgen tune SPEC makes them");
  if (app->options->tune.t4)
    print_t4(app);
  else if (app->options->format == FORMAT_JSON)
    print_json(app);
  else
    print_list(app);
  return 0;
}

/* --- merge --- */

static const char *line_of(Arena *a, const WisdomRecord *r) {
  Text t = text_new(a);
  wisdom_put(&t, r);
  return t.s;
}

/* The text of a record, and its position among the others. */
typedef struct {
  const char *line;
  int record;
} WrittenRecord;

static int by_line(const void *x, const void *y) {
  const WrittenRecord *a = x, *b = y;
  const int lines = strcmp(a->line, b->line);
  return lines ? lines : a->record - b->record;
}

/* indexed by record: an earlier record is identical. */
static const bool *repeated(const Wisdom *w) {
  const size_t count = (size_t)w->count;
  WrittenRecord *all = ARENA_ARRAY(w->arena, WrittenRecord, count);
  bool *out = ARENA_ARRAY(w->arena, bool, count);
  for (int i = 0; i < w->count; i++) all[i] = (WrittenRecord){line_of(w->arena, &w->record[i]), i};
  qsort(all, count, sizeof *all, by_line);
  for (int i = 1; i < w->count; i++)
    if (strcmp(all[i].line, all[i - 1].line) == 0) out[all[i].record] = true;
  return out;
}

/* The outcome for one file. */
typedef struct {
  const char *file;
  int records, added;
} Merged;

static int unreadable(WisdomApp *app, const char *file) {
  diag_say(app->diag, DIAG_ARGUMENT, "cannot read %s: %s", file, strerror(errno));
  return EXIT_USAGE;
}

static int merge_file(WisdomApp *app, const char *own, const char *file, Merged *out) {
  Wisdom *w = &app->wisdom;
  const int before = w->count, broken = w->broken;
  if (!wisdom_read(w, file)) return unreadable(app, file);
  *out = (Merged){.file = file, .records = w->count - before};
  if (w->broken > broken)
    diag_note(app->diag, "%s: lines that are not measurements, skipped: %d", file,
              w->broken - broken);
  const bool *known = repeated(w);
  for (int i = before; i < w->count; i++) {
    if (known[i]) continue;
    if (!wisdom_append(app->arena, own, &w->record[i], app->diag)) return EXIT_USAGE;
    out->added++;
  }
  return 0;
}

static void json_merged(Text *data, const Merged *merged, int files) {
  Json j = json_new(data);
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  json_array(&j, "merged");
  for (int i = 0; i < files; i++) {
    json_line(&j, NULL);
    json_string(&j, "file", merged[i].file);
    json_int(&j, "measurements", merged[i].records);
    json_int(&j, "added", merged[i].added);
    json_end(&j);
  }
  json_ends(&j, 2);
}

static int merge(WisdomApp *app, const char *own) {
  const OptionList *file = &app->options->spec;
  int code = file->count ? 0 : EXIT_USAGE;
  if (code) diag_say(app->diag, DIAG_ARGUMENT, "wisdom merge needs a FILE");
  app->wisdom = (Wisdom){.arena = app->arena};
  wisdom_read(&app->wisdom, own);
  Merged *merged = ARENA_ARRAY(app->arena, Merged, (size_t)file->count);
  int files = 0;
  while (files < file->count && !code) {
    code = merge_file(app, own, file->item[files], &merged[files]);
    if (!code) files++;
  }
  if (app->options->format == FORMAT_JSON && !code) json_merged(app->data, merged, files);
  for (int i = 0; i < files && app->options->format != FORMAT_JSON; i++)
    text_printf(app->data, "%s: %d of %d measurements are new\n", merged[i].file, merged[i].added,
                merged[i].records);
  return code;
}

/* --- prune --- */

static void print_pruned(WisdomApp *app, const char *own, int kept, int dropped) {
  if (app->options->format != FORMAT_JSON) {
    text_printf(app->data, "%s: %d measurements kept, %d dropped\n", own, kept, dropped);
    return;
  }
  Json j = json_new(app->data);
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  json_object(&j, "pruned");
  json_string(&j, "file", own);
  json_int(&j, "kept", kept);
  json_int(&j, "dropped", dropped);
  json_ends(&j, 2);
}

/* Records appended by another process meanwhile are lost: no other process may use the file during
 * this call. */
static int prune(WisdomApp *app, const char *own) {
  Wisdom *w = &app->wisdom;
  Text kept = text_new(app->arena);
  int stale = 0;
  *w = (Wisdom){.arena = app->arena};
  if (!wisdom_read(w, own) && errno != ENOENT) return unreadable(app, own);
  for (int i = 0; i < w->count; i++)
    if (is_stale(app, &w->record[i]))
      stale++;
    else
      wisdom_put(&kept, &w->record[i]);
  if ((stale || w->broken) && !file_write(own, kept.s, kept.len)) {
    diag_say(app->diag, DIAG_ARGUMENT, "cannot write %s: %s", own, strerror(errno));
    return EXIT_USAGE;
  }
  print_pruned(app, own, w->count - stale, stale + w->broken);
  return 0;
}

int wisdom_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag) {
  WisdomApp app = {.arena = a, .options = o, .data = data, .diag = diag};
  (void)messages;
  const char *own = wisdom_file(a), *toolkit = nvrtc_version(a);
  app.templates = templates_open(a, paths_templates(a, o->templates, diag));
  app.toolkit = toolkit ? toolkit : "";
  if (!app.templates) return EXIT_USAGE;
  if (!own)
    diag_say(diag, DIAG_ARGUMENT,
             "no file to keep measurements in: set KGEN_WISDOM, XDG_DATA_HOME or HOME");
  if (!own) return EXIT_USAGE;
  return o->tune.merge ? merge(&app, own) : o->tune.prune ? prune(&app, own) : list(&app);
}
