/* SPDX-License-Identifier: MIT */
#include "emit/lane_runs.h"

#include <stdlib.h>
#include <string.h>

#include "model/cost.h"

/* The elements of one group: the first, and the distances of the others from it, ascending. */
typedef struct {
  int lanes, offset[WARP], start;
} Raw;

static int by_value(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static int compare_shape(const Raw *a, const Raw *b) {
  if (a->lanes != b->lanes) return a->lanes - b->lanes;
  return memcmp(a->offset, b->offset, (size_t)a->lanes * sizeof *a->offset);
}

static int compare(const void *a, const void *b) {
  const Raw *x = a, *y = b;
  const int shape = compare_shape(x, y);
  return shape ? shape : (x->start > y->start) - (x->start < y->start);
}

static Raw raw_group(const KgenLayout *plain, const WarpAccess *w, uint32_t lanes) {
  Raw r = {.lanes = 0};
  int index[WARP], n = 0;
  for (; lanes; lanes &= lanes - 1) index[n++] = layout_lane(plain, w, __builtin_ctz(lanes));
  qsort(index, (size_t)n, sizeof *index, by_value);
  r.start = index[0];
  for (int i = 0; i < n; i++)
    if (i == 0 || index[i] != index[i - 1]) r.offset[r.lanes++] = index[i] - r.start;
  return r;
}

/* Collects all groups, ordered by shape, then by start, without duplicates. */
static int raw_groups(Arena *a, const PlanTile *t, const Access *access, Raw **out) {
  const KgenLayout plain = layout_plain(t->set->tile);
  Raw *raw = ARENA_ARRAY(a, Raw, (size_t)access->warps * 4);
  int count = 0, kept = 0;
  for (int i = 0; i < access->warps; i++) {
    int64_t address[WARP];
    uint32_t mask[4];
    const WarpAccess *w = &access->warp[i];
    layout_addresses(&plain, t->set->tile->dtype->bytes, w, address);
    const int groups = cost_groups(access, w, address, mask);
    for (int g = 0; g < groups; g++) raw[count++] = raw_group(&plain, w, mask[g]);
  }
  qsort(raw, (size_t)count, sizeof *raw, compare);
  for (int i = 0; i < count; i++)
    if (i == 0 || compare(&raw[i], &raw[i - 1]) != 0) raw[kept++] = raw[i];
  *out = raw;
  return kept;
}

static bool same_row(const Raw *a, const Raw *b, int count) {
  for (int i = 1; i < count; i++)
    if (b[i].start - b->start != a[i].start - a->start) return false;
  return true;
}

/* Takes the largest grid of starts at the beginning of `raw`: a row with equal steps, and the equal
 * rows that follow it. */
static int take_grid(const Raw *raw, int count, LaneGroup *out) {
  int n = 1, m = 1;
  const int step = count > 1 ? raw[1].start - raw[0].start : 0;
  while (n < count && raw[n].start - raw[n - 1].start == step) n++;
  const int stride = 2 * n <= count ? raw[n].start - raw[0].start : 0;
  while ((m + 1) * n <= count && raw[m * n].start - raw[0].start == m * stride &&
         same_row(raw, raw + m * n, n))
    m++;
  out->count[0] = n;
  out->count[1] = m;
  out->step[0] = n > 1 ? step : 0;
  out->step[1] = m > 1 ? stride : 0;
  return n * m;
}

static void take_runs(const Raw *raw, LaneGroup *out) {
  out->runs = 0;
  for (int i = 0; i < raw->lanes;) {
    int n = 1;
    const int step = i + 1 < raw->lanes ? raw->offset[i + 1] - raw->offset[i] : 0;
    while (i + n < raw->lanes && raw->offset[i + n] - raw->offset[i + n - 1] == step) n++;
    out->run[out->runs++] = (LaneRun){raw->start + raw->offset[i], n, n > 1 ? step : 0};
    i += n;
  }
}

int lane_runs_collect(Arena *a, const PlanTile *t, int access, int room, LaneGroup *out) {
  Raw *raw;
  const int count = raw_groups(a, t, &t->set->access[access], &raw);
  int groups = 0;
  for (int i = 0; i < count; groups++) {
    int same = 1;
    while (i + same < count && compare_shape(&raw[i], &raw[i + same]) == 0) same++;
    if (groups == room) return 0;
    take_runs(&raw[i], &out[groups]);
    i += take_grid(&raw[i], same, &out[groups]);
  }
  return groups;
}
