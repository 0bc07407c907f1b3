/* SPDX-License-Identifier: MIT */
#include "spec/spec_override.h"

#include <string.h>

const Yaml *override_value(const SpecReader *r, const char *name, bool own, Loc loc) {
  for (int i = 0; i < r->options->settings; i++) {
    const Setting *s = &r->options->setting[i];
    if (strcmp(s->name, name) != 0 || (s->open && own)) continue;
    Yaml *out = ARENA_NEW(r->in.arena, Yaml);
    *out = (Yaml){.kind = YAML_TEXT, .loc = loc, .inner = loc, .text = s->text};
    if (!s->text) out->text = arena_printf(r->in.arena, "%d", s->value);
    return out;
  }
  return NULL;
}

/* True if the spec itself sets this axis. A setting that only fills in open values was then
 * ignored. */
static bool is_given(const Spec *s, const char *name) {
  for (int i = 0; i < s->axes; i++)
    if (strcmp(s->axis[i].name, name) == 0) return s->axis[i].given;
  return false;
}

void read_overrides(SpecReader *r) {
  const SpecOptions *o = r->options;
  Param *out = ARENA_ARRAY(r->in.arena, Param, (size_t)(o->origin ? o->settings : 0));
  for (int i = 0; o->origin && i < o->settings; i++) {
    const int slot = names_find(&r->scope.names, o->setting[i].name);
    if (slot < 0 || is_given(r->out, o->setting[i].name)) continue;
    out[r->out->overrides++] = (Param){o->setting[i].name, r->scope.value[slot]};
  }
  r->out->override = out;
  if (r->out->overrides) r->out->origin = o->origin;
}
