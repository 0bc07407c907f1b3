/* SPDX-License-Identifier: MIT */
/* sweep_report.h: prints the candidates of a sweep as tables, CSV or JSON. */
#ifndef KGEN_COMMAND_SWEEP_REPORT_H
#define KGEN_COMMAND_SWEEP_REPORT_H

#include "command/sweep.h"
#include "judge/run.h"

/* Writes one table per spec. runs: as in report_table(). */
void sweep_table(const Sweep *s, Text *out, const Batch *b, const Run *runs);
/* Writes one column per axis, `chosen` and `reason`, then the columns of report_csv(). */
void sweep_csv(const Sweep *s, Text *out, const Batch *b, const Run *runs);
/* Writes {"version": 1, "sweep": [...]}. An admissible candidate is the object of its spec plus
 * "set" and "chosen"; another one has "name", "set" and "reason". keys: as in batch_json(), for the
 * candidate's item; may be NULL. */
void sweep_json(const Sweep *s, Text *out, const Batch *b, BatchKeys *keys, void *context);

#endif
