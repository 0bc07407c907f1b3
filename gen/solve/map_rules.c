#include "solve/map_rules.h"

#include <string.h>

void rules_enter_space(PartialMap *p, const MapSpace *space, Arena *a, Budget *b) {
  const size_t rows = (size_t)1 << space->rows->row_bits;
  *p = (PartialMap){.space = space, .arena = a, .budget = b};
  p->images = 1 << __builtin_popcount(space->col_bits);
  p->words = (p->images + SET_WORD - 1) / SET_WORD;
  p->low = __builtin_ctz(space->col_bits);
  p->set = ARENA_ARRAY(a, uint64_t, (size_t)p->words);
  p->met = ARENA_ARRAY(a, uint64_t, (size_t)p->words);
  p->index = ARENA_ARRAY(a, int32_t, rows);
  budget_spend(b, (int64_t)rows + p->images * 8);
}

/* --- sets of images --- */

uint64_t *images_clear(const PartialMap *p, uint64_t *set) {
  return memset(set, 0, (size_t)p->words * sizeof *set);
}

int images_count(const PartialMap *p, const uint64_t *set) {
  int n = 0;
  for (int w = 0; w < p->words; w++) n += __builtin_popcountll(set[w]);
  return n;
}

uint64_t images_xor(uint64_t word, unsigned v) {
  static const uint64_t even[] = {UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
                                  UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x00ff00ff00ff00ff),
                                  UINT64_C(0x0000ffff0000ffff), UINT64_C(0x00000000ffffffff)};
  for (; v; v &= v - 1) {
    const int bit = __builtin_ctz(v);
    word = (word & even[bit]) << (1 << bit) | (word >> (1 << bit) & even[bit]);
  }
  return word;
}

/* --- rules --- */

uint64_t *rules_find(const PartialMap *p, const Rules *r, uint32_t rows) {
  const int i = p->index[rows];
  return i < r->count && r->of[i] == rows ? r->closed + i * p->words : NULL;
}

static uint64_t *add_rule(const PartialMap *p, Rules *r, uint32_t rows) {
  const int i = p->index[rows] = r->count++;
  r->of[i] = rows;
  return images_clear(p, r->closed + i * p->words);
}

bool rules_close(const PartialMap *p, Rules *r, uint32_t rows, const uint64_t *images, unsigned v) {
  if (rows == 0) return !images_have(images, v);
  uint64_t *closed = rules_find(p, r, rows);
  if (!closed) closed = add_rule(p, r, rows);
  for (int w = 0; w < p->words; w++)
    closed[w ^ (int)(v / SET_WORD)] |= images_xor(images[w], v % SET_WORD);
  return true;
}

void rules_reserve(const PartialMap *p, Rules *r) {
  const size_t rows = (size_t)1 << p->space->rows->row_bits;
  r->of = ARENA_ARRAY(p->arena, uint32_t, rows);
  r->closed = ARENA_ARRAY(p->arena, uint64_t, rows * (size_t)p->words);
}

/* Rows that keep longer pieces whole than others do exclude the images that would split them. */
void rules_start(const PartialMap *p, Rules *r) {
  const Rows *rows = p->space->rows;
  r->open = (UINT32_C(1) << rows->row_bits) - 1;
  for (int row = 1; maps_can_tear(p->space) && row < rows->rows; row++) {
    images_clear(p, p->set);
    for (int v = 0; v < p->images; v++)
      if ((v << p->low) % rows->unit[row]) images_add(p->set, (unsigned)v);
    if (images_count(p, p->set)) rules_close(p, r, (uint32_t)row, p->set, 0);
  }
}

bool rules_place(PartialMap *p, const Rules *from, Rules *to, int bit, unsigned v) {
  to->last = UINT32_C(1) << bit;
  to->open = from->open & ~to->last;
  to->count = 0;
  p->map.column[bit] = v << p->low;
  budget_spend(p->budget, 40 + from->count * (3 + 4 * p->words));
  for (int i = 0; i < from->count; i++) {
    const unsigned moved = from->of[i] >> bit & 1 ? v : 0;
    if (!rules_close(p, to, from->of[i] & to->open, from->closed + i * p->words, moved))
      return false;
  }
  return true;
}
