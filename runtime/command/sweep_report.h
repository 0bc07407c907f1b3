/* sweep_report.h: the candidates of a sweep as tables, as CSV, as JSON. */
#ifndef KGEN_COMMAND_SWEEP_REPORT_H
#define KGEN_COMMAND_SWEEP_REPORT_H

#include "command/sweep.h"
#include "judge/run.h"

/* A table a spec. runs: as in report_table. */
void sweep_table(const Sweep *s, Text *out, const Batch *b, const Run *runs);
/* The columns of report_csv after one for each axis, `chosen` and `reason`. */
void sweep_csv(const Sweep *s, Text *out, const Batch *b, const Run *runs);
/* {"version": 1, "sweep": [...]}: each candidate the object of its spec with "set" and "chosen", or
 * "name", "set" and "reason". keys: as in batch_json, of the candidate's item; may be NULL. */
void sweep_json(const Sweep *s, Text *out, const Batch *b, BatchKeys *keys, void *context);

#endif
