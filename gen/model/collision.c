#include "model/collision.h"

static void add_lane(Collision *c, int lane, int64_t word, bool distinct) {
  for (int i = 0; distinct && i < c->lanes; i++)
    if (c->word[i] == word) return;
  c->lane[c->lanes] = lane;
  c->word[c->lanes++] = word;
}

Collision collision_at(const AccessSet *set, const KgenLayout *l, Place at) {
  const Access *a = &set->access[at.access];
  const WarpAccess *w = &a->warp[at.warp];
  const BankGeometry banks = set->banks;
  int64_t address[WARP];
  uint32_t group[4];
  layout_addresses(l, set->tile->dtype->bytes, w, address);
  const int groups = bank_groups(a->op, a->bytes_per_lane, w->active, address, group);
  if (at.group >= groups) die("group %d of %d", at.group, groups);
  Collision c = {.lanes = 0};
  for (uint32_t m = group[at.group]; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const int64_t last = (address[lane] + a->bytes_per_lane - 1) / banks.bytes;
    for (int64_t word = address[lane] / banks.bytes; word <= last; word++)
      if (word % banks.count == at.bank) {
        add_lane(&c, lane, word, a->op != OP_ATOMIC);
        break;
      }
  }
  return c;
}

Place collision_worst(const AccessSet *set, const KgenLayout *l, int *wavefronts) {
  Place worst = {0, 0, 0, 0};
  *wavefronts = 0;
  for (int i = 0; i < set->accesses; i++) {
    const Access *a = &set->access[i];
    for (int w = 0; w < a->warps; w++) {
      int64_t address[WARP];
      layout_addresses(l, set->tile->dtype->bytes, &a->warp[w], address);
      const BankCost c =
          bank_cost(set->banks, a->op, a->bytes_per_lane, a->warp[w].active, address);
      if (c.worst <= *wavefronts) continue;
      *wavefronts = c.worst;
      worst = (Place){i, w, c.worst_group, c.worst_bank};
    }
  }
  return worst;
}
