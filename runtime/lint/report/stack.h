/* stack.h: call stacks of the host: the calls of a program that led to a launch or an
 * allocation, from the innermost on. */
#ifndef KGEN_LINT_REPORT_STACK_H
#define KGEN_LINT_REPORT_STACK_H

#include "base/json.h"
#include "base/yaml_tree.h"

typedef struct {
  const char *module;          /* program or library, as it was loaded */
  uint64_t offset;             /* offset of the call in its file */
  const char *function, *file; /* NULL: not known */
  int line;
} LintFrame;

typedef struct {
  int count;
  LintFrame *frame;
} LintStack;

/* A few places that something came from, in the order of their first time. */
enum { LINT_STACKS = 4 };
typedef struct {
  int count;
  LintStack stack[LINT_STACKS];
} LintStacks;

void lint_stack_put(Json *j, const char *key, const LintStack *s);
void lint_stacks_put(Json *j, const char *key, const LintStacks *s);
/* of: what lint_stacks_put wrote; NULL or anything else: none. */
LintStacks lint_stacks_read(Arena *a, const Yaml *of);
/* True if they contain this one. */
bool lint_stacks_hold(const LintStacks *all, const LintStack *s);
/* of: what lint_stack_put wrote; NULL or anything else: no frames. */
LintStack lint_stack_read(Arena *a, const Yaml *of);
/* True if two are the same call, or two stacks the same calls. */
bool lint_frame_same(const LintFrame *a, const LintFrame *b);
bool lint_stack_same(const LintStack *a, const LintStack *b);
/* "main at saxpy.cu:31", or the known part of it. */
const char *lint_stack_spell(Arena *a, const LintFrame *f);

#endif
