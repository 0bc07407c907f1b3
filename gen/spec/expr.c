/* SPDX-License-Identifier: MIT */
#include "spec/expr.h"

#include <string.h>

#include "base/utf8.h"

const Names no_names = {0, {NULL}, NULL};

int names_find(const Names *n, const char *name) {
  for (int i = 0; i < n->count; i++)
    if (strcmp(n->name[i], name) == 0) return i;
  return -1;
}

const Let *names_let(const Names *n, const char *name) {
  for (int i = 0; n->lets && i < n->lets->count; i++)
    if (strcmp(n->lets->let[i].name, name) == 0) return &n->lets->let[i];
  return NULL;
}

int names_add(Names *n, const char *name) {
  if (n->count == EXPR_MAX_VARS) return -1;
  n->name[n->count] = name;
  return n->count++;
}

static bool node_uses(const ExprNode *n, int slot) {
  if (!n) return false;
  if (n->kind == NODE_VAR) return n->slot == slot;
  return node_uses(n->a, slot) || node_uses(n->b, slot) || node_uses(n->c, slot);
}

bool expr_uses(const Expr *e, int slot) { return node_uses(e->root, slot); }

Loc expr_location(const Expr *e, int offset, int width) {
  Loc loc = e->loc;
  if (!e->in_place) return loc;
  loc.col += utf8_count(e->text, e->text + offset);
  loc.width = width;
  return loc;
}
