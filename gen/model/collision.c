/* SPDX-License-Identifier: MIT */
#include "model/collision.h"

#include "model/cost.h"
#include "model/cp_async.h"

static void add_lane(Collision *c, int lane, int64_t word, bool distinct) {
  for (int i = 0; distinct && i < c->lanes; i++)
    if (c->word[i] == word) return;
  c->lane[c->lanes] = lane;
  c->word[c->lanes++] = word;
}

/* Lists one lane per wavefront of a copy: those that add a wavefront to the lanes before them. */
static Collision copy_collision(const AccessSet *set, const Access *a, const WarpAccess *w,
                                uint32_t lanes, const int64_t address[WARP]) {
  Collision c = {.lanes = 0};
  uint32_t before = 0;
  int cost = 0;
  for (uint32_t m = lanes; m; m &= m - 1) {
    before |= m & -m;
    const int now = cost_group(set->banks, a, w, before, address, NULL);
    const int lane = __builtin_ctz(m);
    if (now > cost) add_lane(&c, lane, address[lane] / set->banks.bytes, false);
    cost = now;
  }
  return c;
}

Collision collision_at(const AccessSet *set, const KgenLayout *l, Place at) {
  const Access *a = &set->access[at.access];
  const WarpAccess *w = &a->warp[at.warp];
  const BankGeometry banks = set->banks;
  int64_t address[WARP];
  uint32_t group[4];
  layout_addresses(l, set->tile->dtype->bytes, w, address);
  const int groups = cost_groups(a, w, address, group);
  if (at.group >= groups) die("group %d of %d", at.group, groups);
  if (a->op == OP_CP_ASYNC) return copy_collision(set, a, w, group[at.group], address);
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
  int excess = 0;
  *wavefronts = 0;
  for (int i = 0; i < set->accesses; i++) {
    const Access *a = &set->access[i];
    for (int w = 0; w < a->warps; w++) {
      int64_t address[WARP];
      layout_addresses(l, set->tile->dtype->bytes, &a->warp[w], address);
      const BankCost c = cost_instruction(set->banks, a, &a->warp[w], address);
      const int more = c.wavefronts - c.ideal - excess;
      if (more < 0 || (more == 0 && c.worst <= *wavefronts)) continue;
      excess += more;
      *wavefronts = c.worst;
      worst = (Place){i, w, c.worst_group, c.worst_bank};
    }
  }
  return worst;
}
