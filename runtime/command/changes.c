/* SPDX-License-Identifier: MIT */
#include "command/changes.h"

const char *const verdict_name[CHANGE_VERDICTS] = {"changed", "better", "worse"};

void change_add(Comparison *c, const char *of, const char *what, const char *was, const char *is,
                Verdict verdict) {
  c->change = arena_grow(c->arena, c->change, c->count, &c->capacity, sizeof *c->change);
  c->change[c->count++] = (Change){of, what, was, is, verdict};
  c->of_verdict[verdict]++;
}
