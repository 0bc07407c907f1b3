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

/* Text as --arg has it, {DTYPE: V}, or a map of lint_value_table. False with an error. */
bool lint_file_value(const FileReader *r, const Yaml *node, LintValue *out);
/* A list of them; false with errors. */
bool lint_file_values(const FileReader *r, const Yaml *node, const char *what, int *count,
                      LintValue **out);
/* A variable's contents: a value, or a fill of its own size. */
bool lint_file_variable(const FileReader *r, const Yaml *node, LintValue *out, bool *filled);
/* FILL as --arg has it, or a map: what fills it, or a file, and the tolerance. */
bool lint_file_expect(const FileReader *r, const Yaml *node, LintExpect *out);

/* A number, checked against a range; false with an error. */
bool lint_file_count(const FileReader *r, const Yaml *node, const char *what, int64_t min,
                     int64_t max, uint64_t *out);

#endif
