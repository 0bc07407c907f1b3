/* SPDX-License-Identifier: MIT */
/* exit_code.h: the exit codes of the command, as in the README's table; 0 is ok. */
#ifndef KGEN_JUDGE_EXIT_CODE_H
#define KGEN_JUDGE_EXIT_CODE_H

enum {
  EXIT_WRONG = 1,     /* a wrong result, a finding, or a regression */
  EXIT_USAGE = 2,     /* wrong usage, or output that cannot be written */
  EXIT_BAD_INPUT = 3, /* an error in a spec, or in a file to check */
  EXIT_CONFLICTS = 4, /* `strict`, and no conflict-free layout */
  EXIT_REJECTED = 5,  /* the source does not compile */
  EXIT_FAILED = 6,    /* CUDA fails, or a part of it is missing */
  EXIT_NO_GPU = 77    /* a GPU is required, and there is none */
};

#endif
