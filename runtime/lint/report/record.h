/* record.h: what a launch showed, by source line; and how it is written down. Wavefronts are
 * those of shared memory, sectors the 32 bytes each of global memory, both summed over the launch.
 * A report lies in its source's arena, but names files as the emulator's module holds them. */
#ifndef KGEN_LINT_REPORT_RECORD_H
#define KGEN_LINT_REPORT_RECORD_H

#include "lint/fix/join.h"
#include "lint/fix/layout.h"
#include "lint/input/expect.h"
#include "lint/input/source.h"
#include "lint/report/findings.h"
#include "lint/report/stack.h"

/* Instructions of one line, one operation and one width, together. */
typedef struct {
  LintLocation at;
  LintTrail trail; /* of its first instruction, with where others were called */
  Op op;
  int bytes; /* per lane */
  uint64_t instructions, wavefronts, ideal;
  uint64_t minimum;    /* of atomics and copies: EmuAccess's; else 0 */
  bool lock;           /* an atomic by which one lane takes what others wait for: cas or exch */
  int same_word;       /* of atomics: the most lanes of one instruction that update one word */
  int by_cg, by_order; /* of copies: worst_cost with .cg, and with lanes in the source's order; 0:
                          no better */
  int worst_cost;      /* wavefronts of the costliest instruction */
  int worst_bank;      /* that bank of it which is served most often */
  int worst_lanes; /* lanes it serves one after another; of a copy, no bank of which decides, 0 */
  int worst_lane[WARP];
  const LintFix *fix; /* of the array; NULL without conflicts */
  LintJoin join;
  uint64_t joins_save; /* about, wavefronts of all executions */
} LintShared;

typedef struct {
  LintLocation at;
  LintTrail trail;
  Op op;
  int bytes;
  uint64_t requests, sectors, bytes_used;
  uint64_t ideal; /* sectors: one a request at least, and enough for the bytes */
} LintGlobal;

/* What wgmma of one line reads of shared memory: never in conflict. */
typedef struct {
  LintLocation at;
  LintTrail trail;
  uint64_t products, wavefronts;
} LintWgmma;

/* A word of device memory that atomics update most often. */
typedef struct {
  LintLocation at;    /* of one of them */
  const char *buffer; /* that holds it; or NULL */
  uint64_t address, offset;
  uint64_t updates, all; /* of the word, and of all words */
  bool lock;
} LintHot;

typedef struct {
  LintSource *source;
  const char *kernel; /* in C++ */
  uint32_t grid[3], block[3];
  uint32_t cluster[3];   /* 0: as the kernel declares */
  uint32_t shared_bytes; /* of a block, static and dynamic */
  uint64_t launches;     /* equal ones, of which this is the sum */
  uint64_t blocks;       /* that ran, of one launch: the first ones */
  bool cut;              /* --time-limit let no more begin */
  uint64_t warp_instructions;
  const char *printed; /* what printf printed, or NULL */
  size_t printed_bytes;
  int shared_count, global_count, wgmma_count, fix_count;
  LintShared *shared;
  LintGlobal *global;
  LintWgmma *wgmma;
  LintFix *fix;                          /* one for each array that has conflicts */
  uint64_t conflicts;                    /* wavefronts above the ideal, in all */
  uint64_t bulk_copies, bulk_wavefronts; /* TMA and its like: apart from loads and stores */
  uint64_t mbarriers; /* instructions that arrive at one or wait: no wavefronts */
  int hot_count;
  LintHot *hot; /* the most contended words of device memory, most updates first */
  int finding_count;
  LintFinding *finding; /* by place */
  int note_count;
  LintFinding *note;    /* what is legal, but probably unintended: no finding without --strict */
  LintStack from;       /* of a program: the first launch; else empty */
  LintStacks also_from; /* other places of the program that launched it */
  const char *name;     /* of the launch, in a file; or NULL */
  int output_count;
  const LintOutput *output; /* what was expected of buffers, and whether it is so */
} LintReport;

/* One launch, or the sum of equal ones. */
typedef struct {
  const EmuKernel *kernel;
  uint32_t grid[3], block[3], cluster[3], shared_bytes;
  uint64_t launches, blocks; /* blocks: that ran, of one launch */
  const EmuResult *result;
  const EmuMemory *memory; /* that buffers are named from; or NULL */
  const LintWatch *watch;
} LintSeen;

/* The order of rows in a report, for qsort; 0: what one row counts. */
int lint_shared_compare(const void *a, const void *b);
int lint_global_compare(const void *a, const void *b);
int lint_wgmma_compare(const void *a, const void *b);

LintReport lint_report_make(Arena *a, LintSource *s, const LintSeen *seen);
/* --strict: makes notes findings. */
void lint_report_be_strict(Arena *a, LintReport *r);

/* What costs an access more than its minimum though its banks are ideal, and what would mend it:
 * lanes that update one word, or the source of a copy. NULL: nothing. */
const char *lint_report_remedy(Arena *a, const LintShared *s);
/* "4096 of 8192 atomic updates of device memory go to one word, byte 64 of out". */
const char *lint_report_hot(Arena *a, const LintHot *h);

/* At least twice the sectors that would do. */
bool lint_report_is_wasteful(const LintGlobal *g);
/* The part of the sectors' bytes that is used, 0 to 1. */
double lint_report_used_share(const LintGlobal *g);

#endif
