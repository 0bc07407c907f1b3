/* findings.h: a kernel's bugs, one finding for each line and cause. */
#ifndef KGEN_LINT_REPORT_FINDINGS_H
#define KGEN_LINT_REPORT_FINDINGS_H

#include "emu/emu.h"
#include "lint/input/source.h"

/* A further location of a finding, and what happens there. line 0: none, the text alone. */
typedef struct {
  LintLocation at;
  const char *text;
} LintWhere;

/* An EmuFinding and its place. */
typedef struct {
  LintLocation at;
  LintTrail trail;
  EmuFindingKind kind;
  EmuSpace space;               /* EMU_SPACES: none, or not known */
  uint32_t thread[3], block[3]; /* the first thread */
  uint64_t count;
  int others; /* for a race: lines of the other side; the message names the first */
  LintLocation other[EMU_OTHERS];
  LintTrail other_trail; /* calls of the first */
  const char *message;
  int wheres;
  const LintWhere *where;
} LintFinding;

/* A launch's findings, or its notes, sorted by location; those with equal line and text are
 * merged. *count: in, the number given; out, the number returned. */
LintFinding *lint_findings(Arena *a, LintSource *s, const EmuFinding *finding, int *count);
/* The findings and notes of one list, in the order of their places. */
LintFinding *lint_findings_unite(Arena *a, const LintFinding *x, int xs, const LintFinding *y,
                                 int ys);

/* True if two have the same line and cause, ignoring addresses and threads. */
bool lint_findings_same(const LintFinding *a, const LintFinding *b);
/* Merges an equal finding into `into`. Keeps the finding of the earlier block and adds the
 * callers of the other. */
void lint_findings_merge(Arena *a, LintFinding *into, const LintFinding *more);

#endif
