/* SPDX-License-Identifier: MIT */
/* compare.h: compares two reports of kgen --json and finds what changed and what got worse. */
#ifndef KGEN_COMMAND_COMPARE_H
#define KGEN_COMMAND_COMPARE_H

#include "base/yaml_tree.h"
#include "command/changes.h"
#include "command/options.h"

/* The root of a report. NULL, with the error in d, if the file cannot be read or contains none of
 * "specs", "sweep" and "lint". known: its text if it was read before, or NULL. */
const Yaml *compare_read(Arena *a, Diag *d, const char *path, const Source *known);

/* Reads the report that --baseline names into *out; NULL without --baseline. False, with the reason
 * in *messages, if `suits` rejects its root: `option` with --json writes another kind of report. */
bool compare_baseline(Arena *a, const Options *o, const char *option,
                      bool (*suits)(const Yaml *root), const Yaml **out, Diag *diag);

/* The root of a report that this kgen has just written. */
const Yaml *compare_own(Arena *a, const Text *report);

/* Compares two reports. Specs, candidates and accesses are matched by name, source lines by their
 * text. */
Comparison compare_reports(Arena *a, const Yaml *was, const Yaml *is, double tolerance);

#endif
