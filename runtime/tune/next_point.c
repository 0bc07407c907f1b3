/* SPDX-License-Identifier: MIT */
#include "tune/next_point.h"

#include <math.h>

enum { ENOUGH = 8, EXPLORE_EVERY = 4 };

/* The average slowdown or speedup of each value of each axis compared with the mean, ignoring other
 * axes: an additive effect per value on the logarithms of the measured figures. */
typedef struct {
  int values[MAX_AXES];
  int64_t value[MAX_AXES][MAX_AXIS_VALUES];
  double effect[MAX_AXES][MAX_AXIS_VALUES];
} Effects;

static int slot_of(const Effects *e, int axis, int64_t value) {
  for (int i = 0; i < e->values[axis]; i++)
    if (e->value[axis][i] == value) return i;
  return -1;
}

static void add(Effects *e, double (*count)[MAX_AXIS_VALUES], int axis, int64_t value,
                double difference) {
  int i = slot_of(e, axis, value);
  if (i < 0 && e->values[axis] == MAX_AXIS_VALUES) return;
  if (i < 0) {
    i = e->values[axis]++;
    e->value[axis][i] = value;
  }
  e->effect[axis][i] += difference;
  count[axis][i]++;
}

static Effects effects_of(const Space *s, const Mark *mark) {
  Effects e = {.values = {0}};
  double count[MAX_AXES][MAX_AXIS_VALUES] = {{0}}, mean = 0;
  int n = 0;
  for (int i = 0; i < s->points; i++)
    if (mark[i].state == POINT_MEASURED) mean += (log(mark[i].value) - mean) / ++n;
  for (int i = 0; i < s->points; i++)
    for (int x = 0; x < s->axes && mark[i].state == POINT_MEASURED; x++)
      add(&e, count, x, s->point[i].set.param[x].value, log(mark[i].value) - mean);
  /* Shrinkage: adds one measurement without effect, so that a single measurement counts half. */
  for (int x = 0; x < s->axes; x++)
    for (int v = 0; v < e.values[x]; v++) e.effect[x][v] /= count[x][v] + 1;
  return e;
}

static double guess(const Effects *e, const Space *s, int point) {
  double sum = 0;
  for (int x = 0; x < s->axes; x++) {
    const int i = slot_of(e, x, s->point[point].set.param[x].value);
    if (i >= 0) sum += e->effect[x][i];
  }
  return sum;
}

static int measured(const Space *s, const Mark *mark) {
  int n = 0;
  for (int i = 0; i < s->points; i++) n += mark[i].state == POINT_MEASURED;
  return n;
}

int next_point(const Space *s, const Mark *mark, PointState state, int shard, int shards,
               int turn) {
  const bool guesses = measured(s, mark) >= ENOUGH && turn % EXPLORE_EVERY != 0;
  const Effects e = guesses ? effects_of(s, mark) : (Effects){.values = {0}};
  int best = -1;
  double least = INFINITY;
  for (int i = 0; i < s->points; i++) {
    if (mark[i].state != state || !space_in_shard(&s->point[i], shard, shards)) continue;
    if (!guesses) return i;
    const double g = guess(&e, s, i);
    if (g >= least) continue;
    least = g;
    best = i;
  }
  return best;
}
