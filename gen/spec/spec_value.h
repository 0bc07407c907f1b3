/* SPDX-License-Identifier: MIT */
/* spec_value.h: reads single values of a spec. Every function reports errors at their location and
 * continues, so that one pass finds all of them. */
#ifndef KGEN_SPEC_SPEC_VALUE_H
#define KGEN_SPEC_SPEC_VALUE_H

#include "base/yaml_tree.h"
#include "spec/expr.h"

/* The context of reading. */
typedef struct {
  Arena *arena;
  Diag *diag;
} Reader;

bool expect_kind(const Reader *in, const Yaml *node, const char *what, YamlKind kind);
/* An expression, or NULL with an error. */
const Expr *read_expr(const Reader *in, const Yaml *node, const char *what, const Names *names);
/* The value of an expression without names, checked against a range. */
bool read_plain(const Reader *in, const Yaml *node, const char *what, int64_t min, int64_t max,
                int *out);
bool read_bool(const Reader *in, const Yaml *node, const char *what, bool *out);
/* The index of a word in a table, or -1 with an error and a hint. */
int read_choice(const Reader *in, const Yaml *node, const char *what, const char *const *words,
                int count);
/* An identifier for C and CUDA, or NULL with an error. */
const char *read_name(const Reader *in, const Yaml *node, const char *what);
const Dtype *read_dtype(const Reader *in, const Yaml *node);
/* Reports a value outside its range; true if it is inside. */
bool check_range(const Reader *in, Loc loc, const char *what, int64_t v, int64_t min, int64_t max);
/* Adds a hint to the latest error: the word that is probably meant, or all words. */
void hint_words(const Reader *in, const char *word, const char *const *words, int count);

#endif
