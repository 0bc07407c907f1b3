#include "solve/solution.h"

Price solution_price(const Tile *t, const KgenLayout *l, int64_t total) {
  KgenTerm term[KGEN_MAX_TERMS];
  Price p = {.total = total, .bytes = layout_bytes(l, t->dtype->bytes)};
  const int terms = layout_join_terms(l, term);
  for (int i = 0; i < terms; i++) {
    p.terms += term[i].mask != 0;
    p.mixed += term[i].mask != 0 && term[i].source == KGEN_INDEX && l->rank > 1;
  }
  p.bits = layout_mask_bits(l);
  return p;
}

bool solution_is_cheaper(const Price *a, const Price *b) {
  if (a->total != b->total) return a->total < b->total;
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  if (a->terms != b->terms) return a->terms < b->terms;
  return a->mixed != b->mixed ? a->mixed < b->mixed : a->bits < b->bits;
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
  out->cost = cost;
  out->unswizzled = layout_serves(&plain_layout, set) ? plain : NULL;
}

void solution_put_rivals(Text *t, const Solution *s, const char *how) {
  const Certificate *c = &s->certificate;
  text_printf(t, "no layout of the family '%s' is %s%s", want_name[s->set->tile->want.kind], how,
              s->minimal ? "" : " among those reached before the spec's search budget ended");
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
