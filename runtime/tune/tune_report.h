/* tune_report.h: what a search has found, for people and as JSON. */
#ifndef KGEN_TUNE_TUNE_REPORT_H
#define KGEN_TUNE_TUNE_REPORT_H

#include "base/json.h"
#include "tune/search.h"

/* A line on the search, and the best configurations beside the spec as it stands. */
void tune_print(Arena *a, Text *out, const Tuned *t);
/* One object of "tune". */
void tune_json(Json *j, const Tuned *t);

/* A configuration's figures: keys of an open object. */
void choice_json(Json *j, const Choice *c);

#endif
