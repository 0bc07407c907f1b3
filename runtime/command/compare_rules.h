/* compare_rules.h: which values of a report are compared, and which direction is worse: one row per
 * value. */
#ifndef KGEN_COMMAND_COMPARE_RULES_H
#define KGEN_COMMAND_COMPARE_RULES_H

#include "base/yaml_tree.h"
#include "command/changes.h"

typedef enum { ANY_CHANGE, LESS_IS_BETTER, MORE_IS_BETTER, TRUE_IS_BETTER } Sense;

/* `path`: keys from an object down, with a '.' between. A value that is null or missing is unknown
 * and not compared. */
typedef struct {
  const char *path, *what;
  Sense sense;
} Rule;

typedef struct {
  const Rule *rule;
  int count;
} RuleTable;

extern const RuleTable rules_spec;   /* of a spec */
extern const RuleTable rules_tile;   /* of a tile, or of a spec that has only one */
extern const RuleTable rules_access; /* of an access of a tile */

/* The value below an object, or NULL. */
const Yaml *compare_value(const Yaml *object, const char *path);
/* Compares the values of two objects. */
void compare_by_rules(Comparison *c, const char *of, const RuleTable *t, const Yaml *was,
                      const Yaml *is);
/* A value on one line, for people: JSON, but a text without its quotes. */
const char *compare_spell(Arena *a, const Yaml *value);

#endif
