#include "model/bank.h"

#include <string.h>

enum { MAX_WORDS = WARP * 17, MAX_BANKS = 64, MERGED = 2 };

/* Lanes served in one pass at most: 128 bytes' worth [docs/layout.md, "Bank rules"]. */
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

/* Loads of 8 and 16 bytes whose lanes agree pairwise are served twice as many lanes a pass; stores
 * never. */
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

/* The words of one group, chained by bank, each word once. */
typedef struct {
  int words;
  int count[MAX_BANKS];
  int16_t head[MAX_BANKS], next[MAX_WORDS];
  int64_t word[MAX_WORDS];
} Words;

/* Adds a word unless `distinct` is set and its bank already holds it. */
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

static int rounded_up(int n, int by) { return (n + by - 1) / by; }

/* The most lanes that have one address: they are served one after another wherever it lies. */
static int most_at_one(uint32_t lanes, const int64_t address[WARP]) {
  int most = 0;
  for (uint32_t m = lanes; m; m &= m - 1) {
    int equal = 0;
    for (uint32_t k = m; k; k &= k - 1)
      equal += address[__builtin_ctz(k)] == address[__builtin_ctz(m)];
    if (equal > most) most = equal;
  }
  return most;
}

/* What the words of a group cost if they are spread evenly. Lanes of an atomic that share a word
 * but not an address can be parted by a layout, so only those of one address bound it. */
static int group_ideal(BankGeometry banks, Op op, int bytes_per_lane, uint32_t lanes,
                       const int64_t address[WARP]) {
  Words w;
  words_collect(&w, banks, true, bytes_per_lane, lanes, address);
  const int even = rounded_up(w.words, banks.count);
  if (op != OP_ATOMIC) return even;
  const int lane_words = rounded_up(bytes_per_lane, banks.bytes);
  const int least = most_at_one(lanes, address) * rounded_up(lane_words, banks.count);
  return least > even ? least : even;
}

BankCost bank_cost(BankGeometry banks, Op op, int bytes_per_lane, uint32_t active,
                   const int64_t address[WARP]) {
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
