/* page.h: kgen --html. One file to look at, to print, and to send with a bug report. */
#ifndef KGEN_COMMAND_PAGE_H
#define KGEN_COMMAND_PAGE_H

#include "command/report_json.h"
#include "command/sweep.h"

/* What the page holds, as JSON: {"version": 1, "kgen", "command", "kind", "report", ...}, report
 * being the very object that --json prints. The caller adds the keys of its kind, and json_end. */
Json page_begin(Text *out, const Options *o, const char *kind);

/* Of specs, and of a sweep: in the report each spec has the additional key "page". runs, device: as
 * in Report. */
const char *page_specs(Arena *a, const Options *o, const Batch *b, const Report *report);
const char *page_sweep(Arena *a, const Options *o, const Sweep *s, const Batch *b,
                       const Report *report);

/* Writes the page of that JSON to the file of --html; `data`: see output_write. False with the
 * reason in *why. */
bool page_write(Arena *a, const Options *o, const char *json, Text *data, Text *why);

/* Writes the picture of --svg, of a tile of the one spec of the batch. */
bool page_write_picture(Arena *a, const Options *o, const Batch *b, Text *data, Text *why);

#endif
