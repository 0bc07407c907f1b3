/* record.h: the results of a launch by source line. Wavefronts are for shared memory, sectors
 * (32 bytes) for global memory; both are totals of the launch. A report is in its source's
 * arena, but file names belong to the emulator's module. */
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
  LintTrail trail; /* its first instruction's, with the callers of the others */
  Op op;
  int bytes; /* per lane */
  uint64_t instructions, wavefronts, ideal;
  uint64_t minimum;    /* for atomics and copies: see EmuAccess; else 0 */
  bool lock;           /* an atomic by which one lane takes what others wait for: cas or exch */
  int same_word;       /* for atomics: maximum number of lanes of one instruction on one word */
  int by_cg, by_order; /* for copies: worst_cost with .cg, and with lanes in the source's order; 0:
                          no better */
  int worst_cost;      /* wavefronts of the costliest instruction */
  int worst_bank;      /* that bank of it which is served most often */
  int worst_lanes; /* lanes it serves one after another; of a copy, no bank of which decides, 0 */
  int worst_lane[WARP];
  int stride;         /* bytes from lane to lane of the costliest instruction; 0: they vary */
  const LintFix *fix; /* the array's; NULL without conflicts */
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

/* Shared-memory reads of the wgmma or tcgen05.mma on one line: never in conflict. */
typedef struct {
  LintLocation at;
  LintTrail trail;
  bool tcgen05; /* by the ISA, not measured */
  uint64_t products, wavefronts;
} LintWgmma;

/* A word of device memory that atomics update most often. */
typedef struct {
  LintLocation at;    /* location of one of the atomics */
  const char *buffer; /* that holds it; or NULL */
  uint64_t address, offset;
  uint64_t updates, all; /* to the word, and to all words */
  bool lock;
} LintHot;

typedef struct {
  LintSource *source;
  const char *kernel; /* in C++ */
  uint32_t grid[3], block[3];
  uint32_t cluster[3];   /* 0: as the kernel declares */
  uint32_t shared_bytes; /* per block, static and dynamic */
  uint64_t launches;     /* equal ones, of which this is the sum */
  uint64_t blocks;       /* that ran, of one launch: the first ones */
  bool cut;              /* --time-limit let no more begin */
  uint64_t warp_instructions;
  const char *printed; /* output of printf, or NULL */
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
  LintFinding *note;    /* legal, but probably unintended: no finding without --strict */
  LintStack from;       /* for a program: the first launch; else empty */
  LintStacks also_from; /* other places of the program that launched it */
  const char *name;     /* the launch's name in a file; or NULL */
  int output_count;
  const LintOutput *output; /* comparisons of buffers with expected contents */
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
/* --ignore: leaves out findings and notes of the kinds, a bit each. */
void lint_report_ignore(LintReport *r, uint32_t kinds);
/* --strict: makes notes findings. */
void lint_report_be_strict(Arena *a, LintReport *r);

/* Explains a bank conflict by the distance of the lanes. NULL: no conflict, or the distances vary.
 */
const char *lint_report_why(Arena *a, const LintShared *s);
/* Explains the cost of an access above its minimum that is not a bank conflict, and proposes a
 * change: lanes that update one word, or the source of a copy. NULL: there is none. */
const char *lint_report_remedy(Arena *a, const LintShared *s);
/* "4096 of 8192 atomic updates of device memory go to one word, byte 64 of out". */
const char *lint_report_hot(Arena *a, const LintHot *h);

/* At least twice the sectors that would do. */
bool lint_report_is_wasteful(const LintGlobal *g);
/* The part of the sectors' bytes that is used, 0 to 1. */
double lint_report_used_share(const LintGlobal *g);

#endif
