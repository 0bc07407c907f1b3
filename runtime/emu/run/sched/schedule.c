/* SPDX-License-Identifier: MIT */
#include "emu/run/sched/schedule.h"

#include <limits.h>

enum {
  RANDOM,  /* warps and blocks in any order, for any number of instructions */
  TURNS,   /* one instruction of each warp after another */
  AHEAD,   /* one warp runs as far as it can, later blocks first */
  BEHIND,  /* one warp runs only when no other can */
  DELAYED, /* a warp whose wait is over continues only when no other warp can run */
  KINDS
};

static const char *const kind_name[KINDS] = {"random order", "one instruction of each warp in turn",
                                             "one warp far ahead", "one warp far behind",
                                             "warps delayed after each wait"};

const char *emu_schedule_name(int number) { return kind_name[(number - 1) % KINDS]; }

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

int schedule_random(Launch *launch, int limit) {
  launch->schedule.random += 0x9e3779b97f4a7c15ull;
  return (int)(mix(launch->schedule.random) % (uint64_t)limit);
}

static uint64_t common_divisor(uint64_t a, uint64_t b) { return b ? common_divisor(b, a % b) : a; }

/* Clusters start in another order only if all of them are resident at once: a GPU might never start
 * those that come last otherwise. */
Schedule schedule_of(int number, uint64_t clusters, uint64_t resident_clusters) {
  Schedule s = {.number = number, .stride = 1};
  if (!number) return s;
  s.kind = (number - 1) % KINDS;
  s.random = mix((uint64_t)number);
  s.favourite = (number - 1) / KINDS; /* each warp in turn */
  if (clusters < 2 || clusters > resident_clusters) return s;
  if (s.kind == AHEAD) {
    s.stride = clusters - 1;
    s.first = clusters - 1;
  }
  if (s.kind != RANDOM) return s;
  s.first = s.random % clusters;
  for (s.stride = s.random / clusters % clusters; common_divisor(s.stride, clusters) != 1;)
    s.stride = (s.stride + 1) % clusters;
  return s;
}

uint64_t schedule_cluster(const Launch *launch, uint64_t number) {
  const uint64_t clusters = launch->blocks / (uint64_t)launch->cluster_blocks;
  const Schedule *s = &launch->schedule;
  return (s->first + number * s->stride) % clusters;
}

static void swap(int *a, int *b) {
  const int old = *a;
  *a = *b;
  *b = old;
}

/* Warps whose latest slice only polled come last. */
static int put_waiting_last(const Block *block, int order[MAX_WARPS]) {
  int first = 0;
  for (int i = 0; i < block->warps; i++)
    if (!block->warp[order[i]].stalled) swap(&order[first++], &order[i]);
  return first;
}

int schedule_warps(Block *block, int order[MAX_WARPS]) {
  Launch *launch = block->launch;
  const int warps = block->warps, favourite = launch->schedule.favourite % warps;
  for (int i = 0; i < warps; i++) order[i] = i;
  switch (launch->schedule.kind) {
  case RANDOM:
    for (int i = warps - 1; i > 0; i--) swap(&order[i], &order[schedule_random(launch, i + 1)]);
    return 1 + schedule_random(launch, warps);
  case AHEAD: swap(&order[0], &order[favourite]); return 1;
  case BEHIND: swap(&order[warps - 1], &order[favourite]); return warps - 1;
  case DELAYED:
    for (int i = warps - 1; i > 0; i--) swap(&order[i], &order[schedule_random(launch, i + 1)]);
    return put_waiting_last(block, order);
  default: return warps;
  }
}

int schedule_slice(Launch *launch, int most) {
  switch (launch->schedule.kind) {
  case RANDOM: return 1 + schedule_random(launch, 1 + schedule_random(launch, most));
  case TURNS: return 1;
  case DELAYED: return 1 + schedule_random(launch, 4);
  default: return most;
  }
}

int schedule_rounds(Launch *launch) {
  return launch->schedule.kind == RANDOM || launch->schedule.kind == TURNS
             ? 1 + schedule_random(launch, 32)
             : INT_MAX;
}
