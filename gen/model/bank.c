/* SPDX-License-Identifier: MIT */
#include "model/bank.h"

#include <string.h>

enum { MAX_WORDS = WARP * 17, MAX_BANKS = 64, MERGED = 2 };

/* The maximum number of lanes that are served in one pass: 128 bytes per group
 * [docs/explanation/layouts-and-banks.md, "Bank rules"]. */
static int lanes_per_group(int bytes_per_lane) {
  return bytes_per_lane <= 4 ? 32 : bytes_per_lane == 8 ? 16 : 8;
}

/* True if every active lane has the address of its partner lane ^ step; an inactive partner counts
 * as equal. */
static bool partners_equal(uint32_t active, const int64_t address[WARP], int step) {
  for (int lane = 0; lane < WARP; lane++) {
    const int partner = lane ^ step;
    if (!(active >> lane & 1) || !(active >> partner & 1)) continue;
    if (address[lane] != address[partner]) return false;
  }
  return true;
}

/* True for loads of 8 or 16 bytes whose lane pairs have equal addresses: the hardware then serves
 * twice as many lanes per pass. Stores never merge. */
static bool lanes_merge(Op op, int bytes_per_lane, uint32_t active, const int64_t address[WARP]) {
  if (op != OP_LOAD || bytes_per_lane < 8) return false;
  return partners_equal(active, address, 1) || partners_equal(active, address, 2);
}

int bank_groups(Op op, int bytes_per_lane, uint32_t active, const int64_t address[WARP],
                uint32_t mask[4]) {
  int lanes = lanes_per_group(bytes_per_lane);
  if (lanes_merge(op, bytes_per_lane, active, address)) lanes *= MERGED;
  const uint32_t ones = lanes == WARP ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
  int groups = 0;
  for (int first = 0; first < WARP; first += lanes) {
    const uint32_t group = active & ones << first;
    if (group) mask[groups++] = group;
  }
  return groups;
}

/* The distinct words of one group, as linked lists by bank. */
typedef struct {
  int words;
  int count[MAX_BANKS];
  int16_t head[MAX_BANKS], next[MAX_WORDS];
  int64_t word[MAX_WORDS];
} Words;

/* Adds a word; if `distinct` is set, only if the bank does not hold it yet. */
static void words_add(Words *w, int banks, int64_t word, bool distinct) {
  const int bank = (int)(word % banks);
  for (int i = w->head[bank]; distinct && i >= 0; i = w->next[i])
    if (w->word[i] == word) return;
  w->word[w->words] = word;
  w->next[w->words] = w->head[bank];
  w->head[bank] = (int16_t)w->words++;
  w->count[bank]++;
}

static void words_collect(Words *w, BankGeometry banks, bool distinct, int bytes_per_lane,
                          uint32_t lanes, const int64_t address[WARP]) {
  w->words = 0;
  memset(w->count, 0, sizeof w->count);
  memset(w->head, -1, sizeof w->head);
  for (; lanes; lanes &= lanes - 1) {
    const int64_t first = address[__builtin_ctz(lanes)];
    const int64_t last = (first + bytes_per_lane - 1) / banks.bytes;
    for (int64_t word = first / banks.bytes; word <= last; word++)
      words_add(w, banks.count, word, distinct);
  }
}

static int fullest_bank(const Words *w, int banks) {
  int fullest = 0;
  for (int b = 1; b < banks; b++)
    if (w->count[b] > w->count[fullest]) fullest = b;
  return fullest;
}

int bank_group_cost(BankGeometry banks, Op op, int bytes_per_lane, uint32_t lanes,
                    const int64_t address[WARP], int *bank) {
  Words w;
  words_collect(&w, banks, op != OP_ATOMIC, bytes_per_lane, lanes, address);
  const int fullest = fullest_bank(&w, banks.count);
  if (bank) *bank = fullest;
  return w.count[fullest];
}

static int quotient_up(int n, int by) { return (n + by - 1) / by; }

static int lanes_at(uint32_t lanes, int64_t at, const int64_t address[WARP]) {
  int n = 0;
  for (uint32_t m = lanes; m; m &= m - 1) n += address[__builtin_ctz(m)] == at;
  return n;
}

/* Cost of the group if its bytes fill words that are spread evenly over the banks. Counts distinct
 * addresses instead of words, because the layout decides how sub-word elements share words. */
static int even_ideal(BankGeometry banks, int bytes_per_lane, uint32_t lanes,
                      const int64_t address[WARP]) {
  int bytes = 0;
  for (uint32_t m = lanes; m; m &= m - 1)
    if (lanes_at(m, address[__builtin_ctz(m)], address) == 1) bytes += bytes_per_lane;
  return quotient_up(bytes, banks.count * banks.bytes);
}

/* Cost of serialization: lanes of an atomic with equal addresses are served one after another under
 * every layout. Lanes that only share a word do not count, because a layout can separate them. */
static int serial_ideal(BankGeometry banks, int bytes_per_lane, uint32_t lanes,
                        const int64_t address[WARP]) {
  int most = 0;
  for (uint32_t m = lanes; m; m &= m - 1) {
    const int n = lanes_at(m, address[__builtin_ctz(m)], address);
    if (n > most) most = n;
  }
  return most * quotient_up(quotient_up(bytes_per_lane, banks.bytes), banks.count);
}

static int group_ideal(BankGeometry banks, Op op, int bytes_per_lane, uint32_t lanes,
                       const int64_t address[WARP]) {
  const int even = even_ideal(banks, bytes_per_lane, lanes, address);
  if (op != OP_ATOMIC) return even;
  const int serial = serial_ideal(banks, bytes_per_lane, lanes, address);
  return serial > even ? serial : even;
}

enum { BANKS = 32, BANK_BYTES = 4 };

/* The distinct words of a group as linked lists by bank, with the number of lanes of each word. */
typedef struct {
  int words;
  uint64_t word[WARP];
  uint8_t lanes[WARP];
  int8_t first[BANKS], next[WARP]; /* -1 ends the list */
} Chains;

/* The index of the word; a new word is appended with 0 lanes. */
static int find_word(Chains *c, uint64_t word) {
  int8_t *first = &c->first[word % BANKS];
  int i = *first;
  while (i >= 0 && c->word[i] != word) i = c->next[i];
  if (i >= 0) return i;
  i = c->words++;
  c->word[i] = word;
  c->lanes[i] = 0;
  c->next[i] = *first;
  *first = (int8_t)i;
  return i;
}

/* Fast path of bank_cost() for one group with at most one word per lane: applies the same rules in
 * one pass over the lanes. */
static BankCost cost_of_words(Op op, uint32_t active, const int64_t address[WARP]) {
  uint8_t served[BANKS] = {0};
  int most_lanes = 0;
  BankCost cost = {.worst_group = active ? 0 : -1};
  Chains c;
  c.words = 0;
  memset(c.first, -1, sizeof c.first);
  for (uint32_t m = active; m; m &= m - 1) {
    const uint64_t word = (uint64_t)address[__builtin_ctz(m)] / BANK_BYTES;
    const int i = find_word(&c, word);
    if (c.lanes[i] == 0 || op == OP_ATOMIC) served[word % BANKS]++;
    if (++c.lanes[i] > most_lanes) most_lanes = c.lanes[i];
  }
  for (int b = 0; b < BANKS; b++)
    if (served[b] > served[cost.worst_bank]) cost.worst_bank = b;
  cost.wavefronts = cost.worst = served[cost.worst_bank];
  cost.ideal = op == OP_ATOMIC ? most_lanes : c.words > 0;
  return cost;
}

/* True if no lane accesses more than one word, and each lane of an atomic a whole word. */
static bool is_of_words(BankGeometry banks, Op op, int bytes_per_lane, uint32_t active,
                        const int64_t address[WARP]) {
  int64_t all = 0;
  if (banks.count != BANKS || banks.bytes != BANK_BYTES || bytes_per_lane > 4) return false;
  if (op == OP_ATOMIC ? bytes_per_lane != 4 : op != OP_LOAD && op != OP_STORE) return false;
  for (uint32_t m = active; m; m &= m - 1) all |= address[__builtin_ctz(m)];
  return all % bytes_per_lane == 0;
}

BankCost bank_cost(BankGeometry banks, Op op, int bytes_per_lane, uint32_t active,
                   const int64_t address[WARP]) {
  if (is_of_words(banks, op, bytes_per_lane, active, address))
    return cost_of_words(op, active, address);
  BankCost cost = {.worst_group = -1};
  uint32_t mask[4];
  const int groups = bank_groups(op, bytes_per_lane, active, address, mask);
  for (int g = 0; g < groups; g++) {
    int bank;
    const int n = bank_group_cost(banks, op, bytes_per_lane, mask[g], address, &bank);
    cost.wavefronts += n;
    cost.ideal += group_ideal(banks, op, bytes_per_lane, mask[g], address);
    if (n > cost.worst) {
      cost.worst = n;
      cost.worst_group = g;
      cost.worst_bank = bank;
    }
  }
  return cost;
}
