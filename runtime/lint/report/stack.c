/* SPDX-License-Identifier: MIT */
#include "lint/report/stack.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "lint/input/name.h"

void lint_stack_put(Json *j, const char *key, const LintStack *s) {
  json_array(j, key);
  for (int i = 0; i < s->count; i++) {
    const LintFrame *f = &s->frame[i];
    json_line(j, NULL);
    json_string(j, "module", f->module);
    json_int(j, "offset", (int64_t)f->offset);
    if (f->function) json_string(j, "function", f->function);
    if (f->file) json_string(j, "file", f->file);
    if (f->file) json_int(j, "line", f->line);
    json_end(j);
  }
  json_end(j);
}

void lint_stacks_put(Json *j, const char *key, const LintStacks *s) {
  json_array(j, key);
  for (int i = 0; i < s->count; i++) lint_stack_put(j, NULL, &s->stack[i]);
  json_end(j);
}

bool lint_stacks_hold(const LintStacks *all, const LintStack *s) {
  for (int i = 0; i < all->count; i++)
    if (lint_stack_same(&all->stack[i], s)) return true;
  return false;
}

LintStack lint_stack_read(Arena *a, const Yaml *of) {
  if (!of || of->kind != YAML_LIST) return (LintStack){0};
  LintStack s = {of->count, ARENA_ARRAY(a, LintFrame, (size_t)of->count + 1)};
  for (int i = 0; i < of->count; i++) {
    const Yaml *f = of->item[i];
    s.frame[i] = (LintFrame){.module = yaml_text(f, "module"),
                             .offset = yaml_number(f, "offset"),
                             .function = yaml_text(f, "function"),
                             .file = yaml_text(f, "file"),
                             .line = (int)yaml_number(f, "line")};
    if (!s.frame[i].module) s.frame[i].module = "?";
  }
  return s;
}

LintStacks lint_stacks_read(Arena *a, const Yaml *of) {
  LintStacks s = {.count = 0};
  for (int i = 0; i < yaml_items(of) && i < LINT_STACKS; i++)
    s.stack[s.count++] = lint_stack_read(a, of->item[i]);
  return s;
}

bool lint_frame_same(const LintFrame *a, const LintFrame *b) {
  return a->offset == b->offset && strcmp(a->module, b->module) == 0;
}

bool lint_stack_same(const LintStack *a, const LintStack *b) {
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; i++)
    if (!lint_frame_same(&a->frame[i], &b->frame[i])) return false;
  return true;
}

const char *lint_stack_spell(Arena *a, const LintFrame *f) {
  const char *where = f->file ? arena_printf(a, "%s:%d", path_name(f->file), f->line)
                              : arena_printf(a, "%s+0x%" PRIx64, path_name(f->module), f->offset);
  return f->function ? arena_printf(a, "%s at %s", lint_name_short(a, f->function), where) : where;
}
