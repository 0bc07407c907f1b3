/* SPDX-License-Identifier: MIT */
/* work.h: work items of streams and graph nodes: kernels, copies, host functions and others. */
#ifndef KGEN_LIBCUDA_STREAM_WORK_H
#define KGEN_LIBCUDA_STREAM_WORK_H

#include "libcuda/launch/launch.h"
#include "libcuda/state/box_copy.h"
#include "libcuda/state/event.h"

/* CUgraphNodeType. */
typedef enum {
  WORK_KERNEL,
  WORK_COPY,
  WORK_FILL,
  WORK_HOST,
  WORK_GRAPH,
  WORK_EMPTY,
  WORK_WAIT,
  WORK_RECORD,
  WORK_ALLOC = 10,
  WORK_FREE,
  WORK_WORDS = 12,
  WORK_CONDITION
} WorkKind;

/* CUstreamBatchMemOpParams: writes a word of memory, or waits for it. */
typedef union {
  int operation;
  struct {
    int operation;
    CUdeviceptr address;
    uint64_t value;
    unsigned flags;
    CUdeviceptr alias;
  } word;
  uint64_t room[6];
} WordOp;

enum { WORD_WAIT_32 = 1, WORD_WRITE_32, WORD_FLUSH, WORD_WAIT_64, WORD_WRITE_64, WORD_BARRIER };

/* A word of device memory that kernels set and conditional nodes read. */
typedef struct {
  uint64_t word;
  uint32_t initial;
  bool resets;   /* reset to `initial` when its graph is launched */
  unsigned uses; /* references by its graph and by nodes, including copies of the graph */
} Condition;

/* CUgraphConditionalNodeType. */
typedef enum { BRANCH_IF, BRANCH_WHILE, BRANCH_SWITCH } BranchKind;

typedef struct {
  Condition *condition;
  BranchKind kind;
  unsigned count;
  struct Graph **body; /* `count` bodies, owned by the work */
} Branch;

typedef void HostFunction(void *data);
typedef void StreamCallback(CUstream s, CUresult status, void *data);

typedef struct {
  WorkKind kind;
  uint64_t record; /* for WORK_WAIT: a record of another process to wait for, too; or 0 */
  union {
    KernelLaunch kernel;
    Copy copy;
    Fill fill;
    struct {
      HostFunction *call;
      void *data;
      StreamCallback *callback; /* called with `stream` instead of `call` */
      CUstream stream;
    } host;
    struct Graph *graph; /* owned by the work */
    Branch branch;
    struct {
      unsigned count;
      const WordOp *op;
    } words;
    Event *event;
    struct {
      uint64_t address, bytes;
    } memory;
  };
} Work;

/* Executes word operations from number *done on, until one has to wait. */
CUresult work_words(const Work *w, unsigned *done);
/* Runs the work to its end, except WORK_GRAPH and WORK_CONDITION, which graph_run() runs. */
CUresult work_run(const Work *w);
/* Makes a copy that owns the kernel's arguments; graphs are not copied. False when out
 * of memory. */
bool work_keep(Work *out, const Work *w);
void work_drop(Work *w);

#endif
