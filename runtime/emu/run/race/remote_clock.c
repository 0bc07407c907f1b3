/* SPDX-License-Identifier: MIT */
#include "emu/run/race/remote_clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { FAN_BITS = 4, FAN = 1 << FAN_BITS, LOCATION_BITS = 14, MAX_BYTES = 256 << 20 };

struct RemoteClock {
  uint32_t refs;
};

typedef struct {
  RemoteClock head;
  RemoteClock *child[FAN];
} Node;

typedef struct {
  RemoteClock head;
  Clock clock; /* by warp */
} Leaf;

struct RemoteClockPool {
  pthread_mutex_t lock;
  int levels, warps; /* levels of nodes above the leaves, one for each block */
  size_t bytes;
  atomic_bool full;
  RemoteClock *location[1 << LOCATION_BITS];
  Attempts attempts;
};

/* --- storage: under the lock --- */

static void *allocate(RemoteClockPool *p, size_t bytes) {
  RemoteClock *k = p->bytes + bytes <= MAX_BYTES ? calloc(1, bytes) : NULL;
  if (!k) {
    atomic_store(&p->full, true);
    return NULL;
  }
  p->bytes += bytes;
  k->refs = 1;
  return k;
}

/* Lanes that have come apart are not counted. */
static size_t leaf_bytes(const RemoteClockPool *p) {
  return sizeof(Leaf) + (size_t)p->warps * sizeof(uint32_t);
}

static Leaf *leaf_new(RemoteClockPool *p) {
  Leaf *leaf = allocate(p, leaf_bytes(p));
  if (!leaf || clock_open(&leaf->clock, p->warps)) return leaf;
  p->bytes -= leaf_bytes(p);
  atomic_store(&p->full, true);
  free(leaf);
  return NULL;
}

static RemoteClock *retain(RemoteClock *k) {
  if (k) k->refs++;
  return k;
}

static void release(RemoteClockPool *p, int level, RemoteClock *k) {
  if (!k || --k->refs) return;
  for (int i = 0; level && i < FAN; i++) release(p, level - 1, ((Node *)k)->child[i]);
  if (!level) clock_close(&((Leaf *)k)->clock);
  p->bytes -= level ? sizeof(Node) : leaf_bytes(p);
  free(k);
}

/* --- joining: each returns a new reference --- */

static RemoteClock *join_leaves(RemoteClockPool *p, RemoteClock *a, RemoteClock *b) {
  const Clock *x = &((Leaf *)a)->clock, *y = &((Leaf *)b)->clock;
  const bool a_has = clock_covers(x, y, p->warps), b_has = clock_covers(y, x, p->warps);
  Leaf *leaf = a_has || b_has ? NULL : leaf_new(p);
  if (!leaf) return retain(b_has ? b : a);
  clock_copy(&leaf->clock, x, p->warps);
  clock_join(&leaf->clock, y, p->warps);
  return &leaf->head;
}

static RemoteClock *join(RemoteClockPool *p, int level, RemoteClock *a, RemoteClock *b);

/* Where one of the two holds all that the other does, it is the result: trees stay shared. */
static RemoteClock *join_nodes(RemoteClockPool *p, int level, RemoteClock *a, RemoteClock *b) {
  RemoteClock *const *x = ((Node *)a)->child, *const *y = ((Node *)b)->child, *child[FAN];
  bool a_has = true, b_has = true;
  for (int i = 0; i < FAN; i++) {
    child[i] = join(p, level - 1, x[i], y[i]);
    a_has &= child[i] == x[i];
    b_has &= child[i] == y[i];
  }
  Node *node = a_has || b_has ? NULL : allocate(p, sizeof *node);
  if (node) {
    memcpy(node->child, child, sizeof child);
    return &node->head;
  }
  for (int i = 0; i < FAN; i++) release(p, level - 1, child[i]);
  return retain(b_has ? b : a);
}

static RemoteClock *join(RemoteClockPool *p, int level, RemoteClock *a, RemoteClock *b) {
  if (!b || a == b) return retain(a);
  if (!a) return retain(b);
  return level ? join_nodes(p, level, a, b) : join_leaves(p, a, b);
}

/* A tree of one block's warps, whose clock begins at slot `first`; NULL when out of memory. */
static RemoteClock *path(RemoteClockPool *p, int level, uint32_t block, const Clock *clock,
                         int first) {
  if (!level) {
    Leaf *leaf = leaf_new(p);
    if (leaf) clock_slice(&leaf->clock, clock, first, p->warps);
    return leaf ? &leaf->head : NULL;
  }
  RemoteClock *below = path(p, level - 1, block, clock, first);
  Node *node = below ? allocate(p, sizeof *node) : NULL;
  if (!node) {
    release(p, level - 1, below);
    return NULL;
  }
  node->child[block >> FAN_BITS * (level - 1) & (FAN - 1)] = below;
  return &node->head;
}

static void replace(RemoteClockPool *p, RemoteClock **to, RemoteClock *value) {
  RemoteClock *old = *to;
  *to = value;
  release(p, p->levels, old);
}

/* --- for others --- */

RemoteClockPool *remote_clock_pool_new(uint64_t blocks, int warps) {
  RemoteClockPool *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->warps = warps;
  while (p->levels * FAN_BITS < 32 && blocks > 1ull << p->levels * FAN_BITS) p->levels++;
  pthread_mutex_init(&p->lock, NULL);
  return p;
}

void remote_clock_pool_free(RemoteClockPool *p) {
  if (!p) return;
  for (int i = 0; i < 1 << LOCATION_BITS; i++) release(p, p->levels, p->location[i]);
  attempts_close(&p->attempts);
  pthread_mutex_destroy(&p->lock);
  free(p);
}

bool remote_clock_is_full(const RemoteClockPool *p) {
  return atomic_load_explicit(&p->full, memory_order_relaxed);
}

void remote_clock_join(RemoteClockPool *p, RemoteClock **to, RemoteClock *more) {
  if (!more || *to == more) return;
  pthread_mutex_lock(&p->lock);
  replace(p, to, join(p, p->levels, *to, more));
  pthread_mutex_unlock(&p->lock);
}

void remote_clock_set(RemoteClockPool *p, RemoteClock **to, RemoteClock *value) {
  if (*to == value) return;
  pthread_mutex_lock(&p->lock);
  replace(p, to, retain(value));
  pthread_mutex_unlock(&p->lock);
}

void remote_clock_add(RemoteClockPool *p, RemoteClock **to, uint32_t block, const Clock *clock,
                      int first) {
  pthread_mutex_lock(&p->lock);
  RemoteClock *own = path(p, p->levels, block, clock, first);
  replace(p, to, join(p, p->levels, *to, own));
  release(p, p->levels, own);
  pthread_mutex_unlock(&p->lock);
}

static RemoteClock **entry_of(RemoteClockPool *p, uint64_t location) {
  return &p->location[location * 0x9E3779B97F4A7C15ull >> (64 - LOCATION_BITS)];
}

void remote_clock_publish(RemoteClockPool *p, uint64_t location, RemoteClock *released) {
  if (!released) return;
  RemoteClock **entry = entry_of(p, location);
  pthread_mutex_lock(&p->lock);
  replace(p, entry, join(p, p->levels, *entry, released));
  pthread_mutex_unlock(&p->lock);
}

void remote_clock_observe(RemoteClockPool *p, uint64_t location, RemoteClock **to) {
  RemoteClock **entry = entry_of(p, location);
  pthread_mutex_lock(&p->lock);
  replace(p, to, join(p, p->levels, *to, *entry));
  pthread_mutex_unlock(&p->lock);
}

void remote_clock_attempt(RemoteClockPool *p, const Attempt *release) {
  pthread_mutex_lock(&p->lock);
  attempts_release(&p->attempts, release);
  pthread_mutex_unlock(&p->lock);
}

void remote_clock_attempt_acquire(RemoteClockPool *p, uint64_t location, AttemptSide acquire) {
  pthread_mutex_lock(&p->lock);
  attempts_acquire(&p->attempts, location, acquire);
  pthread_mutex_unlock(&p->lock);
}

Attempt remote_clock_find_attempt(RemoteClockPool *p, uint32_t block, int slots_of_block, int slot,
                                  uint32_t tick) {
  pthread_mutex_lock(&p->lock);
  const Attempt *found = attempts_find(&p->attempts, block, slots_of_block, slot, tick);
  Attempt copy = found ? *found : (Attempt){0};
  pthread_mutex_unlock(&p->lock);
  copy.tick = NULL;
  return copy;
}

bool remote_clock_has(const RemoteClockPool *p, const RemoteClock *k, uint32_t block, int warp,
                      unsigned lane, uint32_t tick) {
  for (int level = p->levels; k && level > 0; level--)
    k = ((const Node *)k)->child[block >> FAN_BITS * (level - 1) & (FAN - 1)];
  return k && clock_has(&((const Leaf *)k)->clock, warp, lane, tick);
}
