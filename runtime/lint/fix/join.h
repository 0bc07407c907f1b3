/* join.h: loads or stores of one line that ptxas may join into wider ones. */
#ifndef KGEN_LINT_FIX_JOIN_H
#define KGEN_LINT_FIX_JOIN_H

#include "lint/fix/watch.h"

/* Instructions whose lanes all access neighbouring words, one instruction after the other, from an
 * aligned word on. PTX keeps them apart; ptxas joins them where it can prove the alignment, and
 * machine code then takes other wavefronts. */
typedef struct {
  int insns, joined; /* PTX instructions, and the wider ones that replace them; 0: none */
  int bytes;         /* per lane of the wider ones */
  int before, after; /* wavefronts of all, executed once */
} LintJoin;

/* Among `count` instructions of one operation and one width. Sorts them. */
LintJoin lint_join_find(const LintInsn **insn, int count);

#endif
