/* SPDX-License-Identifier: MIT */
/* findings.h: a kernel's bugs, merged to one finding per line and cause. */
#ifndef KGEN_LINT_REPORT_FINDINGS_H
#define KGEN_LINT_REPORT_FINDINGS_H

#include "emu/emu.h"
#include "lint/input/source.h"

/* A further location of a finding, and a text about it. line 0: no location, the text only. */
typedef struct {
  LintLocation at;
  const char *text;
} LintWhere;

/* An EmuFinding and its source location. */
typedef struct {
  LintLocation at;
  LintTrail trail;
  EmuFindingKind kind;
  EmuSpace space;               /* EMU_SPACES: none, or unknown */
  uint32_t thread[3], block[3]; /* the first thread with the finding */
  uint64_t count;
  int others; /* for a race: lines of the other accesses; the message names the first */
  LintLocation other[EMU_OTHERS];
  LintTrail other_trail; /* calls that led to the first of them */
  const char *message;
  int wheres;
  const LintWhere *where;
} LintFinding;

/* Converts a launch's findings, or its notes: sorted by location, with equal ones merged. *count:
 * number of entries given, then returned. */
LintFinding *lint_findings(Arena *a, LintSource *s, const EmuFinding *finding, int *count);
/* Merges two lists of findings or notes, ordered by location. */
LintFinding *lint_findings_unite(Arena *a, const LintFinding *x, int xs, const LintFinding *y,
                                 int ys);

/* True if two have the same line and cause, ignoring addresses and threads. */
bool lint_findings_same(const LintFinding *a, const LintFinding *b);
/* Merges an equal finding into `into`. Keeps the finding of the earlier block and adds the
 * callers of the other. */
void lint_findings_merge(Arena *a, LintFinding *into, const LintFinding *more);

#endif
