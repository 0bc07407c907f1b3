/* SPDX-License-Identifier: MIT */
/* stack.h: call stacks of the host: the program's calls that led to a launch or an allocation,
 * innermost first. */
#ifndef KGEN_LINT_REPORT_STACK_H
#define KGEN_LINT_REPORT_STACK_H

#include "base/json.h"
#include "base/yaml_tree.h"

typedef struct {
  const char *module;          /* path of the loaded program or library */
  uint64_t offset;             /* offset of the call in that file */
  const char *function, *file; /* NULL: unknown */
  int line;
} LintFrame;

typedef struct {
  int count;
  LintFrame *frame;
} LintStack;

/* A few call stacks, in the order of their first occurrence. */
enum { LINT_STACKS = 4 };
typedef struct {
  int count;
  LintStack stack[LINT_STACKS];
} LintStacks;

void lint_stack_put(Json *j, const char *key, const LintStack *s);
void lint_stacks_put(Json *j, const char *key, const LintStacks *s);
/* of: output of lint_stacks_put(); anything else, or NULL: none. */
LintStacks lint_stacks_read(Arena *a, const Yaml *of);
/* True if `all` contains `s`. */
bool lint_stacks_hold(const LintStacks *all, const LintStack *s);
/* of: output of lint_stack_put(); anything else, or NULL: no frames. */
LintStack lint_stack_read(Arena *a, const Yaml *of);
/* True if two frames are the same call, or two stacks the same calls. */
bool lint_frame_same(const LintFrame *a, const LintFrame *b);
bool lint_stack_same(const LintStack *a, const LintStack *b);
/* "main at saxpy.cu:31", or the known part of it. */
const char *lint_stack_spell(Arena *a, const LintFrame *f);

#endif
