/* exit_code.h: what the command's exit code says, as the README's table has it; 0 is ok. */
#ifndef KGEN_JUDGE_EXIT_CODE_H
#define KGEN_JUDGE_EXIT_CODE_H

enum {
  EXIT_WRONG = 1,     /* a wrong result, a finding, something worse than before */
  EXIT_USAGE = 2,     /* or output that cannot be written */
  EXIT_BAD_INPUT = 3, /* a spec, or a file to judge */
  EXIT_CONFLICTS = 4, /* `strict`, and no conflict-free layout */
  EXIT_REJECTED = 5,  /* the source does not compile */
  EXIT_FAILED = 6,    /* CUDA fails, or a part of it is not there */
  EXIT_NO_GPU = 77    /* demanded, and there is none */
};

#endif
