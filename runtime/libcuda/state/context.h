/* SPDX-License-Identifier: MIT */
/* context.h: contexts, and each host thread's stack of them. */
#ifndef KGEN_LIBCUDA_STATE_CONTEXT_H
#define KGEN_LIBCUDA_STATE_CONTEXT_H

#include <stdbool.h>

#include "libcuda/abi.h"

/* CUlimit. */
enum {
  LIMIT_STACK_BYTES,
  LIMIT_PRINT_BYTES,
  LIMIT_HEAP_BYTES,
  LIMIT_SYNC_DEPTH, /* the device runtime no longer has it */
  LIMIT_FETCH_BYTES = 5,
  CONTEXT_LIMITS = 9
};

/* Data that the CUDA runtime stores with a context. */
typedef struct ContextStorage {
  struct ContextStorage *next;
  void *key, *value;
  void (*destroy)(CUcontext, void *key, void *value);
} ContextStorage;

typedef struct Context {
  struct Context *destroyed; /* the previously destroyed context */
  bool alive;                /* for the primary context: it is retained, or was created by use */
  int retained;
  int attached; /* reference count of cuCtxCreate and cuCtxAttach */
  unsigned flags;
  unsigned long long id;
  CUresult error; /* sticky error of a failed launch */
  size_t limit[CONTEXT_LIMITS];
  int cache_config; /* the program's preference, which has no effect */
  ContextStorage *storage;
} Context;

enum { CONTEXT_DEPTH = 64 };

/* The context stack of a host thread; the last entry is current. */
typedef struct {
  Context *context[CONTEXT_DEPTH];
  int depth;
} ContextStack;

ContextStack *context_stack(void);
/* Returns this thread's current context, or NULL. */
Context *context_current(void);
/* Returns the current context's sticky error. */
CUresult context_error(void);
Context *context_primary(void);
/* Returns the given context, or the current one for NULL. */
Context *context_or_current(CUcontext context);
/* Creates the context's state; does nothing if it is alive. */
void context_begin(Context *c);
/* Destroys a context after calling its callbacks; does nothing if it is not alive. */
void context_end(Context *c);
/* Sets the context's sticky error, unless it has one. */
void context_fail(Context *c, CUresult error);

/* The device of any context and stream: always device 0. */
CUresult context_get_device(CUdevice *out);

/* Stores a value of the CUDA runtime with a context, by key; `destroy` is called when the context
 * ends. */
CUresult context_keep(Context *c, void *key, void *value,
                      void (*destroy)(CUcontext, void *, void *));
CUresult context_recall(Context *c, void *key, void **value);
CUresult context_forget(Context *c, void *key);

#endif
