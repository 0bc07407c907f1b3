/* SPDX-License-Identifier: MIT */
#include "model/cost.h"

#include <string.h>

#include "model/cp_async.h"

static const int64_t *source_of(const Access *a, const WarpAccess *w) {
  return a->source[w - a->warp];
}

int cost_groups(const Access *a, const WarpAccess *w, const int64_t address[WARP],
                uint32_t mask[4]) {
  if (a->op == OP_CP_ASYNC) return cp_async_groups(a->cache, a->bytes_per_lane, w->active, mask);
  return bank_groups(a->op, a->bytes_per_lane, w->active, address, mask);
}

int cost_group(BankGeometry banks, const Access *a, const WarpAccess *w, uint32_t lanes,
               const int64_t address[WARP], int *bank) {
  if (a->op != OP_CP_ASYNC)
    return bank_group_cost(banks, a->op, a->bytes_per_lane, lanes, address, bank);
  if (bank) *bank = 0;
  return cp_async_group_wavefronts(a->cache, lanes, address, source_of(a, w));
}

static BankCost copy_instruction(const Access *a, const WarpAccess *w,
                                 const int64_t address[WARP]) {
  BankCost cost = {.worst_group = -1};
  uint32_t mask[4];
  const int groups = cp_async_groups(a->cache, a->bytes_per_lane, w->active, mask);
  for (int g = 0; g < groups; g++) {
    const int n = cp_async_group_wavefronts(a->cache, mask[g], address, source_of(a, w));
    cost.wavefronts += n;
    cost.ideal += cp_async_group_ideal(a->cache, mask[g], source_of(a, w));
    if (n <= cost.worst) continue;
    cost.worst = n;
    cost.worst_group = g;
  }
  return cost;
}

BankCost cost_instruction(BankGeometry banks, const Access *a, const WarpAccess *w,
                          const int64_t address[WARP]) {
  if (a->op == OP_CP_ASYNC) return copy_instruction(a, w, address);
  return bank_cost(banks, a->op, a->bytes_per_lane, w->active, address);
}

/* TMA and wgmma move 128 bytes per wavefront in every mode, as measured on an H200. */
static AccessCost count_boxes(const AccessSet *set, const Access *a) {
  enum { LINE = 128 };
  const int64_t n = a->boxes * ((tile_box_bytes(set->tile, a->box) + LINE - 1) / LINE);
  return (AccessCost){.wavefronts = n, .ideal = n, .worst = 1};
}

int64_t cost_count(const AccessSet *set, const KgenLayout *l, AccessCost *cost) {
  int64_t total = 0;
  for (int i = 0; i < set->accesses; i++) {
    const Access *a = &set->access[i];
    AccessCost *c = &cost[i];
    memset(c, 0, sizeof *c);
    if (a->boxes) *c = count_boxes(set, a);
    for (int w = 0; w < a->warps; w++) {
      int64_t address[WARP];
      layout_addresses(l, set->tile->dtype->bytes, &a->warp[w], address);
      const BankCost b = cost_instruction(set->banks, a, &a->warp[w], address);
      c->wavefronts += b.wavefronts;
      c->ideal += b.ideal;
      if (b.worst > c->worst) c->worst = b.worst;
    }
    total += c->wavefronts * a->weight;
  }
  return total;
}
