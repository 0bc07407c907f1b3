/* work.h: units of work of streams and graph nodes: kernels, copies, host functions and others. */
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

/* CUstreamBatchMemOpParams: a word of memory that is written or waited for. */
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
  bool resets;   /* to `initial`, when its graph is launched */
  unsigned uses; /* by the graph that it was made for, and by nodes, also of copies of the graph */
} Condition;

/* CUgraphConditionalNodeType. */
typedef enum { BRANCH_IF, BRANCH_WHILE, BRANCH_SWITCH } BranchKind;

typedef struct {
  Condition *condition;
  BranchKind kind;
  unsigned count;
  struct Graph **body; /* count of them, the work's own */
} Branch;

typedef void HostFunction(void *data);
typedef void StreamCallback(CUstream s, CUresult status, void *data);

typedef struct {
  WorkKind kind;
  uint64_t record; /* of another process, that WORK_WAIT waits for, too; or 0 */
  union {
    KernelLaunch kernel;
    Copy copy;
    Fill fill;
    struct {
      HostFunction *call;
      void *data;
      StreamCallback *callback; /* instead of `call`, of `stream` */
      CUstream stream;
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

/* Runs operations on words, from the *done-th on, until one waits for its word. */
CUresult work_words(const Work *w, unsigned *done);
/* Runs the work to its end. WORK_GRAPH and WORK_CONDITION are left to graph_run. */
CUresult work_run(const Work *w);
/* Makes a copy that owns the kernel's arguments; graphs are not copied. False when out
 * of memory. */
bool work_keep(Work *out, const Work *w);
void work_drop(Work *w);

#endif
