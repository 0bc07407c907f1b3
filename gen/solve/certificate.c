#include "solve/certificate.h"

#include <string.h>

#include "model/bank.h"

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
static int place_group(const AccessSet *set, const KgenLayout *l, int access, int warp,
                       uint32_t mask, int *bank) {
  const Access *a = &set->access[access];
  int64_t address[WARP];
  layout_addresses(l, set->tile->dtype->bytes, &a->warp[warp], address);
  return bank_group_cost(set->banks, a->op, a->bytes_per_lane, mask, address, bank);
}

void certificate_refuse(CertificateBuilder *b, const KgenLayout *l, const Group *culprit,
                        int64_t total) {
  Witness w = {.layout = *l, .why = REFUSED_WAVEFRONTS, .total = total};
  w.access = culprit->access;
  w.warp = culprit->warp;
  w.group = culprit->index;
  w.wavefronts = place_group(b->set, l, w.access, w.warp, culprit->mask, &w.bank);
  add_witness(b, &w);
}

void certificate_rule(CertificateBuilder *b, const KgenLayout *l) {
  add_witness(b,
              &(Witness){.layout = *l, .why = REFUSED_RULE, .access = -1, .warp = -1, .group = -1});
}

void certificate_prove(CertificateBuilder *b, const Proof *p) {
  b->proof = arena_grow(b->arena, b->proof, b->c.proofs, &b->proof_capacity, sizeof *p);
  b->proof[b->c.proofs++] = *p;
}

static const char *state_claim(CertificateBuilder *b, const Solution *s) {
  int64_t wavefronts = 0, ideal = 0;
  for (int i = 0; i < b->set->accesses; i++) {
    wavefronts += s->cost[i].wavefronts;
    ideal += s->cost[i].ideal;
  }
  const char *family = want_name[b->set->tile->want.kind];
  const char *cheaper = s->minimal ? "no layout" : "no layout that was reached before the limit";
  Text t = text_new(b->arena);
  if (s->conflict_free)
    text_printf(&t, "This layout reaches the ideal of %lld wavefronts, and ", (long long)ideal);
  else
    text_printf(&t, "This layout costs %lld wavefronts, %lld above the ideal, and ",
                (long long)wavefronts, (long long)(wavefronts - ideal));
  if (b->set->tile->want.pad) {
    text_puts(&t, "was given, not searched for.");
    return t.s;
  }
  text_printf(&t, "%s of the family '%s' is cheaper", cheaper, family);
  const long long refused = (long long)b->c.candidates - 1;
  if (refused > 0) text_printf(&t, "; %lld refused one by one", refused);
  if (b->c.proofs > 0) text_printf(&t, "; %d searches or bounds cover the rest", b->c.proofs);
  text_puts(&t, ".");
  return t.s;
}

/* A group that the chosen layout serves in fewer wavefronts refuses a layout by itself, where the
 * chosen one costs what every layout must; else it is the total that refuses. */
static Refusal settle(const AccessSet *set, const Witness *w, const KgenLayout *chosen) {
  const Access *a = &set->access[w->access];
  uint32_t mask[4];
  group_masks(set, a, &a->warp[w->warp], mask);
  const int now = place_group(set, chosen, w->access, w->warp, mask[w->group], NULL);
  return now < w->wavefronts ? REFUSED_CONFLICT : REFUSED_WAVEFRONTS;
}

Certificate certificate_finish(CertificateBuilder *b, const Solution *s, int64_t floor,
                               int64_t total) {
  for (int i = 0; i < b->c.witnesses; i++)
    if (b->witness[i].why == REFUSED_WAVEFRONTS && total == floor)
      b->witness[i].why = settle(b->set, &b->witness[i], &s->layout);
  b->c.witness = b->witness;
  b->c.proof = b->proof;
  b->c.candidates++; /* the chosen one */
  b->c.claim = state_claim(b, s);
  return b->c;
}
