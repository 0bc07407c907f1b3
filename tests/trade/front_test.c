/* SPDX-License-Identifier: MIT */
/* The trade of bytes against wavefronts: for small random tiles against brute force under every
 * limit of bytes, for known tiles against what it must list. */
#include "trade/front.h"

#include "check.h"
#include "solve/sets.h"

static int traded; /* tiles with more than one best layout */

static int64_t least_within(const AccessSet *set, Tile *tile, int64_t bytes) {
  const int limit = tile->want.max_bytes;
  tile->want.max_bytes = (int)bytes;
  const Brute b = brute_solve(set);
  tile->want.max_bytes = limit;
  return b.best.total;
}

/* Brute force knows the XORs of rows; the chosen layout may be one of the index. */
static bool equals_brute(const FrontPoint *p, int64_t brute) {
  const KgenLayout *l = &p->layout;
  const bool of_index = l->linear || (l->terms && (l->term[0].source || l->term[0].target));
  return of_index ? p->total <= brute : p->total == brute;
}

/* Between one best layout and the next, no limit lets brute force below the first. */
static void check_best(const AccessSet *set, Tile *tile, const Front *f, const char *what) {
  int64_t last = INT64_MAX;
  const FrontPoint *lowest = NULL;
  int best = 0;
  for (int i = 0; i < f->points; i++) {
    const FrontPoint *p = &f->point[i];
    if (!p->best) continue;
    const int64_t here = least_within(set, tile, p->bytes);
    CHECK(equals_brute(p, here), "%s: %lld bytes: %lld, brute force %lld", what,
          (long long)p->bytes, (long long)p->total, (long long)here);
    const int64_t before = least_within(set, tile, p->bytes - 1);
    CHECK(lowest ? equals_brute(lowest, before) : before == last,
          "%s: below %lld bytes: %lld, brute force %lld", what, (long long)p->bytes,
          (long long)last, (long long)before);
    last = p->total;
    lowest = p;
    best++;
  }
  traded += best > 1;
  const int64_t all = least_within(set, tile, tile->want.max_bytes);
  CHECK(lowest && equals_brute(lowest, all), "%s: at last %lld, brute force %lld", what,
        (long long)last, (long long)all);
}

static void check_points(Arena *a, const AccessSet *set, const Front *f, const char *what) {
  AccessCost *cost = ARENA_ARRAY(a, AccessCost, (size_t)set->accesses);
  int chosen = 0;
  for (int i = 0; i < f->points; i++) {
    const FrontPoint *p = &f->point[i];
    int64_t sum = 0;
    CHECK(cost_count(set, &p->layout, cost) == p->total, "%s: point %d: total", what, i);
    for (int k = 0; k < set->accesses; k++) sum += cost[k].wavefronts;
    CHECK(sum == p->wavefronts && p->layouts > 0, "%s: point %d: wavefronts", what, i);
    CHECK(layout_bytes(&p->layout, set->tile->dtype->bytes) == p->bytes, "%s: bytes", what);
    CHECK(layout_admissible(&p->layout, set), "%s: point %d: inadmissible", what, i);
    CHECK(i == 0 || f->point[i - 1].bytes <= p->bytes, "%s: order", what);
    chosen += p->chosen;
  }
  CHECK(chosen == 1, "%s: %d chosen", what, chosen);
}

static void check_random(Random *r) {
  static const BankGeometry banks[] = {{4, 4}, {8, 4}};
  Arena *a = arena_new();
  const int extent[] = {2 + random_below(r, 5), 1 + random_below(r, 8)};
  SetBuilder b = set_new(a, 1 << random_below(r, 5), 2, extent, WANT_AUTO);
  b.set->banks = banks[random_below(r, 2)];
  const char *what =
      arena_printf(a, "%d bytes, %d x %d", b.tile->dtype->bytes, extent[0], extent[1]);
  for (int i = 0; i < 3; i++) set_add_random(&b, r, i ? OP_LOAD : OP_STORE, 1);
  b.access[2].weight = WEIGHT_ONE * (1 + random_below(r, 3));
  const Solution *s = brute_size(b.set) < 2e5 ? solve_tile(a, diag_new(a), b.set) : NULL;
  if (s) {
    const Front f = front_list(a, b.set, s, &(Budget){.limit = SPEC_EFFORT});
    CHECK(f.exact && f.complete, "%s: exact %d, complete %d", what, f.exact, f.complete);
    check_points(a, b.set, &f, what);
    check_best(b.set, b.tile, &f, what);
  }
  arena_free(a);
}

/* A tile of 32 x 32 floats, filled by rows and drained by columns: an XOR is best, a pad of one is
 * as good for 128 more bytes; the requested layout stays the chosen one. */
static void check_transpose(Want want, int64_t bytes) {
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 4, 2, (int[]){32, 32}, want);
  set_add_rows(&b, OP_STORE, 1);
  set_add_columns(&b, OP_LOAD, 1);
  const Front f =
      front_list(a, b.set, solve_tile(a, diag_new(a), b.set), &(Budget){.limit = SPEC_EFFORT});
  int pads = 0, plain = 0;
  check_points(a, b.set, &f, want_name[want]);
  for (int i = 0; i < f.points; i++) {
    const FrontPoint *p = &f.point[i];
    pads += !p->layout.terms;
    plain += !p->layout.terms && p->bytes == 4096 && p->wavefronts == 1024 + 32;
    CHECK(!p->chosen || (p->bytes == bytes && p->wavefronts == 64), "chosen: %lld bytes",
          (long long)p->bytes);
    CHECK(!p->best || (p->bytes == 4096 && p->wavefronts == 64), "best: %lld bytes",
          (long long)p->bytes);
  }
  CHECK(pads == 32 && plain == 1, "%d pads", pads);
  arena_free(a);
}

/* A list that its budget has cut off says so. */
static void check_budget(void) {
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 4, 2, (int[]){32, 32}, WANT_AUTO);
  set_add_rows(&b, OP_STORE, 1);
  set_add_columns(&b, OP_LOAD, 1);
  const Front f = front_list(a, b.set, solve_tile(a, diag_new(a), b.set), &(Budget){.limit = 1000});
  CHECK(!f.exact && !f.complete, "exact %d, complete %d", f.exact, f.complete);
  check_points(a, b.set, &f, "a small budget");
  arena_free(a);
}

int main(void) {
  Random r = {2026};
  for (int i = 0; i < 60; i++) check_random(&r);
  CHECK(traded > 5, "%d tiles with a trade", traded);
  check_transpose(WANT_AUTO, 4096);
  check_transpose(WANT_PAD, 4224);
  check_budget();
  return check_report("front");
}
