/* SPDX-License-Identifier: MIT */
/* batch.h: takes several specs through all stages in memory; writes files only if all specs are
 * correct. */
#ifndef KGEN_BATCH_H
#define KGEN_BATCH_H

#include "base/json.h"
#include "emit/render.h"

typedef struct {
  const Spec *spec;
  const Plan *plan;
  Rendered out;
  const char *label; /* name in messages: the spec's, plus the values that a sweep sets */
  int settings;      /* number of settings that it was made with */
  const Setting *setting;
} BatchItem;

typedef struct {
  Arena *arena;
  Diag *diag;
  int count, capacity;
  BatchItem *item;
  int json_most; /* limit of list entries, as in Json */
} Batch;

Batch batch_new(Arena *a, Diag *d);
/* Reads, solves and renders one spec. NULL on an error, or if another spec of the batch has the
 * same name; the errors are in the batch's diag. Adding another item invalidates the pointer. */
const BatchItem *batch_add(Batch *b, const char *path, const SpecOptions *options);
/* Like batch_add(), for one spec outside of any batch. False on an error, which is in d. */
bool batch_make(Arena *a, Diag *d, const char *path, const SpecOptions *options, BatchItem *out);
/* Like batch_make(), with plan_make_like(). */
bool batch_make_like(Arena *a, Diag *d, const char *path, const SpecOptions *options,
                     const Plan *like, BatchItem *out);
/* Adds an item from batch_make(); its name may equal another item's. */
void batch_append(Batch *b, const BatchItem *item);

/* Adds keys to the JSON object of item `index`, after the plan's keys. */
typedef void BatchKeys(Json *j, int index, void *context);

/* Writes {"version": 1, "specs": [...]} for all items; "files" holds the paths in the output
 * directory, or is empty if that is NULL. keys may be NULL. */
void batch_json(const Batch *b, Text *out, const char *folder, BatchKeys *keys, void *context);

/* Writes NAME.cu or NAME.h and NAME.json of every item into a directory, which is created if it
 * does not exist. A file that already has these contents is not written. False, with the reason in
 * *why and without a change to any file, on an error. */
bool batch_write(const Batch *b, const char *folder, Text *why);

#endif
