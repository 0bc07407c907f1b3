/* cache.h: compiled kernels kept between runs. Whatever is wrong with the folder or an entry is a
 * miss. */
#ifndef KGEN_DEVICE_CACHE_H
#define KGEN_DEVICE_CACHE_H

#include "base/text.h"

typedef struct {
  const char *folder; /* NULL: nothing is kept or found */
  bool writable;
  int64_t max_bytes; /* of all entries together; the oldest go first */
} Cache;

enum { CACHE_MAX_MIB = 256 };

/* $KGEN_CACHE_DIR, else $XDG_CACHE_HOME/kgen, else $HOME/.cache/kgen, made with mode 0700. A folder
 * that another user owns or may write to is not used, since its kernels would be run: then, or if
 * it cannot be made, the result keeps nothing and *why says so. */
Cache cache_open(Arena *a, Text *why);

/* The value stored under exactly this key, or NULL. It is followed by a NUL that *size does not
 * count. */
const char *cache_get(Arena *a, const Cache *c, const char *key, size_t *size);
/* Whether there is an entry, which cache_get may yet find to be another key's, or broken. */
bool cache_has(Arena *a, const Cache *c, const char *key);
/* Stores a value through a temporary file and a rename; best effort. Signals that end the process
 * wait until it is done. */
void cache_put(Arena *a, const Cache *c, const char *key, const char *value, size_t size);

#endif
