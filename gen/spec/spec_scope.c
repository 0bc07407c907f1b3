/* SPDX-License-Identifier: MIT */
#include "spec/spec_scope.h"

#include "spec/expr_eval.h"
#include "spec/expr_parse.h"

int scope_declare(Scope *s, const char *name) {
  const int slot = names_add(&s->names, name);
  if (slot < 0) die("more than %d names", EXPR_MAX_VARS);
  return slot;
}

void scope_set(Scope *s, int slot, int64_t value) {
  s->value[slot] = value;
  s->state[slot] = STATE_KNOWN;
}

void scope_define(Scope *s, int slot, Definition d) {
  s->definition[slot] = d;
  if (d.node || d.text) s->state[slot] = STATE_DEFINED;
}

/* Evaluates all values that an expression reads; false if one of them is unknown. */
static bool all_known(Scope *s, const Expr *e, int64_t esize) {
  bool known = true;
  for (int slot = 0; slot < s->names.count; slot++)
    if (expr_uses(e, slot))
      known = (slot == s->esize_slot ? esize > 0 : scope_knows(s, slot)) && known;
  return known;
}

static bool evaluate(Scope *s, const Expr *e, int64_t esize, int64_t *out) {
  if (!all_known(s, e, esize)) return false;
  const int64_t other = s->value[s->esize_slot];
  s->value[s->esize_slot] = esize;
  const bool ok = expr_eval(e, s->value, s->in->diag, out);
  s->value[s->esize_slot] = other;
  return ok;
}

/* The values that a param may take, as listed by its template. */
static bool value_allowed(const Reader *in, const Definition *d, int64_t v) {
  if (!d->values) return true;
  Text list = text_new(in->arena);
  bool broken = false;
  for (int i = 0; i < d->values->count; i++) {
    int64_t allowed;
    const Expr *e = read_expr(in, d->values->item[i], "a value", &no_names);
    if (!e || !expr_eval(e, NULL, in->diag, &allowed))
      broken = true;
    else if (allowed == v)
      return true;
    text_printf(&list, "%s%s", i ? ", " : "", e ? e->text : "?");
  }
  if (broken) return false;
  diag_error(in->diag, d->loc, "%s is %lld, but must be one of %s", d->what, (long long)v, list.s);
  return false;
}

/* A value outside its range stays unknown: values that depend on it are not checked. */
static bool work_out(Scope *s, int slot, int64_t *out) {
  const Definition *d = &s->definition[slot];
  const Reader *in = s->in;
  const Expr *e = d->node ? read_expr(in, d->node, d->what, &s->names)
                          : expr_parse(in->arena, in->diag, d->loc, d->text, &s->names);
  s->expr[slot] = e;
  return e && evaluate(s, e, d->esize, out) &&
         check_range(in, d->loc, d->what, *out, d->min, d->max) && value_allowed(in, d, *out);
}

/* Reports a value that depends on itself, with the chain of names. */
static void tell_circle(Scope *s, int slot) {
  for (int i = s->depth - 1; i >= 0; i--) {
    const Definition *d = &s->definition[s->asked[i]];
    diag_error(s->in->diag, d->loc, "%s depends on itself", d->what);
    if (s->asked[i] == slot) return;
  }
}

bool scope_knows(Scope *s, int slot) {
  if (s->state[slot] == STATE_ASKED) tell_circle(s, slot);
  if (s->state[slot] != STATE_DEFINED) return s->state[slot] == STATE_KNOWN;
  int64_t v;
  s->state[slot] = STATE_ASKED;
  s->asked[s->depth++] = slot;
  const bool ok = work_out(s, slot, &v);
  s->depth--;
  s->state[slot] = STATE_UNKNOWN;
  if (ok) scope_set(s, slot, v);
  return ok;
}

static int64_t esize_of(const Scope *s) {
  return s->state[s->esize_slot] == STATE_KNOWN ? s->value[s->esize_slot] : 0;
}

bool scope_eval(Scope *s, const Expr *e, int64_t *out) { return evaluate(s, e, esize_of(s), out); }

bool scope_read(Scope *s, const Yaml *node, const char *what, int64_t min, int64_t max,
                int64_t *out) {
  int64_t v;
  const Expr *e = read_expr(s->in, node, what, &s->names);
  if (!e || !scope_eval(s, e, &v)) return false;
  if (!check_range(s->in, node->loc, what, v, min, max)) return false;
  *out = v;
  return true;
}

void scope_finish(Scope *s) {
  for (int slot = 0; slot < s->names.count; slot++) scope_knows(s, slot);
}

bool scope_reads(const Scope *s, const Expr *e, int slot) {
  if (expr_uses(e, slot)) return true;
  for (int i = 0; i < s->names.count; i++)
    if (s->definition[i].named && s->expr[i] && s->state[i] == STATE_KNOWN && expr_uses(e, i) &&
        scope_reads(s, s->expr[i], slot))
      return true;
  return false;
}
