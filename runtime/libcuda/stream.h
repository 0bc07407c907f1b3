/* stream.h: streams. Work runs in the order of the calls and has ended when each call returns,
 * unless the stream is captured. */
#ifndef KGEN_LIBCUDA_STREAM_H
#define KGEN_LIBCUDA_STREAM_H

#include "libcuda/capture.h"

/* Returns the stream of a handle, default streams included. */
Stream *stream_of(CUstream handle);
/* Runs the work, or captures it. */
CUresult stream_submit(CUstream handle, const Work *w);

#endif
