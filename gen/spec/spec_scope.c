#include <string.h>

#include "spec/expr_eval.h"
#include "spec/spec_reader.h"

int scope_declare(Scope *s, const char *name) {
  const int slot = names_add(&s->names, name);
  if (slot < 0) die("more than %d names", EXPR_MAX_VARS);
  return slot;
}

int scope_declare_ours(SpecReader *r, const char *name) {
  const bool hidden = !r->family && yaml_get(yaml_get(r->spec, "params"), name);
  return scope_declare(&r->global, hidden ? arena_printf(r->arena, "__%s", name) : name);
}

bool slot_is_ours(const SpecReader *r, int slot) {
  return slot == r->esize_slot || (slot >= r->block_slot && slot < r->block_slot + 5);
}

bool block_is_known(const SpecReader *r) {
  bool known = true;
  for (int i = 0; i < 5; i++) known = known && r->global.known[r->block_slot + i];
  return known;
}

/* True if every name it reads has a value. */
static bool ready(const Scope *s, const Expr *e) {
  for (int slot = 0; slot < s->names.count; slot++)
    if (!s->known[slot] && expr_uses(e, slot)) return false;
  return true;
}

bool scope_eval(const Scope *s, const Expr *e, Diag *d, int64_t *out) {
  return ready(s, e) && expr_eval(e, s->value, d, out);
}

void scope_defer(SpecReader *r, Item item) {
  if (r->items == MAX_ITEMS) die("more than %d values", MAX_ITEMS);
  if (item.expr) r->item[r->items++] = item;
}

/* The values that a param may take, as its family lists them. */
static bool value_allowed(SpecReader *r, const Item *item, int64_t v) {
  if (!item->values) return true;
  static const Names none = {0, {NULL}, NULL};
  Text list = text_new(r->arena);
  bool broken = false;
  for (int i = 0; i < item->values->count; i++) {
    int64_t allowed;
    const Expr *e = read_expr(r, item->values->item[i], "a value", &none);
    if (!e || !expr_eval(e, NULL, r->diag, &allowed))
      broken = true;
    else if (allowed == v)
      return true;
    text_printf(&list, "%s%s", i ? ", " : "", e ? e->text : "?");
  }
  if (broken) return false;
  diag_error(r->diag, item->loc, "%s is %lld, but must be one of %s", item->what, (long long)v,
             list.s);
  return false;
}

/* Works out one item. A value out of its range stays unknown: what depends on it is not judged. */
static void settle_item(SpecReader *r, Item *item) {
  Scope *s = &r->global;
  int64_t v;
  item->done = true;
  if (!expr_eval(item->expr, s->value, r->diag, &v)) return;
  if (!check_range(r, item->loc, item->what, v, item->min, item->max)) return;
  if (!value_allowed(r, item, v)) return;
  s->value[item->slot] = v;
  s->known[item->slot] = true;
}

static bool settle_pass(SpecReader *r) {
  Scope *s = &r->global;
  const int64_t esize = s->value[r->esize_slot];
  bool progress = false;
  for (int i = 0; i < r->items; i++) {
    Item *item = &r->item[i];
    if (item->done || !ready(s, item->expr)) continue;
    s->value[r->esize_slot] = item->esize;
    settle_item(r, item);
    s->value[r->esize_slot] = esize;
    progress = true;
  }
  return progress;
}

void scope_settle(SpecReader *r) {
  while (settle_pass(r)) continue;
  if (diag_count(r->diag) > r->errors_before || r->blind) return;
  for (int i = 0; i < r->items; i++)
    if (!r->item[i].done)
      diag_error(r->diag, r->item[i].loc, "%s depends on itself", r->item[i].what);
}
