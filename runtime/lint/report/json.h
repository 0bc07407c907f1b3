/* SPDX-License-Identifier: MIT */
/* json.h: writes the report for programs. */
#ifndef KGEN_LINT_REPORT_JSON_H
#define KGEN_LINT_REPORT_JSON_H

#include "base/json.h"
#include "lint/report/record.h"

/* Writes a complete object with the report in "lint". */
void lint_json_put(Text *out, const LintReport *r);
/* Writes only the keys of the object "lint". */
void lint_json_put_keys(Json *j, const LintReport *r);
/* Writes the further values that lint_read needs to restore the report: keys of an open object. */
void lint_json_put_more(Json *j, const LintReport *r);
/* Writes an object without a report: the exit code, and the messages line by line. */
void lint_json_refusal(Text *out, const char *key, const char *file, const char *kernel,
                       int exit_code, const char *messages);

/* Like lint_json_refusal(), as an entry of a list or the value of a key. name: the launch's name in
 * a file, or NULL. */
void lint_json_refused(Json *j, const char *key, const char *name, const char *file,
                       const char *kernel, int exit_code, const char *messages);

#endif
