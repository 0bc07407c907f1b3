/* work.h: what a stream or a graph does: a kernel, a copy, a function of the program. */
#ifndef KGEN_LIBCUDA_WORK_H
#define KGEN_LIBCUDA_WORK_H

#include "libcuda/copy.h"
#include "libcuda/event.h"
#include "libcuda/launch.h"

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

/* CUstreamBatchMemOpParams: a word that is written, or waited for. */
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

/* A word of device memory that kernels set, and graphs look at. */
typedef struct {
  uint64_t word;
  uint32_t initial;
  bool resets; /* to `initial`, when its graph is launched */
} Condition;

/* CUgraphConditionalNodeType. */
typedef enum { BRANCH_IF, BRANCH_WHILE, BRANCH_SWITCH } BranchKind;

typedef struct {
  Condition condition;
  BranchKind kind;
  unsigned count;
  struct Graph **body; /* count of them, the work's own */
} Branch;

typedef void HostFunction(void *data);

typedef struct {
  WorkKind kind;
  union {
    KernelLaunch kernel;
    Copy copy;
    Fill fill;
    struct {
      HostFunction *call;
      void *data;
    } host;
    struct Graph *graph; /* the work's own */
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

/* Runs it to its end; of WORK_GRAPH and WORK_CONDITION nothing, which graph_run does. */
CUresult work_run(const Work *w);
/* A copy that holds the kernel's arguments itself; of graphs as it stands. False when out of
 * memory. */
bool work_keep(Work *out, const Work *w);
void work_drop(Work *w);

#endif
