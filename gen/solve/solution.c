#include "solve/solution.h"

Price solution_price(const Tile *t, const KgenLayout *l, int64_t total) {
  return (Price){total, layout_bytes(l, t->dtype->bytes), l->terms, layout_mask_bits(l)};
}

bool solution_is_cheaper(const Price *a, const Price *b) {
  if (a->total != b->total) return a->total < b->total;
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  return a->terms != b->terms ? a->terms < b->terms : a->bits < b->bits;
}

void solution_count(Arena *a, const AccessSet *set, Solution *out) {
  const size_t n = (size_t)set->accesses;
  AccessCost *cost = ARENA_ARRAY(a, AccessCost, n), *plain = ARENA_ARRAY(a, AccessCost, n);
  AccessCost *ideal = ARENA_ARRAY(a, AccessCost, n);
  const KgenLayout plain_layout = layout_plain(set->tile), even = cost_ideal_layout(set);
  out->total = cost_count(out->set ? out->set : set, &out->layout, cost);
  cost_count(set, &plain_layout, plain);
  cost_count(set, &even, ideal);
  out->conflict_free = true;
  for (size_t i = 0; i < n; i++) {
    cost[i].ideal = plain[i].ideal = ideal[i].ideal;
    if (cost[i].wavefronts > cost[i].ideal) out->conflict_free = false;
    out->wavefronts += cost[i].wavefronts;
    out->ideal += cost[i].ideal;
  }
  if (!out->set) out->set = set;
  out->cost = cost;
  out->unswizzled = layout_serves(&plain_layout, set) ? plain : NULL;
}

void solution_certify(Solution *out, CertificateBuilder *b, int64_t floor) {
  const Chosen chosen = {.layout = out->layout,
                         .total = out->total,
                         .floor = floor,
                         .wavefronts = out->wavefronts,
                         .ideal = out->ideal,
                         .conflict_free = out->conflict_free,
                         .minimal = out->minimal};
  out->certificate = certificate_finish(b, &chosen);
}
