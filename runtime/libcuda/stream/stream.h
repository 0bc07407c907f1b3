/* SPDX-License-Identifier: MIT */
/* stream.h: streams and the default streams. A stream is freed when the program has destroyed it
 * and none of its work is pending. */
#ifndef KGEN_LIBCUDA_STREAM_STREAM_H
#define KGEN_LIBCUDA_STREAM_STREAM_H

#include "libcuda/stream/capture.h"

/* Returns the stream of a handle, including default streams: the legacy stream belongs to the
 * process, the per-thread stream to a thread, and ends with it. */
Stream *stream_of(CUstream handle);
/* True if the handle is a stream that has not been destroyed. */
bool stream_is(CUstream handle);
/* The context of a stream that the program made; NULL for others. */
CUcontext stream_context(CUstream handle);
#define SERVE_IN(stream, need, call)                                                               \
  SERVE_AS(stream_context(stream), need, stream_is(stream) ? (call) : CUDA_ERROR_INVALID_HANDLE)
/* Frees a destroyed stream, once none of its work is pending. */
void stream_drop(Stream *s);
/* A pending work item of the stream has ended. */
void stream_settle(Stream *s);

#endif
