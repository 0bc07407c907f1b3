/* SPDX-License-Identifier: MIT */
#include "spec/access_reader.h"

void access_add_loop(AccessReader *a, const char *name, int64_t count) {
  AccessSpec *out = a->out;
  if (out->loops == MAX_LOOPS) return;
  out->loop[out->loops++] = (Loop){name, names_add(&out->names, name), count};
}

void access_add_constants(AccessReader *a) {
  AccessSpec *out = a->out;
  out->names.lets = a->scope->names.lets;
  for (int i = 0; i < a->scope->names.count; i++) {
    const int slot = names_add(&out->names, a->scope->names.name[i]);
    if (slot < 0) die("more than %d names", EXPR_MAX_VARS);
    out->value[slot] = scope_knows(a->scope, i) ? a->scope->value[i] : 0;
  }
}
