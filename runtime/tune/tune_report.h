/* SPDX-License-Identifier: MIT */
/* tune_report.h: reports the result of a search, as text and as JSON. */
#ifndef KGEN_TUNE_TUNE_REPORT_H
#define KGEN_TUNE_TUNE_REPORT_H

#include "base/json.h"
#include "tune/search.h"

/* One line about the search, and the best configurations compared with the unchanged spec. */
void tune_print(Arena *a, Text *out, const Tuned *t);
/* One object of "tune". */
void tune_json(Json *j, const Tuned *t);

/* A configuration's figures: keys of an open object. */
void choice_json(Json *j, const Choice *c);

#endif
