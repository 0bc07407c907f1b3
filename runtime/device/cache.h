/* SPDX-License-Identifier: MIT */
/* cache.h: compiled kernels kept between runs. Any problem with the directory or an entry is a
 * miss. */
#ifndef KGEN_DEVICE_CACHE_H
#define KGEN_DEVICE_CACHE_H

#include "base/text.h"

typedef struct {
  const char *folder; /* NULL: nothing is stored or found */
  bool writable;
  int64_t max_bytes; /* limit for all entries together; the least recently used are removed */
} Cache;

enum { CACHE_MAX_MIB = 256 };

/* $KGEN_CACHE_DIR, else $XDG_CACHE_HOME/kgen, else $HOME/.cache/kgen, created with mode 0700. A
 * directory that another user owns or may write to is not used, because its kernels would be
 * executed. In that case, or if it cannot be created, nothing is cached and *why says so. */
Cache cache_open(Arena *a, Text *why);

/* The value stored under exactly this key, or NULL. It is followed by a NUL that *size does not
 * count. */
const char *cache_get(Arena *a, const Cache *c, const char *key, size_t *size);
/* True if there is an entry; cache_get() may still find that it belongs to another key, or is
 * damaged. */
bool cache_has(Arena *a, const Cache *c, const char *key);
/* Stores a value through a temporary file and a rename; best effort. Signals that end the process
 * are deferred until then. */
void cache_put(Arena *a, const Cache *c, const char *key, const char *value, size_t size);

#endif
