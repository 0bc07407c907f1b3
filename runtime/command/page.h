/* SPDX-License-Identifier: MIT */
/* page.h: kgen --html: writes one self-contained file, for viewing, printing and bug reports. */
#ifndef KGEN_COMMAND_PAGE_H
#define KGEN_COMMAND_PAGE_H

#include "command/report_json.h"
#include "command/sweep.h"

/* Begins the JSON of the page: {"version": 1, "kgen", "command", "kind", "report", ...}; `report`
 * is the object that --json prints. The caller adds the keys of its kind and calls json_end(). */
Json page_begin(Text *out, const Options *o, const char *kind);

/* The JSON of a page for specs, or for a sweep: in its report each spec has the additional key
 * "page". */
const char *page_specs(Arena *a, const Options *o, const Batch *b, const Report *report);
const char *page_sweep(Arena *a, const Options *o, const Sweep *s, const Batch *b,
                       const Report *report);

/* Writes the page with that JSON to the file of --html; `data`: see output_write(). False, with the
 * reason in *why. */
bool page_write(Arena *a, const Options *o, const char *json, Text *data, Diag *diag);

/* Writes the picture of --svg. The batch must hold one spec. */
bool page_write_picture(Arena *a, const Options *o, const Batch *b, Text *data, Diag *diag);

#endif
