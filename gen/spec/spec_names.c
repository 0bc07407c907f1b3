/* SPDX-License-Identifier: MIT */
#include "spec/spec_names.h"

#include <string.h>

const char *const lane_names[SLOT_FIXED] = {"lane", "warp", "tid", "tx", "ty", "tz"};

bool is_lane_name(const char *name) {
  for (int i = 0; i < SLOT_FIXED; i++)
    if (strcmp(name, lane_names[i]) == 0) return true;
  return false;
}

int declare_ours(SpecReader *r, const char *name) {
  const bool hidden = !r->family && yaml_get(yaml_get(r->spec, "params"), name);
  return scope_declare(&r->scope, hidden ? arena_printf(r->in.arena, "__%s", name) : name);
}

bool slot_is_ours(const SpecReader *r, int slot) {
  return slot == r->scope.esize_slot || slot == r->sm_slot ||
         (slot >= r->block_slot && slot < r->block_slot + BLOCK_NAMES);
}

bool name_is_taken(const SpecReader *r, const char *name) {
  static const char *const always[] = {"d0", "d1", "d2", "d3"};
  static const char *const in_families[] = {"bx",    "by",      "bz",    "dtype", "shared_bytes",
                                            "esize", "threads", "warps", "sm"};
  bool taken = is_lane_name(name) || names_find(&r->scope.names, name) >= 0;
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    taken = taken || strcmp(name, always[i]) == 0;
  /* A param in a spec of `none` hides the name that kgen defines (declare_ours()). */
  for (size_t i = 0; r->family && i < sizeof in_families / sizeof *in_families; i++)
    taken = taken || strcmp(name, in_families[i]) == 0;
  return taken;
}
