/* SPDX-License-Identifier: MIT */
/* file_value.h: the values of lint.yaml: arguments, buffers, variables, expectations. */
#ifndef KGEN_LINT_INPUT_FILE_VALUE_H
#define KGEN_LINT_INPUT_FILE_VALUE_H

#include "lint/input/expect.h"
#include "spec/spec_keys.h"

/* Context for reading a value of the file at `path`. Other files are named relative to its
 * directory. */
typedef struct {
  Reader in;
  const char *path;
} FileReader;

extern const KeyTable lint_value_table;

/* Reads text as in --arg, {DTYPE: V}, or a map of lint_value_table. False with an error. */
bool lint_file_value(const FileReader *r, const Yaml *node, LintValue *out);
/* Reads a list of such values; false with errors. */
bool lint_file_values(const FileReader *r, const Yaml *node, const char *what, int *count,
                      LintValue **out);
/* Reads a variable's contents: a value, or a fill in the variable's size. */
bool lint_file_variable(const FileReader *r, const Yaml *node, LintValue *out, bool *filled);
/* Reads a FILL as in --arg, or a map with a fill or file and the tolerance. */
bool lint_file_expect(const FileReader *r, const Yaml *node, LintExpect *out);

/* Reads a number and checks its range; false with an error. */
bool lint_file_count(const FileReader *r, const Yaml *node, const char *what, int64_t min,
                     int64_t max, uint64_t *out);

#endif
