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
  WORK_FREE
} WorkKind;

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
    Event *event;
    struct {
      uint64_t address, bytes;
    } memory;
  };
} Work;

/* Runs it to its end; of WORK_GRAPH nothing, which graph_run does. */
CUresult work_run(const Work *w);
/* A copy that holds the kernel's arguments itself; of WORK_GRAPH as it stands. False when out of
 * memory. */
bool work_keep(Work *out, const Work *w);
void work_drop(Work *w);

#endif
