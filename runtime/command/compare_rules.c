/* SPDX-License-Identifier: MIT */
#include "command/compare_rules.h"

#include <stdlib.h>
#include <string.h>

/* --- the tables --- */

#define RULES(name, rows) const RuleTable name = {rows, (int)(sizeof(rows) / sizeof(*(rows)))}

static const Rule spec_rules[] = {
    {"kernel", "kernel", ANY_CHANGE},
    {"block", "block", ANY_CHANGE},
    {"conflict_free", "conflict-free", TRUE_IS_BETTER},
    {"minimal", "proven minimal", TRUE_IS_BETTER},
    {"shared_bytes", "bytes of shared memory", LESS_IS_BETTER},
    {"jit.registers", "registers", ANY_CHANGE},
    {"jit.spill_bytes", "spilled bytes", LESS_IS_BETTER},
    {"jit.blocks_per_sm", "blocks on an SM", MORE_IS_BETTER},
    {"run.backend", "backend", ANY_CHANGE},
    {"run.device", "device", ANY_CHANGE},
    {"run.correct", "correct", TRUE_IS_BETTER},
    {"run.max_error", "largest error", ANY_CHANGE},
    {"run.digest", "digest of the results", ANY_CHANGE},
    {"run.wavefronts.predicted_load", "loads predicted", LESS_IS_BETTER},
    {"run.wavefronts.measured_load", "loads measured", LESS_IS_BETTER},
    {"run.wavefronts.predicted_store", "stores predicted", LESS_IS_BETTER},
    {"run.wavefronts.measured_store", "stores measured", LESS_IS_BETTER},
    {"run.wavefronts.predicted_copy", "copies predicted", LESS_IS_BETTER},
    {"run.wavefronts.measured_copy", "copies measured", LESS_IS_BETTER},
    {"run.wavefronts.predicted_wgmma", "wgmma predicted", LESS_IS_BETTER},
    {"run.wavefronts.measured_wgmma", "wgmma measured", LESS_IS_BETTER},
};
RULES(rules_spec, spec_rules);

static const Rule tile_rules[] = {
    {"dtype", "dtype", ANY_CHANGE},
    {"tile", "tile", ANY_CHANGE},
    {"layout.kind", "layout", ANY_CHANGE},
    {"layout.strides", "strides", ANY_CHANGE},
    {"layout.period", "period", ANY_CHANGE},
    {"layout.swizzle", "swizzle", ANY_CHANGE},
    {"layout.expr", "expression", ANY_CHANGE},
    {"layout.bytes", "bytes of the tile", LESS_IS_BETTER},
};
RULES(rules_tile, tile_rules);

static const Rule access_rules[] = {
    {"op", "op", ANY_CHANGE},
    {"bytes_per_lane", "bytes per lane", ANY_CHANGE},
    {"instructions", "instructions", ANY_CHANGE},
    {"wavefronts", "wavefronts", LESS_IS_BETTER},
    {"ideal", "ideal", ANY_CHANGE},
    {"unswizzled", "wavefronts plain", ANY_CHANGE},
};
RULES(rules_access, access_rules);

/* --- values --- */

const Yaml *compare_value(const Yaml *object, const char *path) {
  while (object) {
    char key[64];
    const size_t n = strcspn(path, ".");
    if (n >= sizeof key) die("a path of a report: %s", path);
    memcpy(key, path, n);
    key[n] = '\0';
    object = yaml_get(object, key);
    if (!path[n]) break;
    path += n + 1;
  }
  return object && !yaml_is_null(object) ? object : NULL;
}

static void spell(Text *out, const Yaml *v) {
  if (v->kind == YAML_TEXT) {
    text_puts(out, v->text);
    return;
  }
  text_puts(out, v->kind == YAML_LIST ? "[" : "{");
  for (int i = 0; i < v->count; i++) {
    if (i) text_puts(out, ", ");
    if (v->kind == YAML_MAP) text_printf(out, "%s: ", v->pair[i].key->text);
    spell(out, v->kind == YAML_LIST ? v->item[i] : v->pair[i].value);
  }
  text_puts(out, v->kind == YAML_LIST ? "]" : "}");
}

const char *compare_spell(Arena *a, const Yaml *value) {
  Text t = text_new(a);
  if (value) spell(&t, value);
  return value ? t.s : "-";
}

static Verdict judge(Sense sense, const Yaml *was, const Yaml *is) {
  if (sense == ANY_CHANGE || was->kind != YAML_TEXT || is->kind != YAML_TEXT) return CHANGE_OTHER;
  if (sense == TRUE_IS_BETTER) return strcmp(is->text, "true") == 0 ? CHANGE_BETTER : CHANGE_WORSE;
  const double before = strtod(was->text, NULL), now = strtod(is->text, NULL);
  return (now < before) == (sense == LESS_IS_BETTER) ? CHANGE_BETTER : CHANGE_WORSE;
}

void compare_by_rules(Comparison *c, const char *of, const RuleTable *t, const Yaml *was,
                      const Yaml *is) {
  for (int i = 0; i < t->count; i++) {
    const Rule *r = &t->rule[i];
    const Yaml *before = compare_value(was, r->path), *now = compare_value(is, r->path);
    if (!before || !now) continue;
    const char *old = compare_spell(c->arena, before), *new = compare_spell(c->arena, now);
    if (strcmp(old, new) != 0) change_add(c, of, r->what, old, new, judge(r->sense, before, now));
  }
}
