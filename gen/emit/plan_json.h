/* SPDX-License-Identifier: MIT */
/* plan_json.h: the object of one spec in `kgen --json`, with everything that a checker needs to
 * verify the certificate. */
#ifndef KGEN_EMIT_PLAN_JSON_H
#define KGEN_EMIT_PLAN_JSON_H

#include "base/json.h"
#include "emit/plan.h"

/* Leaves the object open: the caller may add keys, such as "run", before json_end(). files: the
 * paths written; may be empty. */
void plan_json(Json *j, const Plan *plan, const char *const *files, int count);

/* Writes keys into an open object: strides, period and terms, which distinguish layouts of one
 * tile. */
void layout_json(Json *j, const KgenLayout *l);

#endif
