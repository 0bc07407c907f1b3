/* SPDX-License-Identifier: MIT */
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

/* All instructions with one line, one operation and one width. */
typedef struct {
  LintLocation at;
  LintTrail trail; /* trail of its first instruction, with the callers of the others */
  Op op;
  int bytes; /* bytes per lane */
  uint64_t instructions, wavefronts, ideal;
  uint64_t minimum;    /* for atomics and copies: see EmuAccess; else 0 */
  bool lock;           /* an atomic that may take a lock: cas or exch */
  int same_word;       /* for atomics: maximum number of lanes of one instruction on one word */
  int by_cg, by_order; /* for copies: worst_cost with .cg, and with lanes ordered by their sources;
                          0: no better */
  int worst_cost;      /* wavefronts of the costliest instruction */
  int worst_bank;      /* its fullest bank */
  int worst_lanes; /* number of lanes that this bank serves one after another; 0 for a copy, which
                      has no single deciding bank */
  int worst_lane[WARP];
  int stride;         /* bytes between adjacent lanes of the costliest instruction; 0: they vary */
  const LintFix *fix; /* fix of the array; NULL without conflicts */
  LintJoin join;
  uint64_t joins_save; /* wavefronts saved by joins over all executions, estimated */
} LintShared;

typedef struct {
  LintLocation at;
  LintTrail trail;
  Op op;
  int bytes;
  uint64_t requests, sectors, bytes_used;
  uint64_t ideal; /* minimum sectors: at least one per request, and enough for the bytes */
} LintGlobal;

/* Shared-memory reads of the wgmma or tcgen05.mma on one line, which never conflict. */
typedef struct {
  LintLocation at;
  LintTrail trail;
  bool tcgen05; /* derived from the ISA, not measured */
  uint64_t products, wavefronts;
} LintWgmma;

/* One of the words of device memory with the most atomic updates. */
typedef struct {
  LintLocation at;    /* location of one of the atomics */
  const char *buffer; /* the buffer that contains it; or NULL */
  uint64_t address, offset;
  uint64_t updates, all; /* number of updates of the word, and of all words */
  bool lock;
} LintHot;

typedef struct {
  LintSource *source;
  const char *kernel; /* its name in C++ */
  uint32_t grid[3], block[3];
  uint32_t cluster[3];   /* 0: the kernel's own */
  uint32_t shared_bytes; /* per block, static and dynamic */
  uint64_t launches;     /* number of equal launches, whose sum this is */
  uint64_t blocks;       /* number of blocks that ran per launch: the first ones */
  bool cut;              /* --time-limit prevented further blocks */
  uint64_t warp_instructions;
  const char *printed; /* output of printf, or NULL */
  size_t printed_bytes;
  int shared_count, global_count, wgmma_count, fix_count;
  LintShared *shared;
  LintGlobal *global;
  LintWgmma *wgmma;
  LintFix *fix;       /* one per array with conflicts */
  uint64_t conflicts; /* total number of wavefronts above the ideal */
  uint64_t bulk_copies,
      bulk_wavefronts; /* TMA and other bulk copies, not included in loads and stores */
  uint64_t mbarriers; /* instructions that arrive or wait at an mbarrier: they take no wavefronts */
  int hot_count;
  LintHot *hot; /* the most contended words of device memory, most updates first */
  int finding_count;
  LintFinding *finding; /* ordered by location */
  int note_count;
  LintFinding *note;    /* legal, but probably unintended: a finding only with --strict */
  LintStack from;       /* for a program: call stack of the first launch; else empty */
  LintStacks also_from; /* other call stacks that launched it */
  const char *name;     /* the launch's name in a file; or NULL */
  int output_count;
  const LintOutput *output; /* comparisons of buffers with expected contents */
} LintReport;

/* One launch, or the sum of equal ones. */
typedef struct {
  const EmuKernel *kernel;
  uint32_t grid[3], block[3], cluster[3], shared_bytes;
  uint64_t launches, blocks; /* blocks: number that ran, per launch */
  const EmuResult *result;
  const EmuMemory *memory; /* for the names of buffers; or NULL */
  const LintWatch *watch;
} LintSeen;

/* The order of rows in a report, for qsort; 0 if both belong to one row. */
int lint_shared_compare(const void *a, const void *b);
int lint_global_compare(const void *a, const void *b);
int lint_wgmma_compare(const void *a, const void *b);

LintReport lint_report_make(Arena *a, LintSource *s, const LintSeen *seen);
/* --ignore: removes findings and notes of these kinds (a bit set). */
void lint_report_ignore(LintReport *r, uint32_t kinds);
/* --strict: turns notes into findings. */
void lint_report_be_strict(Arena *a, LintReport *r);

/* Explains a bank conflict by the distance of the lanes. NULL: no conflict, or the distances vary.
 */
const char *lint_report_why(Arena *a, const LintShared *s);
/* Explains the cost of an access above its minimum that is not a bank conflict, and proposes a
 * change: lanes that update one word, or the source of a copy. NULL: there is none. */
const char *lint_report_remedy(Arena *a, const LintShared *s);
/* "4096 of 8192 atomic updates of device memory go to one word, byte 64 of out". */
const char *lint_report_hot(Arena *a, const LintHot *h);

/* True if the access takes at least twice the minimum of sectors. */
bool lint_report_is_wasteful(const LintGlobal *g);
/* The share of the sectors' bytes that lanes use, 0 to 1. */
double lint_report_used_share(const LintGlobal *g);

#endif
