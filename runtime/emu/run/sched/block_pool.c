/* SPDX-License-Identifier: MIT */
#include "emu/run/sched/block_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "emu/run/race/global.h"
#include "emu/run/sched/resident.h"

enum { MOST_KEPT = 16, MOST_BYTES = 64 << 20 };

/* The properties that a launch must share with the one that storage was made for. */
typedef struct {
  const Program *program;
  uint32_t block[3], cluster[3], dynamic_shared;
  bool unchecked, knows_others; /* tracks vector clocks of other blocks */
} Fit;

typedef struct {
  Fit fit;
  Cluster *cluster;
} Kept;

struct BlockPool {
  pthread_mutex_t lock;
  int count;
  Kept kept[MOST_KEPT]; /* oldest first */
};

BlockPool *block_pool_new(void) {
  BlockPool *s = calloc(1, sizeof *s);
  if (s) pthread_mutex_init(&s->lock, NULL);
  return s;
}

void block_pool_free(BlockPool *s) {
  if (!s) return;
  for (int i = 0; i < s->count; i++) resident_free(s->kept[i].cluster);
  pthread_mutex_destroy(&s->lock);
  free(s);
}

static Fit fit_of(const Launch *launch) {
  const EmuLaunch *c = launch->config;
  Fit fit;
  memset(&fit, 0, sizeof fit); /* padding too: Fit is compared with memcmp */
  fit.program = launch->program;
  memcpy(fit.block, c->block, sizeof fit.block);
  memcpy(fit.cluster, launch->cluster, sizeof fit.cluster);
  fit.dynamic_shared = c->dynamic_shared;
  fit.unchecked = launch->unchecked;
  fit.knows_others = global_race_pool(launch->global_race) != NULL;
  return fit;
}

static Cluster *remove_at(BlockPool *s, int i) {
  Cluster *cluster = s->kept[i].cluster;
  s->count--;
  memmove(&s->kept[i], &s->kept[i + 1], (size_t)(s->count - i) * sizeof *s->kept);
  return cluster;
}

Cluster *block_pool_acquire(BlockPool *s, const Launch *launch) {
  if (!s) return NULL;
  const Fit fit = fit_of(launch);
  Cluster *found = NULL;
  pthread_mutex_lock(&s->lock);
  for (int i = s->count - 1; i >= 0 && !found; i--)
    if (memcmp(&s->kept[i].fit, &fit, sizeof fit) == 0) found = remove_at(s, i);
  pthread_mutex_unlock(&s->lock);
  return found;
}

void block_pool_release(BlockPool *s, const Launch *launch, Cluster *cluster) {
  Cluster *dropped = cluster;
  if (s && cluster && resident_bytes(cluster) <= MOST_BYTES / MOST_KEPT &&
      resident_can_renew(cluster)) {
    pthread_mutex_lock(&s->lock);
    dropped = s->count == MOST_KEPT ? remove_at(s, 0) : NULL;
    s->kept[s->count++] = (Kept){fit_of(launch), cluster};
    pthread_mutex_unlock(&s->lock);
  }
  resident_free(dropped);
}
