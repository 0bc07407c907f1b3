/* SPDX-License-Identifier: MIT */
/* Solves tiles drawn at random: which layouts are chosen, free and proven, and what that takes. A
 * line a tile, without times, so that two solvers' outputs can be compared; the sum is the last. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model/address.h"
#include "solve/sets.h"

enum { SETS = 1000, MOST_ACCESSES = 4, MOST_BYTES = 48 << 10 };

static double cpu_ms(void) { return (double)clock() * 1e3 / CLOCKS_PER_SEC; }

static int pick(Random *r, const int *from, int count) { return from[random_below(r, count)]; }

/* --- what is drawn --- */

/* Two of three extents are powers of two, as in kernels. */
static int draw_extent(Random *r, int most) {
  static const int odd[] = {3, 5, 6, 12, 20, 24, 33, 48, 96};
  int extent = 0;
  do {
    extent = random_below(r, 3) ? 1 << random_below(r, 9) : pick(r, odd, 9);
  } while (extent > most);
  return extent;
}

static void draw_extents(Random *r, int bytes, int rank, int *extent) {
  int left = MOST_BYTES / bytes;
  for (int d = rank - 1; d >= 0; d--) {
    extent[d] = rank == 1 ? 32 << random_below(r, 6) : draw_extent(r, left);
    left /= extent[d];
    if (left == 0) left = 1;
  }
}

static void draw_access(SetBuilder *b, Random *r) {
  static const Op op[] = {OP_LOAD, OP_LOAD, OP_STORE, OP_ATOMIC};
  static const int steps[] = {2, 3, 4, 5, 8, 16, 20, 32};
  const int cols = b->tile->extent[b->tile->rank - 1], kind = random_below(r, SET_KINDS + 2);
  const Op o = op[random_below(r, 4)];
  int v = 1 << random_below(r, 3);
  while (cols % v || v * b->tile->dtype->bytes > 16) v /= 2;
  const int argument = kind == SET_BUTTERFLY ? 1 << random_below(r, 5) : pick(r, steps, 8);
  if (kind < SET_KINDS)
    set_add_pattern(b, o, &(SetPattern){(SetKind)kind, argument, kind == SET_BUTTERFLY ? 1 : v});
  else if (kind == SET_KINDS)
    set_add_random(b, r, o, v);
  else
    set_add_linear(b, r, o, v);
  b->access[b->set->accesses - 1].weight = WEIGHT_ONE * (1 + random_below(r, 3));
}

static SetBuilder draw_set(Arena *a, int id) {
  static const Want kinds[] = {WANT_AUTO, WANT_AUTO, WANT_PAD, WANT_XOR};
  Random r = {0x9e3779b97f4a7c15u * (uint64_t)(id + 1)};
  int extent[KGEN_MAX_RANK];
  const int bytes = 1 << random_below(&r, 5), rank = 1 + random_below(&r, 4);
  draw_extents(&r, bytes, rank, extent);
  SetBuilder b = set_new(a, bytes, rank, extent, kinds[random_below(&r, 4)]);
  b.tile->want.max_bytes = 227 * 1024;
  for (int n = 1 + random_below(&r, MOST_ACCESSES); n > 0; n--) draw_access(&b, &r);
  return b;
}

/* --- what is found --- */

static void print_layout(const KgenLayout *l) {
  printf(" period %d strides", l->period);
  for (int d = 0; d < (l->period ? 2 : l->rank); d++) printf(" %d", l->stride[d]);
  for (int i = 0; i < l->terms; i++) {
    const KgenTerm *t = &l->term[i];
    printf(" %d:%d", t->shift, t->mask);
    if (t->source || t->target) printf(":%d:%d", t->source, t->target);
  }
  printf("%s operations %d", l->linear ? " linear" : "", address_operations(l));
}

static void print_set(int id, const AccessSet *set, const Solution *s) {
  const Tile *t = set->tile;
  printf("%3d %s %s", id, t->dtype->name, want_name[t->want.kind]);
  for (int d = 0; d < t->rank; d++) printf("%c%d", d ? 'x' : ' ', t->extent[d]);
  printf(" %d accesses:", set->accesses);
  if (!s) {
    printf(" none\n");
    return;
  }
  printf(" total %lld %s %s", (long long)s->total, s->conflict_free ? "free" : "",
         s->minimal ? "" : "unproven");
  print_layout(&s->layout);
  for (int i = 0; i < s->certificate.proofs; i++) {
    const Proof *p = &s->certificate.proof[i];
    if (!p->complete) printf(" stopped %d:%d", p->maps, p->kind);
  }
  printf("\n");
}

typedef struct {
  int solved, free, proven, slowest_id;
  double ms, slowest_ms;
} Sum;

static void solve_one(int id, Sum *sum) {
  Arena *a = arena_new();
  const SetBuilder b = draw_set(a, id);
  const double start = cpu_ms();
  const Solution *s = solve_tile(a, diag_new(a), b.set);
  const double ms = cpu_ms() - start;
  print_set(id, b.set, s);
  sum->solved += s != NULL;
  sum->free += s && s->conflict_free;
  sum->proven += s && s->minimal;
  sum->ms += ms;
  if (ms > sum->slowest_ms) {
    sum->slowest_ms = ms;
    sum->slowest_id = id;
  }
  if (getenv("KGEN_SOLVE_TIMES")) fprintf(stderr, "%d %.1f\n", id, ms);
  arena_free(a);
}

/* solve_bench [FIRST [COUNT]]: of the sets, whose numbers stay what they are. */
int main(int argc, char **argv) {
  const int first = argc > 1 ? atoi(argv[1]) : 0, count = argc > 2 ? atoi(argv[2]) : SETS;
  Sum sum = {0};
  for (int id = first; id < first + count; id++) solve_one(id, &sum);
  fprintf(stderr, "%d solved, %d free, %d proven; %.1f s of CPU, slowest %d: %.2f s\n", sum.solved,
          sum.free, sum.proven, sum.ms / 1e3, sum.slowest_id, sum.slowest_ms / 1e3);
  return 0;
}
