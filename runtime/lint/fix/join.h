/* SPDX-License-Identifier: MIT */
/* join.h: loads or stores of one line that ptxas may join into wider ones. */
#ifndef KGEN_LINT_FIX_JOIN_H
#define KGEN_LINT_FIX_JOIN_H

#include "lint/fix/watch.h"

/* Instructions whose lanes all access adjacent words, one instruction after the other, starting at
 * an aligned word. PTX has separate instructions; ptxas joins them if it can prove the alignment,
 * and the machine code then has a different number of wavefronts. */
typedef struct {
  int insns, joined; /* PTX instructions, and the wider ones that replace them; 0: none */
  int bytes;         /* bytes per lane of the wider ones */
  int before, after; /* wavefronts of all, executed once */
} LintJoin;

/* Searches `count` instructions with one operation and one width, which it sorts. */
LintJoin lint_join_find(const LintInsn **insn, int count);

#endif
