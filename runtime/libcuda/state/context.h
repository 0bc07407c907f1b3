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
  LIMIT_SYNC_DEPTH, /* which the device's runtime no longer has */
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
  struct Context *destroyed; /* the one that was before it */
  bool alive;                /* of the primary one: retained, or made by being used */
  int retained;
  int attached; /* by cuCtxCreate and cuCtxAttach */
  unsigned flags;
  unsigned long long id;
  CUresult error; /* sticky: a launch has failed */
  size_t limit[CONTEXT_LIMITS];
  int cache_config; /* as the program prefers; nothing depends on it */
  ContextStorage *storage;
} Context;

enum { CONTEXT_DEPTH = 64 };

/* The context stack of a host thread, whose last entry is current. */
typedef struct {
  Context *context[CONTEXT_DEPTH];
  int depth;
} ContextStack;

ContextStack *context_stack(void);
/* Returns this thread's current context, or NULL. */
Context *context_current(void);
/* Returns its sticky error. */
CUresult context_error(void);
Context *context_primary(void);
/* Returns the given context, or the current one for NULL. */
Context *context_or_current(CUcontext context);
/* Brings a context to life; does nothing if it is alive. */
void context_begin(Context *c);
/* Destroys a context after its callbacks; does nothing if it is not alive. */
void context_end(Context *c);
/* Makes a launch's failure the context's sticky error, unless it has one. */
void context_fail(Context *c, CUresult error);

/* The device of any context and stream: there is one, 0. */
CUresult context_get_device(CUdevice *out);

/* What the runtime stores with a context by a key; `destroy` is called when the context ends. */
CUresult context_keep(Context *c, void *key, void *value,
                      void (*destroy)(CUcontext, void *, void *));
CUresult context_recall(Context *c, void *key, void **value);
CUresult context_forget(Context *c, void *key);

#endif
