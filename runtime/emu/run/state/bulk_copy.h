/* SPDX-License-Identifier: MIT */
/* bulk_copy.h: one copy in flight by the async proxy (a "flight"). */
#ifndef KGEN_EMU_RUN_STATE_BULK_COPY_H
#define KGEN_EMU_RUN_STATE_BULK_COPY_H

#include "emu/run/state/block.h"
#include "emu/run/state/box.h"

/* How a reducing copy combines an element with the one in memory. A flight whose `reduce` is NULL
 * overwrites the element. */
typedef struct FlightReduce FlightReduce;
struct FlightReduce {
  void (*apply)(const FlightReduce *how, bool shared, uint8_t *at, uint64_t value);
  unsigned bytes; /* bytes per element */
  const MemoryOp *op;
};

struct Flight {
  const Insn *insn;
  unsigned lane;
  Box box;       /* its target or source in the shared memory of the block that holds the flight */
  uint8_t *data; /* box.bytes bytes, row by row; owned */
  const FlightReduce *reduce;
  /* for copies into shared memory: */
  Block *into; /* the block of the box, if another one has the mbarrier and holds the flight */
  uint64_t by; /* the block and the thread that issued it */
  uint32_t thread;
  uint32_t mbarrier;
  uint64_t phase; /* phase of the mbarrier when the copy was issued */
  /* for a copy from shared memory: the block that it reads until it completes; else NULL */
  Block *source;
  Box from;
  /* for copies out of shared memory: */
  bool writes; /* the copy writes global memory */
  uint32_t group;
  bool is_read;     /* `data` has been read from shared memory */
  uint64_t address; /* target of a copy without a tensor map */
  TensorMap map;    /* rank 0: none */
  uint64_t map_at;  /* its address in global memory; 0: it is elsewhere */
  int32_t coord[TENSOR_MAX_RANK];
};

#endif
