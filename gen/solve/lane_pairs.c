#include "solve/lane_pairs.h"

/* --- where images bring a lane --- */

static uint64_t *images_in_slot(const PartialMap *p, const Asked *a, int lane, int32_t piece) {
  const int slots = a->group->slots;
  return a->images_in + (lane * slots + (piece & (slots - 1))) * p->words;
}

static void list_images(const PartialMap *p, Asked *a, int lane) {
  const Group *g = a->group;
  const int32_t start = a->start[lane], col = g->lane[lane].col;
  const int32_t unmoved = (start + col) >> g->slot_shift, seen = g->shared ? -1 : g->slots - 1;
  for (int v = 0; v < p->images; v++) {
    const int32_t move = v << p->low, piece = (start + (col ^ move)) >> g->slot_shift;
    a->piece[lane * p->images + v] = piece;
    images_add(images_in_slot(p, a, lane, piece), (unsigned)v);
    a->reach[lane] |= UINT64_C(1) << (piece & (g->slots - 1));
    if ((piece ^ unmoved ^ move >> g->slot_shift) & seen) a->moved |= UINT32_C(1) << lane;
  }
}

void pairs_enter(const PartialMap *p, Asked *a) {
  const Group *g = a->group;
  const size_t lanes = (size_t)g->lanes;
  a->piece = ARENA_ARRAY(p->arena, int32_t, lanes * (size_t)p->images);
  a->images_in = ARENA_ARRAY(p->arena, uint64_t, lanes * (size_t)(g->slots * p->words));
  for (int i = 0; i < g->lanes; i++) list_images(p, a, i);
  budget_spend(p->budget, g->lanes * (g->lanes + p->images * 3 + g->slots * p->words / 2));
}

/* Of images that bring a lane into the slot of `piece`, those that do not bring it to that piece.
 */
static uint64_t without_piece(const PartialMap *p, const Asked *a, int lane, int w, int32_t piece) {
  const uint64_t in = images_in_slot(p, a, lane, piece)[w];
  uint64_t apart = in;
  for (uint64_t left = in; left; left &= left - 1)
    if (a->piece[lane * p->images + w * SET_WORD + __builtin_ctzll(left)] == piece)
      apart &= ~(left & -left);
  return apart;
}

/* Adds the images that bring a lane where `piece` is, unless one word then serves both. False if
 * there are none. */
static inline bool add_images_at(const PartialMap *p, const Asked *a, int lane, int32_t piece,
                                 uint64_t *to) {
  const uint64_t *in = images_in_slot(p, a, lane, piece);
  uint64_t any = 0;
  if (!(a->reach[lane] >> (piece & (a->group->slots - 1)) & 1)) return false;
  for (int w = 0; w < p->words; w++) {
    const uint64_t met = a->group->shared ? without_piece(p, a, lane, w, piece) : in[w];
    to[w] |= met;
    any |= met;
  }
  return any != 0;
}

/* --- from the start on --- */

/* Collects the images of the difference of two lanes' rows under which they meet. False if there
 * are none, or if it takes more than the difference to tell: then the group carries. */
static bool meet_by_difference(const PartialMap *p, Asked *a, int i, int j) {
  const int tries = (a->moved >> i | a->moved >> j) & 1 ? p->images : 1;
  const bool meet = add_images_at(p, a, j, a->piece[i * p->images], images_clear(p, p->met));
  int v = 1;
  bool equal = true;
  for (; v < tries && equal && (meet || !a->carries); v++) {
    add_images_at(p, a, j, a->piece[i * p->images + v], images_clear(p, p->set));
    for (int w = 0; w < p->words; w++)
      equal &= images_xor(p->set[w ^ v / SET_WORD], (unsigned)v % SET_WORD) == p->met[w];
  }
  budget_spend(p->budget, v * (a->group->shared ? 16 : 10));
  a->carries |= !equal;
  return meet && equal;
}

/* Two lanes that reach no slot in common never meet. */
bool pairs_close(const PartialMap *p, Rules *r, Asked *a) {
  const Lane *lane = a->group->lane;
  uint32_t lanes_at[MOST_SLOTS] = {0};
  for (int i = 0; i < a->group->lanes; i++) {
    uint32_t near = 0;
    for (uint64_t left = a->reach[i]; left; left &= left - 1) {
      near |= lanes_at[__builtin_ctzll(left)];
      lanes_at[__builtin_ctzll(left)] |= UINT32_C(1) << i;
    }
    for (; near; near &= near - 1) {
      const int j = __builtin_ctz(near);
      if (!meet_by_difference(p, a, i, j)) continue;
      if (!rules_close(p, r, (uint32_t)(lane[i].row ^ lane[j].row), p->met, 0)) return false;
    }
  }
  return true;
}

/* --- once a lane has its place --- */

/* What fresh lanes hold: at most one piece a slot. */
typedef struct {
  uint64_t slots;
  int32_t piece[MOST_SLOTS];
} Held;

/* False if two of the lanes meet. */
static bool hold_fresh(const PartialMap *p, const Asked *a, uint32_t fresh, Held *h) {
  const Group *g = a->group;
  h->slots = 0;
  for (; fresh; fresh &= fresh - 1) {
    const int i = __builtin_ctz(fresh);
    const int32_t piece = a->piece[i * p->images + (int)rules_image(p, g->lane[i].row)];
    const int slot = piece & (g->slots - 1);
    if (h->slots >> slot & 1 && !(g->shared && h->piece[slot] == piece)) return false;
    h->slots |= UINT64_C(1) << slot;
    h->piece[slot] = piece;
  }
  return true;
}

bool pairs_place(const PartialMap *p, Rules *r, const Asked *a, uint32_t fresh) {
  const Group *g = a->group;
  Held held;
  int steps = 10 * __builtin_popcount(fresh);
  const bool apart = hold_fresh(p, a, fresh, &held);
  for (int i = 0; i < g->lanes && apart; i++) {
    const uint32_t rest = (uint32_t)g->lane[i].row & r->open;
    uint64_t left = held.slots & a->reach[i];
    if (rest == 0 || left == 0) continue;
    steps += 22 + __builtin_popcountll(left) * (g->shared ? 12 : 5);
    images_clear(p, p->set);
    for (; left; left &= left - 1)
      add_images_at(p, a, i, held.piece[__builtin_ctzll(left)], p->set);
    rules_close(p, r, rest, p->set, rules_image(p, g->lane[i].row));
  }
  budget_spend(p->budget, steps);
  return apart;
}
