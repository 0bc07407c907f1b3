/* compare.h: compares two reports of kgen --json: what changed, and what got worse. */
#ifndef KGEN_COMMAND_COMPARE_H
#define KGEN_COMMAND_COMPARE_H

#include "base/yaml_tree.h"
#include "command/changes.h"
#include "command/options.h"

/* A report's root. NULL, with the mistake in d, if the file cannot be read or holds no "specs", no
 * "sweep" and no "lint". known: its text, or NULL. */
const Yaml *compare_read(Arena *a, Diag *d, const char *path, const Source *known);

/* The report that --baseline names, one that kgen's `option` with --json writes, as `suits` tells
 * of its root; NULL without that option. False, with the reason in *messages, if it is none. */
bool compare_baseline(Arena *a, const Options *o, const char *option,
                      bool (*suits)(const Yaml *root), const Yaml **out, Text *messages);

/* The root of a report that kgen itself has just written. */
const Yaml *compare_own(Arena *a, const Text *report);

/* The differences between `was` and `is`: specs, candidates and accesses are matched by name, lines
 * of source by their text. */
Comparison compare_reports(Arena *a, const Yaml *was, const Yaml *is, double tolerance);

#endif
