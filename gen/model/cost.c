#include "model/cost.h"

#include <string.h>

#include "model/bank.h"

int64_t cost_count(const AccessSet *set, const KgenLayout *l, AccessCost *cost) {
  int64_t total = 0;
  for (int i = 0; i < set->accesses; i++) {
    const Access *a = &set->access[i];
    AccessCost *c = &cost[i];
    memset(c, 0, sizeof *c);
    for (int w = 0; w < a->warps; w++) {
      int64_t address[WARP];
      layout_addresses(l, set->tile->dtype->bytes, &a->warp[w], address);
      const BankCost b =
          bank_cost(set->banks, a->op, a->bytes_per_lane, a->warp[w].active, address);
      c->wavefronts += b.wavefronts;
      c->ideal += b.ideal;
      if (b.worst > c->worst) c->worst = b.worst;
    }
    total += c->wavefronts * a->weight;
  }
  return total;
}

KgenLayout cost_ideal_layout(const AccessSet *set) {
  KgenLayout l = layout_plain(set->tile);
  int elements = 1;
  for (int i = 0; i < set->accesses; i++)
    if (set->access[i].elements > elements) elements = set->access[i].elements;
  for (int d = l.rank - 2; d >= 0; d--) {
    const int inner = l.extent[d + 1] * l.stride[d + 1];
    l.stride[d] = (inner + elements - 1) / elements * elements;
  }
  return l;
}
