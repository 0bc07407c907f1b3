/* stream.h: streams, and the default ones. A stream is freed when the program has destroyed it and
 * nothing of it is pending. */
#ifndef KGEN_LIBCUDA_STREAM_STREAM_H
#define KGEN_LIBCUDA_STREAM_STREAM_H

#include "libcuda/stream/capture.h"

/* Returns the stream of a handle, default streams included: the legacy one is the process's, the
 * other a thread's, with which it ends. */
Stream *stream_of(CUstream handle);
/* Whether it is a handle of a stream that has not been destroyed. */
bool stream_is(CUstream handle);
/* The context of a stream that the program made; NULL for others. */
CUcontext stream_context(CUstream handle);
#define SERVE_IN(stream, need, call)                                                               \
  SERVE_AS(stream_context(stream), need, stream_is(stream) ? (call) : CUDA_ERROR_INVALID_HANDLE)
/* Frees a stream that the program destroys, once nothing of it is pending. */
void stream_drop(Stream *s);
/* Pending work of it has ended. */
void stream_settle(Stream *s);

#endif
