/* batch.h: several specs through all stages, in memory; files appear only if all are right. */
#ifndef KGEN_BATCH_H
#define KGEN_BATCH_H

#include "base/json.h"
#include "emit/render.h"

typedef struct {
  const Spec *spec;
  const Plan *plan;
  Rendered out;
  const char *label; /* for messages: the spec's name, and what a sweep sets */
  int settings;      /* the settings that it was made with */
  const Setting *setting;
} BatchItem;

typedef struct {
  Arena *arena;
  Diag *diag;
  int count, capacity;
  BatchItem *item;
  int json_most; /* as Json's most */
} Batch;

Batch batch_new(Arena *a, Diag *d);
/* Reads, solves and renders one spec. NULL on an error, which the batch's diag then holds, also if
 * a spec added before has the same name. The item moves when another is added. */
const BatchItem *batch_add(Batch *b, const char *path, const SpecOptions *options);
/* The same for one spec apart from any batch: false on a mistake, which is then in d. */
bool batch_make(Arena *a, Diag *d, const char *path, const SpecOptions *options, BatchItem *out);
/* Adds an item made apart, whatever its name. */
void batch_append(Batch *b, const BatchItem *item);

/* Adds keys to the JSON object of item `index`, after those of the plan. */
typedef void BatchKeys(Json *j, int index, void *context);

/* {"version": 1, "specs": [...]} of all items; "files" holds folder/NAME, or nothing if folder is
 * NULL. keys may be NULL. */
void batch_json(const Batch *b, Text *out, const char *folder, BatchKeys *keys, void *context);

/* Writes NAME.cu or NAME.h and NAME.json of every item into `folder`, which is made if need be. A
 * file that holds the same already is left alone. False with the reason in *why: then not one file
 * there has changed. */
bool batch_write(const Batch *b, const char *folder, Text *why);

#endif
