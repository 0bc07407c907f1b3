/* SPDX-License-Identifier: MIT */
#include "libcuda/state/context.h"

#include <stdlib.h>
#include <string.h>

/* CUDA's interface makes the current context a property of the host thread. */
ContextStack *context_stack(void) {
  static _Thread_local ContextStack mine;
  return &mine;
}

static void set_limits(Context *c) {
  static const size_t limit[CONTEXT_LIMITS] = {1024, 33 << 18, 8 << 20,
                                               0,    2048,     64}; /* default limits of an H200 */
  memcpy(c->limit, limit, sizeof limit);
}

Context *context_primary(void) {
  static Context one;
  return &one;
}

Context *context_current(void) {
  const ContextStack *s = context_stack();
  return s->depth ? s->context[s->depth - 1] : NULL;
}

CUresult context_error(void) {
  const Context *c = context_current();
  return c ? c->error : CUDA_ERROR_INVALID_CONTEXT;
}

Context *context_or_current(CUcontext context) { return context ? context : context_current(); }

void context_fail(Context *c, CUresult error) {
  if (!c->error) c->error = error;
}

CUresult context_get_device(CUdevice *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = 0;
  return CUDA_SUCCESS;
}

/* --- what the runtime keeps --- */

static ContextStorage **find(Context *c, const void *key) {
  ContextStorage **at = &c->storage;
  while (*at && (*at)->key != key) at = &(*at)->next;
  return at;
}

CUresult context_keep(Context *c, void *key, void *value,
                      void (*destroy)(CUcontext, void *, void *)) {
  ContextStorage **at = find(c, key);
  if (!*at) *at = calloc(1, sizeof **at);
  if (!*at) return CUDA_ERROR_OUT_OF_MEMORY;
  (*at)->key = key;
  (*at)->value = value;
  (*at)->destroy = destroy;
  return CUDA_SUCCESS;
}

CUresult context_recall(Context *c, void *key, void **value) {
  ContextStorage **at = find(c, key);
  if (!*at) return CUDA_ERROR_INVALID_HANDLE;
  *value = (*at)->value;
  return CUDA_SUCCESS;
}

CUresult context_forget(Context *c, void *key) {
  ContextStorage **at = find(c, key), *old = *at;
  if (!old) return CUDA_ERROR_INVALID_HANDLE;
  *at = old->next;
  free(old);
  return CUDA_SUCCESS;
}

/* Calls the runtime's callbacks for the end of its context. */
static void drop_keepsakes(Context *c) {
  while (c->storage) {
    ContextStorage *k = c->storage;
    c->storage = k->next;
    if (k->destroy) k->destroy(c, k->key, k->value);
    free(k);
  }
}

/* --- their life --- */

void context_begin(Context *c) {
  static unsigned long long ids;
  if (c->alive) return;
  c->alive = true;
  c->error = CUDA_SUCCESS;
  c->id = ++ids;
  c->cache_config = 0;
  set_limits(c);
}

void context_end(Context *c) {
  if (!c->alive) return;
  drop_keepsakes(c);
  c->alive = false;
  c->error = CUDA_SUCCESS;
}
