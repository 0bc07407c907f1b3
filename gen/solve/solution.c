/* SPDX-License-Identifier: MIT */
#include "solve/solution.h"

#include "base/budget.h"
#include "model/address.h"

Price solution_price(const Tile *t, const KgenLayout *l, int64_t total) {
  return (Price){total, layout_bytes(l, t->dtype->bytes), address_operations(l),
                 layout_mask_bits(l)};
}

bool solution_is_cheaper(const Price *a, const Price *b) {
  if (a->total != b->total) return a->total < b->total;
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  return a->operations != b->operations ? a->operations < b->operations : a->bits < b->bits;
}

void solution_count(Arena *a, const AccessSet *set, Solution *out) {
  const size_t n = (size_t)set->accesses;
  AccessCost *cost = ARENA_ARRAY(a, AccessCost, n), *plain = ARENA_ARRAY(a, AccessCost, n);
  const KgenLayout plain_layout = layout_plain(set->tile);
  out->total = cost_count(out->set ? out->set : set, &out->layout, cost);
  cost_count(set, &plain_layout, plain);
  out->conflict_free = true;
  for (size_t i = 0; i < n; i++) {
    if (cost[i].wavefronts > cost[i].ideal) out->conflict_free = false;
    out->wavefronts += cost[i].wavefronts;
    out->ideal += cost[i].ideal;
  }
  if (!out->set) out->set = set;
  for (size_t i = 0; i < n; i++) out->effort += (int64_t)set->access[i].warps * CHOOSE_STEPS;
  out->cost = cost;
  out->unswizzled = layout_serves(&plain_layout, set) ? plain : NULL;
}

/* The layouts of a request's space; left_out: without those that no search covers. */
static const char *name_rivals(Want want, bool left_out) {
  static const char *const all[] = {[WANT_AUTO] =
                                        "no linear layout, no padding, and no XOR after padding is",
                                    [WANT_NONE] = "no other layout is allowed, so none is",
                                    [WANT_PAD] = "no padding is",
                                    [WANT_XOR] = "no linear layout is",
                                    [WANT_TMA] = "no mode of TMA is"};
  if (!left_out) return all[want];
  return want == WANT_XOR ? "no XOR of rows is" : "no padding, and no XOR of rows is";
}

void solution_put_rivals(Text *t, const Solution *s, const char *how) {
  const Certificate *c = &s->certificate;
  text_printf(t, "%s %s", name_rivals(s->set->tile->want.kind, s->left_out), how);
  if (s->stopped)
    text_printf(t,
                " among those reached before a search stopped at its limit, with %d%% of the "
                "spec's budget left",
                s->left);
  if (s->left_out) text_puts(t, " (other linear layouts were not searched)");
  if (c->candidates > 1) text_printf(t, "; %lld refused one by one", (long long)c->candidates - 1);
  if (c->searches)
    text_printf(t, c->searches == 1 ? "; %lld search or bound" : "; %lld searches or bounds",
                (long long)c->searches);
}

static const char *state_claim(Arena *a, const Solution *s) {
  const long long wavefronts = s->wavefronts, ideal = s->ideal;
  Text t = text_new(a);
  if (s->conflict_free)
    text_printf(&t, "This layout reaches the ideal of %lld wavefront%s, and ", ideal,
                ideal == 1 ? "" : "s");
  else
    text_printf(&t, "This layout costs %lld wavefronts, %lld above the ideal, and ", wavefronts,
                wavefronts - ideal);
  solution_put_rivals(&t, s, "cheaper");
  if (s->certificate.searches)
    text_printf(&t, " cover%s %s", s->certificate.searches == 1 ? "s" : "",
                s->minimal ? "the rest" : "others");
  text_puts(&t, ".");
  return t.s;
}

void solution_certify(Solution *out, CertificateBuilder *b, int64_t floor) {
  if (out->total == floor) certificate_settle(b, &out->layout);
  out->certificate = b->c;
  out->certificate.candidates++; /* the chosen one */
  out->certificate.claim = state_claim(b->arena, out);
}
