/* watch.h: the distinct warp-wide accesses to shared memory that a launch makes. A watch is
 * for one launch; all offsets and sizes are bytes. */
#ifndef KGEN_LINT_FIX_WATCH_H
#define KGEN_LINT_FIX_WATCH_H

#include "emu/emu.h"
#include "model/cost.h"

/* The same lanes at the same offsets. */
typedef struct {
  uint64_t hash;
  uint64_t count; /* how often; 0 marks a free slot */
  uint32_t active;
  uint32_t offset[EMU_LANES]; /* bytes from the block's base; 0 in inactive lanes */
  int64_t source[EMU_LANES];  /* for a cp.async: where it reads; lines of 128 bytes are numbered in
                                 the order of the lanes */
} LintPattern;

/* One instruction. If there are more than LINT_MAX_PATTERNS patterns, those with the smallest
 * hashes are kept: a sample that does not depend on the order in which host threads run blocks. */
typedef struct LintInsn {
  struct LintInsn *next; /* next on the same line of PTX, or of all: see LintWatch */
  const char *file;
  int line, ptx_line;
  Op op;
  CopyCache cache; /* for a cp.async */
  int bytes;       /* per lane */
  int passes;      /* over the banks: 2 of compare-and-swap */
  int patterns, slots;
  LintPattern *slot; /* open addressing; LintPattern.count 0 is free */
  uint64_t limit;    /* patterns of this hash and above are left out */
  bool sampled;
  int worst_cost; /* wavefronts */
  LintPattern worst;
} LintInsn;

enum { LINT_MAX_PATTERNS = 512 };

typedef struct LintWatch LintWatch;

/* shared_bytes: of a block, static and dynamic; ptx_lines: of the module's text. */
LintWatch *lint_watch_new(Arena *a, uint32_t shared_bytes, int ptx_lines);
void lint_watch_free(LintWatch *w);
/* An EmuObserver; the context is the LintWatch. */
void lint_watch_event(void *watch, const EmuEvent *event);
/* A word of device memory, and how often lanes have updated it by atomics. */
typedef struct {
  uint64_t address, updates; /* updates 0: a free slot */
  int ptx_line;              /* its latest update */
} LintWord;
/* The words with the most updates, at most `most`, the most first, and in *all the updates of all
 * words. Returns their number. */
int lint_watch_words(const LintWatch *w, LintWord *out, int most, uint64_t *all);
/* The instruction that the emulator counts as `access`, or NULL. */
const LintInsn *lint_watch_find(const LintWatch *w, const EmuAccess *access);

/* How the async proxy lays out the part of a range that it accesses. */
typedef struct {
  bool flat;     /* a bulk copy of plain bytes, or boxes of several widths */
  bool boxed;    /* boxes of a tensor */
  bool swizzled; /* some of them */
  bool wgmma;    /* operands */
  uint32_t row;  /* bytes of the boxes' rows */
} LintLaid;

LintLaid lint_watch_laid(const LintWatch *w, uint32_t offset, uint32_t bytes);

/* The name in specs; for global memory, from which cp.async loads, a load. */
Op lint_op(EmuAccessKind kind, EmuSpace space);

void lint_pattern_addresses(const LintPattern *p, int64_t address[WARP]);
/* The cost of a pattern with its lanes at those addresses. */
BankCost lint_pattern_cost(const LintInsn *insn, const LintPattern *p, const int64_t address[WARP]);

/* For a copy's pattern: its wavefronts with .cg, and with its lanes in the order of the
 * addresses that they read. 0 if that is impossible or no better. */
int lint_pattern_by_cg(const LintInsn *insn, const LintPattern *p);
int lint_pattern_by_order(const LintInsn *insn, const LintPattern *p);
/* For an atomic's pattern: the maximum number of lanes that update one word. */
int lint_pattern_same_word(const LintPattern *p);

#endif
