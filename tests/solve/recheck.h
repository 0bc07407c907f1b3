/* SPDX-License-Identifier: MIT */
/* recheck.h: checks a solution's claims and its certificate with the second bank model of brute.h.
 * It shares no code with the solver. */
#ifndef KGEN_TESTS_SOLVE_RECHECK_H
#define KGEN_TESTS_SOLVE_RECHECK_H

#include <string.h>

#include "solve/brute.h"

typedef struct {
  const AccessSet *set;
  const Solution *s;
  BrutePrice chosen;
  const char *complaint;
} Checker;

static inline void complain(Checker *c, bool ok, const char *what) {
  if (!ok && !c->complaint) c->complaint = what;
}

/* A layout's terms as the image of each row bit. */
static inline void image_of(const KgenLayout *l, unsigned image[32]) {
  memset(image, 0, 32 * sizeof *image);
  for (int i = 0; i < l->terms; i++)
    for (int bit = 0; bit < 31; bit++) {
      const int col = bit - l->term[i].shift;
      if (col >= 0 && col < 31) image[bit] ^= (unsigned)l->term[i].mask & 1u << col;
    }
}

static inline int joined_terms(const KgenLayout *l) {
  KgenTerm term[KGEN_MAX_TERMS];
  int count = 0;
  for (int i = layout_join_terms(l, term) - 1; i >= 0; i--) count += term[i].mask != 0;
  return count;
}

static inline BrutePrice price_of(const AccessSet *set, const KgenLayout *l) {
  return (BrutePrice){.total = brute_cost(set, l, NULL, NULL),
                      .bytes = (int64_t)kgen_elements(l) * set->tile->dtype->bytes,
                      .operations = address_operations(l),
                      .bits = layout_mask_bits(l),
                      .terms = joined_terms(l)};
}

/* True if a layout is one of TMA's modes, which boxes need. */
static inline bool is_mode(const AccessSet *set, const KgenLayout *l) {
  const KgenLayout plain = layout_plain(set->tile);
  unsigned own[32], image[32];
  for (int i = 0; i < l->terms; i++)
    if (l->term[i].source != KGEN_ROW || l->term[i].target || l->linear) return false;
  image_of(l, own);
  for (int mode = 0; mode < 4; mode++) {
    bool equal = brute_mode(set, mode, image) && l->period == 0 &&
                 memcmp(l->stride, plain.stride, sizeof l->stride) == 0;
    for (int bit = 0; 1 << bit < layout_rows(l); bit++) equal = equal && own[bit] == image[bit];
    if (equal) return true;
  }
  return false;
}

static inline bool needs_mode(const AccessSet *set) {
  bool boxes = set->tile->want.kind == WANT_TMA;
  for (int i = 0; i < set->accesses; i++) boxes = boxes || set->access[i].boxes;
  return boxes;
}

/* True if a layout is admissible. */
static inline bool allowed(const AccessSet *set, const KgenLayout *l) {
  if (needs_mode(set) && !is_mode(set, l)) return false;
  const Tile *t = set->tile;
  const int cols = l->period ? l->period : t->extent[t->rank - 1], unit = t->want.align;
  const int piece = unit > t->dtype->bytes ? unit / t->dtype->bytes : 1;
  if ((int64_t)kgen_elements(l) * t->dtype->bytes > t->want.max_bytes) return false;
  if (l->period % piece) return false;
  for (int d = 0; d < (l->period ? 1 : l->rank - 1); d++)
    if (l->extent[d] > 1 && l->stride[d] % piece) return false;
  for (int i = 0; i < l->terms && !l->linear; i++) {
    const int d = l->term[i].target ? l->term[i].target - 1 : t->rank - 1;
    const int n = l->term[i].target ? t->extent[d] : cols;
    if (!l->term[i].target && l->term[i].mask % piece) return false;
    if (l->term[i].mask >= (n & -n)) return false;
  }
  return price_of(set, l).total >= 0;
}

/* Counts a lane group's words in one bank by the rules; of a copy, the group's cost. */
static inline int words_in_bank(const AccessSet *set, const KgenLayout *l, int access, int warp,
                                int group, int bank) {
  const Access *a = &set->access[access];
  const WarpAccess *w = &a->warp[warp];
  int64_t address[WARP] = {0}, word[WARP * 17];
  int size = a->bytes_per_lane == 16 ? 8 : a->bytes_per_lane == 8 ? 16 : 32, seen = -1, n = 0;
  for (int lane = 0; lane < WARP; lane++) {
    int coord[KGEN_MAX_RANK];
    for (int d = 0; d < KGEN_MAX_RANK; d++) coord[d] = w->coord[d][lane];
    if (w->active >> lane & 1)
      address[lane] = brute_place(l, NULL, coord) * set->tile->dtype->bytes;
  }
  if (a->op == OP_CP_ASYNC) return brute_copy_group(a, warp, address, group);
  if (a->op == OP_LOAD && a->bytes_per_lane >= 8 &&
      (brute_pairs(w->active, address, 1) || brute_pairs(w->active, address, 2)))
    size *= 2;
  for (int first = 0; first < WARP; first += size) {
    if (!(w->active >> first & (size == 32 ? ~0u : (1u << size) - 1)) || ++seen != group) continue;
    for (int i = first; i < first + size; i++) {
      if (!(w->active >> i & 1)) continue;
      const int64_t last = (address[i] + a->bytes_per_lane - 1) / set->banks.bytes;
      for (int64_t x = address[i] / set->banks.bytes; x <= last; x++)
        if (x % set->banks.count == bank && (a->op == OP_ATOMIC || !brute_seen(word, n, x)))
          word[n++] = x;
    }
  }
  return n;
}

static inline void check_witness(Checker *c, const Witness *w) {
  if (refusal_is_rule(w->why)) {
    complain(c, !allowed(c->set, &w->layout), "a layout refused by a rule breaks none");
    return;
  }
  const BrutePrice p = price_of(c->set, &w->layout);
  const int worse = brute_compare(&p, &c->chosen);
  complain(c, w->why == REFUSED_CONFLICT ? worse > 0 : worse >= 0, "a refused layout is better");
  complain(c, w->total <= p.total, "a witness claims more wavefronts than there are");
  complain(c, w->total >= c->chosen.total, "a witness's total does not refuse its layout");
  const int words =
      words_in_bank(c->set, &w->layout, w->at.access, w->at.warp, w->at.group, w->at.bank);
  complain(c, words == w->wavefronts, "a witness's bank does not hold what it says");
  if (w->why != REFUSED_CONFLICT) return;
  int now = 0;
  for (int bank = 0; bank < c->set->banks.count; bank++) {
    const int n = words_in_bank(c->set, &c->s->layout, w->at.access, w->at.warp, w->at.group, bank);
    if (n > now) now = n;
  }
  complain(c, now < words, "a conflict's group costs as much in the chosen layout");
}

static inline bool same_strides(const KgenLayout *a, const KgenLayout *b) {
  return a->period == b->period && memcmp(a->stride, b->stride, sizeof a->stride) == 0;
}

/* Rows of a period without padding equal the unpadded layout, which is ruled out once. */
static inline bool repeats_plain(const KgenLayout *l) {
  return l->period && l->stride[0] == l->period && l->terms == 0;
}

static inline bool has_witness(const Checker *c, const KgenLayout *l) {
  for (int i = 0; i < c->s->certificate.witnesses; i++) {
    const KgenLayout *w = &c->s->certificate.witness[i].layout;
    if (same_strides(w, l) && w->terms == l->terms &&
        memcmp(w->term, l->term, (size_t)l->terms * sizeof l->term[0]) == 0)
      return true;
  }
  return false;
}

static inline bool has_proof(const Checker *c, const KgenLayout *l, ProofKind kind) {
  for (int i = 0; i < c->s->certificate.proofs; i++) {
    const Proof *p = &c->s->certificate.proof[i];
    if (p->kind == kind && p->complete && same_strides(&p->base, l)) return true;
  }
  return false;
}

/* True if a proof covers these inadmissible strides: one stride is not a multiple of the vector
 * width. */
static inline bool has_alignment_proof(const Checker *c, const KgenLayout *l) {
  for (int i = 0; i < c->s->certificate.proofs; i++) {
    const Proof *p = &c->s->certificate.proof[i];
    if (p->kind == PROOF_ALIGNMENT && l->stride[p->dim] % p->multiple) return true;
  }
  return false;
}

/* Every single term at these strides that may be used and would be cheaper must cost more
 * wavefronts. */
static inline void check_terms(Checker *c, KgenLayout l, int row_bits, int col_bits) {
  l.terms = 1;
  for (int shift = 1 - col_bits; shift < row_bits; shift++)
    for (int mask = 1; mask < 1 << col_bits; mask++) {
      l.term[0] = (KgenTerm){.shift = shift, .mask = mask};
      if (!allowed(c->set, &l)) continue;
      const BrutePrice p = price_of(c->set, &l);
      complain(c, brute_compare(&p, &c->chosen) >= 0, "a single term is cheaper");
    }
}

/* Tries every linear map at these strides, where there are few. */
static inline void check_maps(Checker *c, const KgenLayout *l, int row_bits, int col_bits) {
  for (uint64_t code = 0; code < UINT64_C(1) << row_bits * col_bits; code++) {
    unsigned image[32] = {0};
    BrutePrice p = {.bytes = (int64_t)kgen_elements(l) * c->set->tile->dtype->bytes};
    for (int r = 0; r < row_bits; r++)
      image[r] = (unsigned)(code >> r * col_bits) & ((1u << col_bits) - 1);
    p.total = brute_cost(c->set, l, image, NULL);
    brute_map_price(l, image, row_bits, &p);
    complain(c, p.total < 0 || brute_compare(&p, &c->chosen) >= 0, "a map is cheaper");
  }
}

/* How much one cost takes. */
static inline int brute_instructions(const AccessSet *set) {
  int n = 0;
  for (int i = 0; i < set->accesses; i++) n += set->access[i].warps;
  return n;
}

/* Checks one set of strides that takes at most the chosen layout's bytes. */
static inline void check_strides(Checker *c, const KgenLayout *l) {
  const Tile *t = c->set->tile;
  const bool xors = t->want.kind == WANT_AUTO || t->want.kind == WANT_XOR;
  const BrutePrice p = price_of(c->set, l);
  const bool own = same_strides(l, &c->s->layout);
  const bool usable = allowed(c->set, l);
  complain(c,
           usable || has_alignment_proof(c, l) || has_witness(c, l) || l->period ||
               p.bytes > t->want.max_bytes,
           "no reason is given why strides cannot be used");
  complain(c, !usable || !has_alignment_proof(c, l),
           "strides that can be used are said to misalign");
  if (!usable) return;
  if (!(own && c->chosen.terms == 0)) {
    complain(c, brute_compare(&p, &c->chosen) >= 0, "other strides are cheaper");
    const BrutePrice hoped = {c->chosen.total, p.bytes, p.operations, 0, 0};
    const bool hopeless = brute_compare(&hoped, &c->chosen) >= 0;
    complain(c, hopeless || repeats_plain(l) || has_witness(c, l),
             "cheaper strides have no witness");
  }
  int row_bits = 0, col_bits = 0;
  const int cols = l->period ? l->period : t->extent[t->rank - 1];
  while (1 << row_bits < layout_rows(l)) row_bits++;
  while (cols % (2 << col_bits) == 0) col_bits++;
  if (!xors || row_bits == 0 || col_bits == 0 || (own && c->chosen.terms == 0)) return;
  if (row_bits * col_bits <= 10 && t->want.align <= t->dtype->bytes)
    check_maps(c, l, row_bits, col_bits);
  else if (col_bits <= 5 && brute_instructions(c->set) <= 128)
    check_terms(c, *l, row_bits, col_bits);
  const bool floor = has_proof(c, &c->s->layout, PROOF_SAME_PLACE) || c->s->certificate.proofs > 0;
  if (own && c->chosen.terms >= 2 && layout_is_within_rows(&c->s->layout))
    complain(c, has_proof(c, l, PROOF_NO_TERMS), "fewer terms are not refuted");
  if (!own && c->chosen.bytes > (int64_t)kgen_elements(l) * t->dtype->bytes)
    complain(c, floor, "no search covers the XORs of cheaper strides");
}

/* Pads that differ modulo the bank period, in elements. */
static inline int bank_period(const AccessSet *set) {
  const int bytes = set->banks.count * set->banks.bytes;
  return (bytes % 16 ? 16 * bytes : bytes) / set->tile->dtype->bytes;
}

static inline void check_pads(Checker *c, KgenLayout l, int dim, int pads, int *budget) {
  if (dim < 0) {
    const int64_t bytes = (int64_t)kgen_elements(&l) * c->set->tile->dtype->bytes;
    if (bytes <= c->chosen.bytes && --*budget >= 0) check_strides(c, &l);
    return;
  }
  for (int pad = 0; pad < pads; pad++) {
    l.stride[dim] = l.extent[dim + 1] * l.stride[dim + 1] + pad;
    if (pad && l.extent[dim] == 1) return; /* one row has no stride */
    if ((int64_t)l.stride[dim] * l.extent[dim] * c->set->tile->dtype->bytes > c->chosen.bytes)
      return;
    check_pads(c, l, dim - 1, pads, budget);
  }
}

/* Checks all strides that take at most the chosen bytes, one by one. */
static inline void check_cheaper(Checker *c) {
  const Want kind = c->set->tile->want.kind;
  const int pads = kind == WANT_XOR ? 1 : bank_period(c->set);
  KgenLayout l = layout_plain(c->set->tile);
  int budget = 2000;
  if (kind == WANT_NONE) return;
  if (l.rank > 1) {
    check_pads(c, l, l.rank - 2, pads, &budget);
    return;
  }
  check_strides(c, &l);
  for (l.period = 1; l.period < l.extent[0]; l.period *= 2)
    for (int pad = 0; pad < pads && --budget >= 0; pad++) {
      l.stride[0] = l.period + pad;
      l.stride[1] = 1;
      if ((int64_t)kgen_elements(&l) * c->set->tile->dtype->bytes <= c->chosen.bytes)
        check_strides(c, &l);
    }
}

/* Every mode of TMA that may be used must cost as much. */
static inline void check_all_modes(Checker *c) {
  const Brute b = brute_modes(c->set);
  complain(c, b.best.total == c->chosen.total, "another mode is cheaper");
}

/* For a given layout nothing in the family is cheaper, or what is named as cheaper is. */
static inline void check_judged(Checker *c, const Solution *best) {
  const BrutePrice other = price_of(c->set, &best->layout);
  const KgenLayout *better = c->s->better;
  const int order = brute_compare(&other, &c->chosen);
  complain(c, c->s->minimal == (order >= 0 && best->minimal), "a given layout's minimal is wrong");
  complain(c, (better != NULL) == (order < 0), "a better layout is said to be, and is not");
  if (!better) return;
  const BrutePrice p = price_of(c->set, better);
  complain(c, allowed(c->set, better) && brute_compare(&p, &c->chosen) < 0, "it is not better");
}

/* Checks a whole solution: costs, verdicts, witnesses, and that nothing cheaper was passed over.
 * Returns the first complaint, or NULL. */
static inline const char *certificate_check(const AccessSet *set, const Solution *s) {
  Checker c = {.set = set, .s = s, .chosen = price_of(set, &s->layout)};
  bool conflict_free = true;
  int64_t weighted = 0;
  complain(&c, allowed(set, &s->layout), "the chosen layout breaks a rule");
  for (int i = 0; i < set->accesses; i++) {
    conflict_free = conflict_free && s->cost[i].wavefronts <= s->cost[i].ideal;
    weighted += s->cost[i].wavefronts * set->access[i].weight;
  }
  complain(&c, weighted == c.chosen.total, "the wavefronts are not what the layout costs");
  complain(&c, s->conflict_free == conflict_free, "conflict_free is wrong");
  for (int i = 0; i < s->certificate.witnesses; i++) check_witness(&c, &s->certificate.witness[i]);
  if (needs_mode(set))
    check_all_modes(&c);
  else if (s->minimal && !set->tile->want.given)
    check_cheaper(&c);
  return c.complaint;
}

#endif
