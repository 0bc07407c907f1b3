/* SPDX-License-Identifier: MIT */
/* compare_rules.h: the values of a report that are compared, and the direction that is worse: one
 * row per value. */
#ifndef KGEN_COMMAND_COMPARE_RULES_H
#define KGEN_COMMAND_COMPARE_RULES_H

#include "base/yaml_tree.h"
#include "command/changes.h"

typedef enum { ANY_CHANGE, LESS_IS_BETTER, MORE_IS_BETTER, TRUE_IS_BETTER } Sense;

/* `path`: the keys from an object to the value, separated by '.'. A value that is null or missing
 * is unknown, and is not compared. */
typedef struct {
  const char *path, *what;
  Sense sense;
} Rule;

typedef struct {
  const Rule *rule;
  int count;
} RuleTable;

extern const RuleTable rules_spec;   /* values of a spec */
extern const RuleTable rules_tile;   /* values of a tile, or of a spec that has only one tile */
extern const RuleTable rules_access; /* values of an access of a tile */

/* The value at that path below an object, or NULL. */
const Yaml *compare_value(const Yaml *object, const char *path);
/* Compares the values of two objects. */
void compare_by_rules(Comparison *c, const char *of, const RuleTable *t, const Yaml *was,
                      const Yaml *is);
/* A value on one line, for people: JSON, but a string without its quotes. */
const char *compare_spell(Arena *a, const Yaml *value);

#endif
