/* SPDX-License-Identifier: MIT */
/* watch.h: records the distinct warp-wide accesses to shared memory of one launch. All offsets and
 * sizes are in bytes. */
#ifndef KGEN_LINT_FIX_WATCH_H
#define KGEN_LINT_FIX_WATCH_H

#include "emu/emu.h"
#include "model/cost.h"

/* Accesses with the same active lanes at the same offsets. */
typedef struct {
  uint64_t hash;
  uint64_t count; /* number of executions; 0 marks a free slot */
  uint32_t active;
  uint32_t offset[EMU_LANES]; /* bytes from the block's base; 0 in inactive lanes */
  int64_t source[EMU_LANES]; /* for a cp.async: source addresses; lines of 128 bytes are numbered in
                                the order of the lanes */
} LintPattern;

/* One instruction. If there are more than LINT_MAX_PATTERNS patterns, those with the smallest
 * hashes are kept: a sample that does not depend on the order in which host threads run blocks. */
typedef struct LintInsn {
  struct LintInsn *next; /* next on the same line of PTX, or of all instructions: see LintWatch */
  const char *file;
  int line, ptx_line;
  Op op;
  CopyCache cache; /* for a cp.async: its cache operator */
  int bytes;       /* bytes per lane */
  int passes;      /* passes over the banks: 2 for compare-and-swap */
  int patterns, slots;
  LintPattern *slot; /* hash table; LintPattern.count 0 marks a free slot */
  uint64_t limit;    /* patterns of this hash and above are left out */
  bool sampled;
  int worst_cost; /* wavefronts of the worst pattern */
  LintPattern worst;
} LintInsn;

enum { LINT_MAX_PATTERNS = 512 };

typedef struct LintWatch LintWatch;

/* shared_bytes: static and dynamic bytes per block. ptx_lines: number of lines of the module. */
LintWatch *lint_watch_new(Arena *a, uint32_t shared_bytes, int ptx_lines);
void lint_watch_free(LintWatch *w);
/* An EmuObserver; the context is the LintWatch. */
void lint_watch_event(void *watch, const EmuEvent *event);
/* A word of device memory, and the number of atomic updates by lanes. */
typedef struct {
  uint64_t address, updates; /* updates 0 marks a free slot */
  int ptx_line;              /* line of its latest update */
} LintWord;
/* Writes the words with the most updates, in descending order, at most `most`; stores the number of
 * updates of all words in *all. Returns the number of words written. */
int lint_watch_words(const LintWatch *w, LintWord *out, int most, uint64_t *all);
/* The instruction that the emulator counts in `access`, or NULL. */
const LintInsn *lint_watch_find(const LintWatch *w, const EmuAccess *access);

/* The layout that the async proxy uses in the part of a range that it accesses. */
typedef struct {
  bool flat;     /* a bulk copy of plain bytes, or boxes of several widths */
  bool boxed;    /* boxes of a tensor */
  bool swizzled; /* some boxes are swizzled */
  bool wgmma;    /* operands of wgmma */
  uint32_t row;  /* bytes per row of the boxes */
} LintLaid;

LintLaid lint_watch_laid(const LintWatch *w, uint32_t offset, uint32_t bytes);

/* The operation's name in specs; for global memory, which cp.async reads, a load. */
Op lint_op(EmuAccessKind kind, EmuSpace space);

void lint_pattern_addresses(const LintPattern *p, int64_t address[WARP]);
/* The cost of a pattern with its lanes at these addresses. */
BankCost lint_pattern_cost(const LintInsn *insn, const LintPattern *p, const int64_t address[WARP]);

/* For a copy's pattern: its wavefronts with .cg, and with its lanes ordered by their source
 * addresses. 0 if that is impossible or no better. */
int lint_pattern_by_cg(const LintInsn *insn, const LintPattern *p);
int lint_pattern_by_order(const LintInsn *insn, const LintPattern *p);
/* For an atomic's pattern: the maximum number of lanes that update one word. */
int lint_pattern_same_word(const LintPattern *p);

#endif
