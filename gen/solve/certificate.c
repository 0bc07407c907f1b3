#include "solve/certificate.h"

#include "base/text.h"
#include "model/cost.h"

bool refusal_is_rule(Refusal why) { return why == REFUSED_ALIGNMENT || why == REFUSED_CONTIGUITY; }

CertificateBuilder certificate_new(Arena *a, const AccessSet *set) {
  return (CertificateBuilder){.arena = a, .set = set};
}

static void add_witness(CertificateBuilder *b, const Witness *w) {
  b->c.candidates++;
  if (b->c.witnesses == SOLVE_MAX_WITNESSES) return;
  b->witness = arena_grow(b->arena, b->witness, b->c.witnesses, &b->witness_capacity, sizeof *w);
  b->witness[b->c.witnesses++] = *w;
}

/* The fullest bank of one group under a layout, and what it costs. */
static int place_group(const AccessSet *set, const KgenLayout *l, Place at, int *bank) {
  const Access *a = &set->access[at.access];
  int64_t address[WARP];
  uint32_t mask[4];
  const WarpAccess *w = &a->warp[at.warp];
  layout_addresses(l, set->tile->dtype->bytes, w, address);
  cost_groups(a, w, address, mask);
  return cost_group(set->banks, a, w, mask[at.group], address, bank);
}

void certificate_refuse(CertificateBuilder *b, const KgenLayout *l, Place culprit, int64_t total) {
  Witness w = {.layout = *l, .why = REFUSED_WAVEFRONTS, .total = total};
  w.access = culprit.access;
  w.warp = culprit.warp;
  w.group = culprit.group;
  if (b->c.witnesses < SOLVE_MAX_WITNESSES) w.wavefronts = place_group(b->set, l, culprit, &w.bank);
  add_witness(b, &w);
}

void certificate_rule(CertificateBuilder *b, const KgenLayout *l, Refusal why) {
  add_witness(b, &(Witness){.layout = *l, .why = why, .access = -1, .warp = -1, .group = -1});
}

void certificate_prove(CertificateBuilder *b, const Proof *p) {
  b->c.searches++;
  if (b->c.proofs == SOLVE_MAX_WITNESSES) return;
  b->proof = arena_grow(b->arena, b->proof, b->c.proofs, &b->proof_capacity, sizeof *p);
  b->proof[b->c.proofs++] = *p;
}

void certificate_drop_witnesses(CertificateBuilder *b) { b->c.candidates = b->c.witnesses = 0; }

static const char *state_claim(CertificateBuilder *b, const Chosen *chosen) {
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

/* A group that the chosen layout serves in fewer wavefronts refuses a layout by itself, where the
 * chosen one costs what every layout must; else it is the total that refuses. */
static Refusal settle(const AccessSet *set, const Witness *w, const KgenLayout *chosen) {
  const int now = place_group(set, chosen, (Place){w->access, w->warp, w->group, 0}, NULL);
  return now < w->wavefronts ? REFUSED_CONFLICT : REFUSED_WAVEFRONTS;
}

Certificate certificate_finish(CertificateBuilder *b, const Chosen *chosen) {
  for (int i = 0; i < b->c.witnesses; i++)
    if (b->witness[i].why == REFUSED_WAVEFRONTS && chosen->total == chosen->floor)
      b->witness[i].why = settle(b->set, &b->witness[i], &chosen->layout);
  b->c.witness = b->witness;
  b->c.proof = b->proof;
  b->c.candidates++; /* the chosen one */
  b->c.claim = state_claim(b, chosen);
  return b->c;
}
