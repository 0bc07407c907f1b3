/* SPDX-License-Identifier: MIT */
#include "model/address.h"

#include "base/number.h"

/* The source's bits that a term reads. */
static int64_t source_bits(KgenTerm t) {
  return t.shift < 0 ? t.mask >> -t.shift : (int64_t)t.mask << t.shift;
}

/* Takes the terms that read the same bits as the first and write other bits: together they equal
 * the term with the lowest target, times the returned sum of powers of two. */
static int take_spread(KgenTerm *term, int count, KgenTerm *lowest) {
  const int64_t bits = source_bits(term[0]);
  const KgenTerm of = term[0];
  int written = 0, shifts = 0, factor = 0, shift[KGEN_MAX_TERMS];
  *lowest = of;
  for (int i = 0; i < count; i++) {
    if (source_bits(term[i]) != bits || term[i].source != of.source) continue;
    if (term[i].mask & written || term[i].target != of.target) continue;
    if (term[i].shift > lowest->shift) *lowest = term[i];
    written |= term[i].mask;
    shift[shifts++] = term[i].shift;
    term[i].mask = 0;
  }
  for (int i = 0; i < shifts; i++) factor += 1 << (lowest->shift - shift[i]);
  return factor;
}

/* Narrows a term to the coordinates that its bits come from. Inner coordinates are shifted out if
 * their extents are powers of two. Outer coordinates are left out if they only add multiples of a
 * power of two above its bits. */
static void narrow(const KgenLayout *l, AddressTerm *t) {
  const int low = __builtin_ctz((unsigned)t->mask) + t->shift;
  const int high = 31 - __builtin_clz((unsigned)t->mask) + t->shift;
  int base = 0;
  for (; t->last > 0 && number_is_power(l->extent[t->last]); t->last--) {
    if (low < base + number_log2(l->extent[t->last])) break;
    base += number_log2(l->extent[t->last]);
  }
  int top = base + __builtin_ctz((unsigned)l->extent[t->last]);
  for (t->first = t->last; t->first > 0 && top <= high;
       top += __builtin_ctz((unsigned)l->extent[t->first]))
    t->first--;
  t->shift -= base;
}

static AddressTerm term_of(const KgenLayout *l, KgenTerm t, int factor) {
  AddressTerm out = {t.shift, t.mask, factor, 0, 0, t.target ? t.target - 1 : l->rank - 1};
  if (t.source >= KGEN_COORD)
    out.first = out.last = t.source - KGEN_COORD;
  else if (l->rank == 1) /* a row is the index shifted by log2 of the period */
    out.shift += t.source == KGEN_ROW ? number_log2(l->period) : 0;
  else {
    out.last = l->rank - (t.source == KGEN_ROW ? 2 : 1);
    narrow(l, &out);
  }
  return out;
}

int address_terms(const KgenLayout *l, AddressTerm *out) {
  KgenTerm term[KGEN_MAX_TERMS], one;
  const int terms = layout_join_terms(l, term);
  int count = 0;
  for (int i = 0; i < terms; i++) {
    if (term[i].mask == 0) continue;
    const int factor = take_spread(term + i, terms - i, &one);
    out[count++] = term_of(l, one, factor);
  }
  return count;
}

bool address_is_separate(const KgenLayout *l) {
  return !l->linear && !layout_is_together(l, layout_first_changed(l));
}

int address_pad(const KgenLayout *l) {
  return l->rank == 1 && l->period ? l->stride[0] - l->period : 0;
}

int address_operations(const KgenLayout *l) {
  AddressTerm term[KGEN_MAX_TERMS];
  const int terms = address_terms(l, term), pad = address_pad(l);
  int sum = 2 * (l->rank - 1) + terms + (pad ? 2 : 0) + (pad > 1);
  if (l->linear) sum = terms > 1 ? terms - 1 : 0;
  for (int i = 0; i < terms; i++)
    sum += 1 + (term[i].shift != 0) + (term[i].factor > 1) + 2 * (term[i].last - term[i].first);
  return sum;
}
