/* bulk_copy.h: one copy by the async proxy in flight. */
#ifndef KGEN_EMU_RUN_STATE_BULK_COPY_H
#define KGEN_EMU_RUN_STATE_BULK_COPY_H

#include "emu/run/state/block.h"
#include "emu/run/state/box.h"

/* How an element is combined with the one in memory; NULL in a flight: it replaces that. */
typedef struct FlightReduce FlightReduce;
struct FlightReduce {
  void (*apply)(const FlightReduce *how, bool shared, uint8_t *at, uint64_t value);
  unsigned bytes; /* of an element */
  const MemoryOp *op;
};

struct Flight {
  const Insn *insn;
  unsigned lane;
  Box box;       /* in shared memory of the block that holds the flight, as target or source */
  uint8_t *data; /* box.bytes of them, row by row; owned */
  const FlightReduce *reduce;
  /* into shared memory */
  uint64_t by; /* the block that issued it, and the thread */
  uint32_t thread;
  uint32_t mbarrier;
  uint64_t phase; /* of the mbarrier, when it was issued */
  Block *source;  /* of a copy from shared memory, which it reads until it lands; or NULL */
  Box from;
  /* out of it */
  bool writes; /* global memory */
  uint32_t group;
  bool is_read;     /* data is there */
  uint64_t address; /* of a copy without a tensor */
  TensorMap map;    /* rank 0: none */
  int32_t coord[TENSOR_MAX_RANK];
};

#endif
