/* plan_json.h: one spec's object of `kgen --json`, with all that a checker needs to verify the
 * certificate alone. */
#ifndef KGEN_EMIT_PLAN_JSON_H
#define KGEN_EMIT_PLAN_JSON_H

#include "base/json.h"
#include "emit/plan.h"

/* The object without its end: the caller may add keys, such as "run", before json_end. files: the
 * paths written, may be none. */
void plan_json(Json *j, const Plan *plan, const char *const *files, int count);

/* Keys of an open object: strides, period and terms, which tell layouts of one tile apart. */
void layout_json(Json *j, const KgenLayout *l);

#endif
