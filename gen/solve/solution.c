#include "solve/solution.h"

#include "base/text.h"

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

static const char *state_claim(const CertificateBuilder *b, const Solution *chosen) {
  const LayoutRequest *want = &b->set->tile->want;
  const long long above = (long long)(chosen->wavefronts - chosen->ideal);
  Text t = text_new(b->arena);
  if (chosen->conflict_free)
    text_printf(&t, "This layout reaches the ideal of %lld wavefronts, and ",
                (long long)chosen->ideal);
  else
    text_printf(&t, "This layout costs %lld wavefronts, %lld above the ideal, and ",
                (long long)chosen->wavefronts, above);
  if (want->pad) {
    text_puts(&t, "was given, not searched for.");
    return t.s;
  }
  text_printf(&t, "no layout of the family '%s' is cheaper%s", want_name[want->kind],
              chosen->minimal ? "" : " among those reached before the spec's search budget ended");
  const long long refused = (long long)b->c.candidates - 1, searches = (long long)b->c.searches;
  if (refused > 0) text_printf(&t, "; %lld refused one by one", refused);
  if (searches > 0)
    text_printf(&t, "; %lld searches or bounds cover %s", searches,
                chosen->minimal ? "the rest" : "others");
  text_puts(&t, ".");
  return t.s;
}

void solution_certify(Solution *out, CertificateBuilder *b, int64_t floor) {
  if (out->total == floor) certificate_settle(b, &out->layout);
  b->c.candidates++; /* the chosen one */
  b->c.claim = state_claim(b, out);
  out->certificate = b->c;
}
