/* SPDX-License-Identifier: MIT */
/* Accesses of 32 lanes at the ends of a buffer, for each vector level: an access that begins inside
 * and ends outside is rejected, and no load or query accesses memory after the end, which the host
 * has not mapped. */
#include "emu/memory/gather.h"

#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "emu/arith/arith_resolve.h"

enum { PAGE = 4096, WORD = 4 };
static const uint64_t base = UINT64_C(1) << 32;

/* A page between two that fault. */
static uint8_t *page_alone(void) {
  uint8_t *all = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED || mprotect(all + PAGE, PAGE, PROT_READ | PROT_WRITE) != 0) return NULL;
  return all + PAGE;
}

/* True if `bytes` bytes at `at` are accepted in a buffer of `extent` bytes: for lane `lane`, or for
 * all if -1; the other lanes are at the buffer's start or, unless `full`, inactive. */
static bool accepts(const GatherLevel *level, uint64_t extent, uint64_t at, unsigned bytes,
                    int lane, bool full) {
  Gather g = {.base = base, .extent = extent};
  uint64_t address[LANES];
  for (int i = 0; i < (int)LANES; i++)
    address[i] = i == lane || lane < 0 ? base + at : full ? base : 0;
  return level->place(&g, address, 0, UINT64_MAX, bytes,
                      full || lane < 0 ? ALL_LANES : UINT32_C(1) << lane);
}

/* The buffer ends `beyond` bytes before the access does. */
static void check_end(const GatherLevel *level, unsigned v, unsigned bytes, unsigned beyond) {
  static const int lanes[] = {-1, 0, 13, 31};
  const uint64_t at = 32 * 8, extent = at + bytes - beyond;
  for (int i = 0; i < 8; i++) {
    const bool yes = accepts(level, extent, at, bytes, lanes[i / 2], i % 2);
    CHECK(yes == !beyond, "level %u, lane %d: %u bytes, of which %u lie beyond the end", v,
          lanes[i / 2], bytes, beyond);
  }
}

static void test_ends(const GatherLevel *level, unsigned v) {
  for (unsigned bytes = 1; bytes <= 32; bytes *= 2) {
    for (unsigned beyond = 0; beyond <= bytes; beyond++) check_end(level, v, bytes, beyond);
    CHECK(!accepts(level, PAGE, 0 - (uint64_t)bytes, bytes, 7, true), "before the start");
    CHECK(!accepts(level, bytes - 1, 0, bytes, -1, true), "a buffer of %u bytes", bytes - 1);
  }
}

/* The lanes' words, in reverse order, end `left` words before the page does. */
static Gather place_words(const GatherLevel *level, uint8_t *page, unsigned left) {
  Gather g = {.host = page, .base = base, .extent = PAGE};
  uint64_t address[LANES];
  const uint64_t end = base + PAGE - WORD * left;
  for (unsigned i = 0; i < LANES; i++) address[i] = end - WORD * (i / 2 + 1);
  CHECK(level->place(&g, address, 0, UINT64_MAX, WORD, ALL_LANES), "%u words left", left);
  level->spread(&g);
  CHECK(g.near, "%u words left: not near", left);
  return g;
}

static void test_near(const GatherLevel *level, unsigned v, uint8_t *page, uint8_t *other) {
  for (unsigned left = 0; left < 20; left++) {
    const Gather g = place_words(level, page, left);
    uint64_t d[LANES];
    level->load(&g, 0, WORD, false, ALL_LANES, d);
    for (unsigned i = 0; i < LANES; i++)
      CHECK(d[i] == PAGE / WORD - left - i / 2 - 1, "level %u: lane %u loads %d", v, i, (int)d[i]);
    const size_t last = PAGE - WORD * left - 1;
    CHECK(!level->any(&g, other, WORD), "level %u: all are zero", v);
    other[last] = 1;
    CHECK(level->any(&g, other, WORD), "level %u: byte %zu is not", v, last);
    other[last] = 0;
  }
}

int main(void) {
  uint8_t *page = page_alone(), *other = page_alone();
  CHECK(page && other, "no memory");
  if (!page || !other) return check_report("gather_test");
  for (uint32_t i = 0; i < PAGE / WORD; i++) memcpy(page + WORD * i, &i, WORD);
  for (unsigned v = 0; v <= arith_most_vectors(); v++) {
    const GatherLevel *level = AT_LEVEL(gather_level, v);
    test_ends(level, v);
    test_near(level, v, page, other);
  }
  return check_report("gather_test");
}
