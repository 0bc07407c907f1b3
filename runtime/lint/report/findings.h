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
  uint32_t thread[3], block[3]; /* of the first one */
  uint64_t count;
  int others; /* of a race: lines of the other side, the message's first */
  LintLocation other[EMU_OTHERS];
  LintTrail other_trail; /* of the first */
  const char *message;
  int wheres;
  const LintWhere *where;
} LintFinding;

/* A launch's findings, or its notes, in the order of their places; those of one line with one text
 * are merged. *count: in, how many there are; out, how many are returned. */
LintFinding *lint_findings(Arena *a, LintSource *s, const EmuFinding *finding, int *count);
/* The findings and notes of one list, in the order of their places. */
LintFinding *lint_findings_unite(Arena *a, const LintFinding *x, int xs, const LintFinding *y,
                                 int ys);

/* Whether two are the same: of one line and one cause, ignoring addresses and threads. */
bool lint_findings_same(const LintFinding *a, const LintFinding *b);
/* Merges an equal finding into `into`; that of the earlier block stays, and what called the other
 * one is added. */
void lint_findings_merge(Arena *a, LintFinding *into, const LintFinding *more);

#endif
