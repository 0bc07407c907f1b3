/* SPDX-License-Identifier: MIT */
/* kgen --pads against brute force: every pad and pitch costed by tests/solve/brute.h, which shares
 * nothing with the solver. */
#include "pads/pads.h"

#include "check.h"
#include "pads/pads_print.h"
#include "solve/brute.h"

static const BankGeometry banks = {32, 4};

/* Element sizes and fields, in the table's order. */
static const int sizes[PADS_ELEMENTS] = {1, 2, 4, 8, 12, 16},
                 fields[PADS_ELEMENTS] = {1, 1, 1, 1, 3, 1};

typedef struct {
  int wavefronts, ideal;
} Cost;

/* Lane i reads field `field` of element `col` + (from + i) / rows of row (from + i) % rows. */
static Cost read_column(int e, int rows, int pitch, int col, int field, int from) {
  int64_t address[WARP];
  const int lane_bytes = sizes[e] / fields[e];
  Cost c;
  for (int i = 0; i < WARP; i++)
    address[i] = (int64_t)((from + i) % rows * pitch + col + (from + i) / rows) * sizes[e] +
                 field * lane_bytes;
  c.wavefronts = brute_instruction(banks, OP_LOAD, lane_bytes, UINT32_MAX, address, &c.ideal);
  return c;
}

/* The worst column and field of a tile of 32 rows. */
static Cost read_all(int e, int width, int pitch) {
  Cost worst = {0, 0};
  for (int col = 0; col < width; col++)
    for (int f = 0; f < fields[e]; f++) {
      const Cost c = read_column(e, WARP, pitch, col, f, 0);
      if (c.wavefronts > worst.wavefronts) worst = c;
    }
  return worst;
}

static bool columns_free(int e, int width, int pitch) {
  const Cost c = read_all(e, width, pitch);
  return c.wavefronts == c.ideal;
}

static void check_minimal(const Pads *p) {
  for (int e = 0; e < PADS_ELEMENTS; e++)
    for (int i = 0; i < PADS_WIDTHS; i++) {
      const int width = pads_width[i];
      const MinimalPad *m = &p->minimal[e][i];
      const Cost plain = read_all(e, width, width);
      int pad = 0;
      while (!columns_free(e, width, width + pad)) pad++;
      CHECK(m->pad == pad, "%s, %d wide: %d, want %d", pads_element[e].name, width, m->pad, pad);
      CHECK(m->unpadded == plain.wavefronts && m->ideal == plain.ideal,
            "%s, %d wide: %d of %d, want %d of %d", pads_element[e].name, width, m->unpadded,
            m->ideal, plain.wavefronts, plain.ideal);
    }
}

/* For rows of a power of two: 4 bytes for elements up to 4 bytes, else one element [hardware.md,
 * "What follows"]. */
static void check_powers_of_two(const Pads *p) {
  static const int want[PADS_ELEMENTS] = {4, 2, 1, 1, 1, 1};
  for (int e = 0; e < PADS_ELEMENTS; e++)
    for (int i = 0; i < PADS_WIDTHS; i++)
      if ((pads_width[i] & (pads_width[i] - 1)) == 0)
        CHECK(p->minimal[e][i].pad == want[e], "%s, %d wide: %d", pads_element[e].name,
              pads_width[i], p->minimal[e][i].pad);
}

typedef struct {
  const char *text;
  bool right;
  int load, right_pad;
} Verdict;

/* The cost of each well-known pad: measured on an H200, or derived from rules that were measured
 * [notebook/seeds.md]. */
static const Verdict verdicts[] = {
    {"float  [32][33]", true, 1, 1},   {"float  [64][65]", true, 1, 1},
    {"float  [16][17]", false, 2, -1}, {"double [32][33]", true, 2, 1},
    {"int    [32][33]", true, 1, 1},   {"char   [32][129]", false, 4, 4},
    {"half   [32][33]", false, 2, 2},  {"float4 [32][9]", true, 4, 1},
    {"float3 [32][11]", true, 1, 1},
};
enum { VERDICTS = sizeof verdicts / sizeof *verdicts };

static void check_known(const Pads *p) {
  CHECK(p->known == VERDICTS, "%d claims", p->known);
  for (int i = 0; i < VERDICTS && i < p->known; i++) {
    const KnownPad *k = &p->known_pad[i];
    const Verdict *v = &verdicts[i];
    CHECK_STR(k->text, v->text);
    CHECK(k->right == v->right && k->load == v->load && k->right_pad == v->right_pad,
          "%s: %s, %d wavefronts, pad %d", k->text, k->right ? "right" : "wrong", k->load,
          k->right_pad);
    int worst = 0;
    for (int from = 0; from + WARP <= k->rows * k->width; from += WARP)
      for (int f = 0; f < fields[k->element]; f++) {
        const Cost c = read_column(k->element, k->rows, k->width + k->pad, 0, f, from);
        if (c.wavefronts > worst) worst = c.wavefronts;
      }
    CHECK(k->load == worst, "%s: %d, by brute force %d", k->text, k->load, worst);
  }
  CHECK(p->known_pad[2].store == 2, "float [16][17]: stores %d", p->known_pad[2].store);
  CHECK_STR(p->known_pad[2].swizzle, "(row & 14)");
}

/* --- rules --- */

static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }

static bool coprime_elements(int pitch, int e) { return e >= 0 && gcd(pitch, 32) == 1; }

static bool coprime_words(int pitch, int e) {
  return pitch * sizes[e] % 4 == 0 && gcd(pitch * sizes[e] / 4, 32) == 1;
}

static bool off_period(int pitch, int e) { return pitch * sizes[e] % 128 != 0; }

/* S = (2 n + 1) * max(4, w), for some n. */
static bool odd_multiple(int pitch, int e) {
  const int lane = sizes[e] / fields[e], unit = lane > 4 ? lane : 4;
  for (int odd = 1; odd * unit <= pitch * sizes[e]; odd += 2)
    if (odd * unit == pitch * sizes[e]) return true;
  return false;
}

static void check_rule(const PadRule *rule, bool (*holds)(int pitch, int e)) {
  for (int e = 0; e < PADS_ELEMENTS; e++) {
    const RuleVerdict *v = &rule->verdict[e];
    const int pitches = 128 / (sizes[e] / fields[e]);
    int passed = 0, refused = 0, most = 0;
    for (int pitch = 32; pitch < 32 + pitches; pitch++) {
      const Cost c = read_all(e, 32, pitch);
      const bool conflicts = c.wavefronts > c.ideal;
      passed += conflicts && holds(pitch, e);
      refused += !conflicts && !holds(pitch, e);
      if (conflicts && holds(pitch, e) && c.wavefronts > most) most = c.wavefronts;
    }
    CHECK(v->pitches == pitches && v->passed == passed && v->refused == refused &&
              v->wavefronts == most,
          "%s, %s: passes %d, refuses %d, up to %d; want %d, %d, %d", rule->text,
          pads_element[e].name, v->passed, v->refused, v->wavefronts, passed, refused, most);
  }
}

/* static_assert(pitch % 128 != 0) passes float [34] (2), [36] (4), [48] (16) [hardware.md]. */
static void check_assertion(const PadRule *rule) {
  const RuleVerdict *f32 = &rule->verdict[2];
  CHECK(f32->first == 34 && f32->most == 48 && f32->wavefronts == 16, "[%d], [%d] takes %d",
        f32->first, f32->most, f32->wavefronts);
  CHECK(read_all(2, 32, 34).wavefronts == 2 && read_all(2, 32, 36).wavefronts == 4,
        "brute force itself");
}

static void check_texts(const Pads *p, Arena *a) {
  Text t = text_new(a);
  pads_print(p, &t);
  size_t longest = 0;
  for (const char *s = t.s; *s; s += strcspn(s, "\n") + 1)
    if (strcspn(s, "\n") > longest) longest = strcspn(s, "\n");
  CHECK(longest <= 100, "a line of %zu columns", longest);
  CHECK(strstr(t.s, "char [32][132]"), "the right pad of char [32][129] is missing");
}

int main(void) {
  Arena *a = arena_new();
  const Pads *p = pads_compute(a);
  check_minimal(p);
  check_powers_of_two(p);
  check_known(p);
  check_rule(&p->rule[0], coprime_elements);
  check_rule(&p->rule[1], coprime_words);
  check_rule(&p->rule[2], off_period);
  check_rule(&p->rule[3], odd_multiple);
  check_assertion(&p->rule[2]);
  check_texts(p, a);
  arena_free(a);
  return check_report("pads");
}
