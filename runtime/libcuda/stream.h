/* stream.h: streams, whose work is done in the order of the calls and has ended when each returns.
 */
#ifndef KGEN_LIBCUDA_STREAM_H
#define KGEN_LIBCUDA_STREAM_H

#include "libcuda/abi.h"

typedef struct Stream {
  unsigned flags;
  int priority;
  unsigned long long id;
  CUcontext context;
} Stream;

#endif
