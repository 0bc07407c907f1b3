/* SPDX-License-Identifier: MIT */
#include "batch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "emit/plan_json.h"
#include "spec/spec_read.h"

Batch batch_new(Arena *a, Diag *d) { return (Batch){.arena = a, .diag = d}; }

static BatchItem *grow(Batch *b) {
  b->item = arena_grow(b->arena, b->item, b->count, &b->capacity, sizeof *b->item);
  return &b->item[b->count];
}

bool batch_make(Arena *a, Diag *d, const char *path, const SpecOptions *options, BatchItem *out) {
  return batch_make_like(a, d, path, options, NULL, out);
}

bool batch_make_like(Arena *a, Diag *d, const char *path, const SpecOptions *options,
                     const Plan *like, BatchItem *out) {
  *out = (BatchItem){.spec = options->read ? options->read : spec_read(a, d, path, options),
                     .settings = options->settings,
                     .setting = options->setting};
  if (out->spec) out->label = out->spec->name;
  if (out->spec) out->plan = plan_make_like(a, d, out->spec, like);
  if (out->plan) out->out = render_plan(a, d, out->plan, options->templates);
  return out->out.text != NULL;
}

/* Two specs with one name would write the same files. */
static bool name_is_free(const Batch *b, const Spec *spec) {
  for (int i = 0; i < b->count; i++) {
    const Spec *other = b->item[i].spec;
    if (strcmp(other->name, spec->name) != 0) continue;
    diag_error(b->diag, spec->name_loc, "the name '%s' is taken by %s", spec->name,
               other->source->path);
    diag_hint(b->diag, "give one of them another `name:`");
    return false;
  }
  return true;
}

const BatchItem *batch_add(Batch *b, const char *path, const SpecOptions *options) {
  BatchItem *item = grow(b);
  if (!batch_make(b->arena, b->diag, path, options, item) || !name_is_free(b, item->spec))
    return NULL;
  b->count++;
  return item;
}

void batch_append(Batch *b, const BatchItem *item) {
  *grow(b) = *item;
  b->count++;
}

static const char *join(Arena *a, const char *folder, const char *file) {
  const size_t n = strlen(folder);
  const char *slash = n == 0 || folder[n - 1] == '/' ? "" : "/";
  return arena_printf(a, "%s%s%s", folder, slash, file);
}

static void item_json(const BatchItem *item, Json *j, const char *folder, Arena *a) {
  if (!folder) {
    plan_json(j, item->plan, NULL, 0);
    return;
  }
  const char *file = join(a, folder, item->out.file);
  plan_json(j, item->plan, &file, 1);
}

static Json json_begin(const Batch *b, Text *out) {
  Json j = json_new(out);
  j.most = b->json_most;
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  json_array(&j, "specs");
  return j;
}

static void json_finish(Json *j) { json_ends(j, 2); }

void batch_json(const Batch *b, Text *out, const char *folder, BatchKeys *keys, void *context) {
  Json j = json_begin(b, out);
  for (int i = 0; i < b->count; i++) {
    item_json(&b->item[i], &j, folder, b->arena);
    if (keys) keys(&j, i, context);
    json_end(&j);
  }
  json_finish(&j);
}

/* --- writing --- */

typedef struct {
  const char *name, *path, *text;
  size_t len;
} Pending;

typedef struct {
  int count;
  Pending *file;
} PendingList;

static const char *json_of_one(const Batch *b, const BatchItem *item) {
  Text text = text_new(b->arena);
  Json j = json_begin(b, &text);
  item_json(item, &j, "", b->arena);
  json_end(&j);
  json_finish(&j);
  return text.s;
}

/* A file that would not change keeps its modification time, for make and similar tools. */
static void add_pending(const Batch *b, PendingList *list, const char *folder, const char *name,
                        const char *text) {
  const Pending p = {name, join(b->arena, folder, name), text, strlen(text)};
  if (!file_holds(p.path, p.text, p.len)) list->file[list->count++] = p;
}

static PendingList list_files(const Batch *b, const char *folder) {
  PendingList list = {0, ARENA_ARRAY(b->arena, Pending, 2 * (size_t)b->count)};
  for (int i = 0; i < b->count; i++) {
    const BatchItem *item = &b->item[i];
    const char *json = arena_printf(b->arena, "%s.json", item->spec->name);
    add_pending(b, &list, folder, item->out.file, item->out.text);
    add_pending(b, &list, folder, json, json_of_one(b, item));
  }
  return list;
}

static bool refuse(Text *why, const char *path) {
  text_printf(why, "cannot write %s: %s", path, strerror(errno));
  return false;
}

static bool is_folder(const char *path) {
  if (!folder_exists(path)) return false;
  errno = EISDIR;
  return true;
}

/* Writes all regular files to the scratch directory first, so that a full disk changes nothing.
 * Targets of links, and pipes, are written next, directly; then the regular files are renamed. */
static bool write_pending(const Batch *b, const Scratch *s, const PendingList *list, Text *why) {
  for (int i = 0; i < list->count; i++) {
    const Pending *p = &list->file[i];
    if (is_folder(p->path)) return refuse(why, p->path);
    if (!file_is_plain(p->path)) continue;
    if (!file_create(scratch_file(b->arena, s, p->name), p->text, p->len))
      return refuse(why, p->path);
  }
  for (int i = 0; i < list->count; i++) {
    const Pending *p = &list->file[i];
    if (!file_is_plain(p->path) && !file_write(p->path, p->text, p->len))
      return refuse(why, p->path);
  }
  for (int i = 0; i < list->count; i++) {
    const Pending *p = &list->file[i];
    if (!file_is_plain(p->path)) continue;
    if (!file_replace(scratch_file(b->arena, s, p->name), p->path)) return refuse(why, p->path);
  }
  return true;
}

bool batch_write(const Batch *b, const char *folder, Text *why) {
  if (!folder_make(folder, 0777)) return refuse(why, folder);
  const PendingList list = list_files(b, folder);
  Scratch s;
  if (list.count == 0) return true;
  if (!scratch_open(b->arena, &s, folder)) return refuse(why, folder);
  const bool ok = write_pending(b, &s, &list, why);
  scratch_close(&s);
  return ok;
}
