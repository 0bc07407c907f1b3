/* warp.h: the state of a running block, its warps, and the groups of lanes that share a pc. */
#ifndef KGEN_EMU_WARP_H
#define KGEN_EMU_WARP_H

#include "emu/code/code.h"
#include "emu/run/memory.h"

enum {
  LANES = EMU_LANES,
  MAX_WARPS = 32,
  MAX_RECORDS = 64,
  MAX_CALL_DEPTH = 256,
  BARRIERS = 17, /* 16 numbered ones, and that of the cluster */
  MAX_FINDINGS = 256,
  NO_RECORD = -1
};

#define ALL_LANES 0xffffffffu

typedef enum { SPLIT_FREE, SPLIT_READY, SPLIT_SYNC, SPLIT_BARRIER } SplitState;

/* Where a call's registers, predicates and local memory start. */
typedef struct {
  uint32_t slot, pred, local;
  int32_t function;
} Frame;

/* Lanes that execute together. */
typedef struct {
  SplitState state;
  uint32_t mask;
  int32_t pc, depth, record;
  Frame frame;
  int barrier;      /* BARRIER: its number */
  uint32_t waiting; /* SYNC, BARRIER: the lanes that wait */
  uint32_t member;  /* SYNC: for whom */
  const Insn *insn; /* SYNC, BARRIER: at what */
} Split;

/* A convergence point: lanes that arrive at pc wait until all of `expect` have. */
typedef struct {
  uint32_t expect, arrived;
  int32_t pc, depth, parent;
  Frame frame;
} Record;

typedef struct {
  int32_t pc;
  Frame frame;
} Return;

/* A copy that cp.async has issued and not yet performed. */
typedef struct {
  const Insn *insn;
  const uint8_t *from; /* NULL: zeros only */
  uint32_t to;         /* in shared memory */
  uint32_t group;
  uint8_t lane, bytes, from_bytes;
} AsyncCopy;

typedef struct Block Block;

struct Warp {
  Block *block;
  const Insn *code;
  Split *now;
  uint64_t *base[BANKS]; /* of the registers: the frame's, constants, special ones */
  uint32_t *pred;        /* the frame's predicates */
  uint32_t carry;        /* CC.CF */
  uint32_t alive, initial;
  int index;
  uint64_t steps, lane_steps;
  bool polled, changed; /* in this slice: memory that others write, by volatile loads or atomics */
  bool stalled;         /* the last run did nothing but poll */

  Split split[LANES];
  Record record[MAX_RECORDS];
  uint64_t records; /* those in use */

  uint64_t *slots;
  uint32_t *preds;
  uint64_t *special;
  size_t slot_capacity, pred_capacity; /* in registers */
  uint8_t *local;
  uint32_t local_capacity; /* bytes per lane */
  Return (*returns)[LANES];
  int return_capacity;

  AsyncCopy *async;
  int asyncs, async_capacity;
  uint32_t async_group[LANES];     /* groups committed so far */
  uint32_t barriers_passed[LANES]; /* of the whole block */
  uint32_t ended_behind;           /* lanes that ended where a barrier may lie before */
};

typedef struct {
  uint32_t expected;        /* threads; 0: all that live */
  uint32_t threads;         /* that arrived */
  uint32_t in_warps;        /* the same with full warps counted as 32, as bar with a count does */
  uint32_t votes, yes;      /* bar.red */
  uint32_t syncs, arrivals; /* warps that wait, and that only arrived: a bit each */
} Barrier;

typedef struct Worker Worker;
typedef struct Race Race;

enum { BARRIER_HISTORY = 64 };

struct Block {
  Worker *worker;
  const Program *program;
  uint32_t index[3];
  uint64_t number;
  uint32_t threads, alive;
  int warps;
  uint32_t shared_bytes;
  uint8_t *shared, *written; /* shared memory, and per byte whether anything wrote it */
  Barrier barrier[BARRIERS];
  const Insn *barrier_insn[BARRIER_HISTORY]; /* the block-wide barriers in order, the newest kept */
  uint32_t barriers_done;
  Race *race;
  int stalled; /* rounds in which no warp did more than poll */
  bool stop;   /* a trap, a deadlock or max_steps ended it */
  Warp *warp;
};

static inline uint64_t *warp_reg(const Warp *w, Ref ref) {
  return w->base[ref >> REF_SHIFT] + (size_t)(ref & REF_INDEX) * LANES;
}

static inline uint32_t warp_pred(const Warp *w, PredRef p) {
  uint32_t value = p.slot < 0 ? ALL_LANES : w->pred[p.slot];
  return p.negated ? ~value : value;
}

static inline void warp_set_pred(Warp *w, int32_t slot, uint32_t value, uint32_t active) {
  if (slot >= 0) w->pred[slot] = (w->pred[slot] & ~active) | (value & active);
}

static inline unsigned lane_first(uint32_t mask) { return (unsigned)__builtin_ctz(mask); }
static inline unsigned lane_count(uint32_t mask) { return (unsigned)__builtin_popcount(mask); }

/* for (each set bit `lane` of mask) */
#define FOR_LANES(lane, mask)                                                                      \
  for (uint32_t rest_ = (mask), lane = rest_ ? lane_first(rest_) : 0; rest_;                       \
       rest_ &= rest_ - 1, lane = rest_ ? lane_first(rest_) : 0)

/* --- warp.c --- */

/* Room for a frame of function f at a call depth; false when out of memory or beyond the limits.
 * Moves the registers: set the frame again. */
bool warp_reserve(Warp *w, const FunctionCode *f, Frame frame, int depth);
void warp_release(Warp *w);
/* Puts the warp at the kernel's start with its registers zeroed; storage is reserved. */
void warp_start(Warp *w, const FunctionCode *kernel, uint32_t initial);
/* Runs until no split is ready or a time slice ends; true if an instruction was executed. */
bool warp_run(Warp *w);
/* Lanes that wait at convergence points go on without the others. */
void warp_stop_waiting(Warp *w);
/* The split's lanes `active` go to `target`, the others to `other`; all meet again at `join`. */
void warp_diverge(Warp *w, uint32_t active, int32_t target, int32_t other, int32_t join);
/* `active` lanes end. */
Flow warp_exit(Warp *w, const Insn *insn, uint32_t active);
/* Sets the current split's frame and the pointers that follow from it. */
void warp_set_frame(Warp *w, Frame frame);

/* --- op_warp.c --- */

/* Waits until all living lanes of `member` execute this instruction; then *active is all of them
 * and true is returned. Otherwise the split waits (return FLOW_WAIT). */
bool warp_converge(Warp *w, const Insn *insn, uint32_t member, uint32_t *active);

#endif
