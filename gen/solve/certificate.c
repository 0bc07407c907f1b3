/* SPDX-License-Identifier: MIT */
#include "solve/certificate.h"

#include "model/cost.h"
#include "solve/lane_groups.h"

bool refusal_is_rule(Refusal why) { return why == REFUSED_ALIGNMENT || why == REFUSED_CONTIGUITY; }

CertificateBuilder certificate_new(Arena *a, const AccessSet *set) {
  return (CertificateBuilder){.arena = a, .set = set};
}

static void add_witness(CertificateBuilder *b, const Witness *w) {
  b->c.candidates++;
  if (b->c.witnesses == SOLVE_MAX_WITNESSES) return;
  b->c.witness =
      arena_grow(b->arena, b->c.witness, b->c.witnesses, &b->witness_capacity, sizeof *w);
  b->c.witness[b->c.witnesses++] = *w;
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

void certificate_refuse(CertificateBuilder *b, const KgenLayout *l, Place violating_group,
                        int64_t total) {
  Witness w = {.layout = *l, .why = REFUSED_WAVEFRONTS, .at = violating_group, .total = total};
  if (b->c.witnesses < SOLVE_MAX_WITNESSES)
    w.wavefronts = place_group(b->set, l, violating_group, &w.at.bank);
  add_witness(b, &w);
}

void certificate_rule(CertificateBuilder *b, const KgenLayout *l, Refusal why) {
  add_witness(b, &(Witness){.layout = *l, .why = why});
}

void certificate_prove(CertificateBuilder *b, const Proof *p) {
  b->c.searches++;
  if (b->c.proofs == SOLVE_MAX_WITNESSES) return;
  b->c.proof = arena_grow(b->arena, b->c.proof, b->c.proofs, &b->proof_capacity, sizeof *p);
  b->c.proof[b->c.proofs++] = *p;
}

/* True if some words of the group meet in a bank under every layout, and not for being too many. */
static bool must_meet(const AccessSet *set, const Group *g) {
  const int banks = set->banks.count;
  const int words = set->access[g->at.access].bytes_per_lane * g->lanes / set->banks.bytes;
  return !g->copy && g->floor > 1 && g->floor > (words + banks - 1) / banks;
}

void certificate_prove_floor(CertificateBuilder *b, const Classes *c) {
  int i = 0;
  while (i < c->count && !must_meet(b->set, &c->group[i])) i++;
  if (b->set->tile->rank == 1 || i == c->count) return;
  const Group *g = &c->group[i];
  const KgenLayout plain = layout_plain(b->set->tile);
  Place at = g->at;
  place_group(b->set, &plain, at, &at.bank);
  certificate_prove(b, &(Proof){.kind = g->piece ? PROOF_SAME_PLACE : PROOF_SAME_ROW,
                                .base = plain,
                                .total = c->floor,
                                .complete = true,
                                .at = at,
                                .piece = g->piece});
}

void certificate_prove_multiples(CertificateBuilder *b, const int multiple[KGEN_MAX_RANK - 1]) {
  const KgenLayout plain = layout_plain(b->set->tile);
  for (int d = 0; d < plain.rank - 1; d++)
    if (multiple[d] > 1)
      certificate_prove(b, &(Proof){.kind = PROOF_ALIGNMENT,
                                    .base = plain,
                                    .dim = d,
                                    .multiple = multiple[d],
                                    .complete = true});
}

void certificate_drop_witnesses(CertificateBuilder *b) { b->c.candidates = b->c.witnesses = 0; }

void certificate_settle(CertificateBuilder *b, const KgenLayout *chosen) {
  for (int i = 0; i < b->c.witnesses; i++) {
    Witness *w = &b->c.witness[i];
    if (refusal_is_rule(w->why)) continue;
    if (place_group(b->set, chosen, w->at, NULL) < w->wavefronts) w->why = REFUSED_CONFLICT;
  }
}
