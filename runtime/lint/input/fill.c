/* SPDX-License-Identifier: MIT */
#include "lint/input/fill.h"

#include <stdlib.h>
#include <string.h>

#include "judge/value.h"

const char *const lint_fill_name[FILL_KINDS] = {"random",      "zero",     "constant",    "iota",
                                                "permutation", "csr_rows", "csr_columns", "file"};

/* --- numbers --- */

/* True for floating-point types: integers round to the next whole number. */
static bool is_float(const Dtype *t) { return value_roundoff(t) < 0.5; }

bool lint_fill_counts(const Dtype *t) {
  const bool opaque = t->name[0] == 'b' && t->name[1] != 'f';
  return !opaque && value_parts(t) == 1;
}

/* --- as text --- */

/* Reads "=A..B", "=A" or nothing. Returns the number of values; -1 for anything else. */
static int read_numbers(const char *s, LintNumber *first, LintNumber *second) {
  if (!*s) return 0;
  if (*s++ != '=' || !lint_number_read(s, &s, first)) return -1;
  if (!*s) return 1;
  if (strncmp(s, "..", 2) != 0) return -1;
  return lint_number_read(s + 2, &s, second) && !*s ? 2 : -1;
}

static bool read_kind(const char *numbers, LintFill *f) {
  LintNumber first = lint_number_of(0), second = lint_number_of(1);
  const int given = read_numbers(numbers, &first, &second);
  switch (f->kind) {
  case FILL_RANDOM:
    f->ranged = given == 2;
    f->low = first;
    f->high = second;
    return given == 0 || given == 2;
  case FILL_CONSTANT: f->start = first; return given == 1;
  case FILL_IOTA:
    f->start = first;
    f->step = second;
    return given >= 0;
  default: return given == 0;
  }
}

bool lint_fill_read(Arena *a, const char *text, LintFill *f) {
  const size_t n = strcspn(text, "=");
  for (int k = 0; k < FILL_CSR_ROWS; k++) {
    if (strlen(lint_fill_name[k]) != n || memcmp(lint_fill_name[k], text, n) != 0) continue;
    f->kind = (LintFillKind)k;
    return read_kind(text + n, f);
  }
  f->kind = FILL_FILE;
  f->file = arena_strndup(a, text, strlen(text));
  return *text != '\0';
}

/* --- possible fills --- */

static bool needs_numbers(const LintFill *f) {
  return f->ranged || (f->kind >= FILL_CONSTANT && f->kind <= FILL_CSR_COLUMNS);
}

/* The maximum n for which the dtype represents 0 to n as distinct values. */
static uint64_t most_apart(const Dtype *t) {
  if (is_float(t)) return (uint64_t)(1 / value_roundoff(t));
  return UINT64_MAX >> (64 - 8 * t->bytes + (t->name[0] == 'i'));
}

static bool range_fits(const LintFill *f) {
  const LintNumber minus = {-1, true, true, 1}, last = lint_number_after(f->high, minus, 1);
  return lint_number_fits(f->low, f->dtype) && lint_number_fits(last, f->dtype);
}

/* The requirement on the element type that it does not meet; NULL: none. */
static const char *misfit(Arena *a, const LintFill *f, uint64_t count) {
  const LintNumber last = lint_number_after(f->start, f->step, count ? count - 1 : 0);
  if (f->kind == FILL_CONSTANT || f->kind == FILL_IOTA)
    if (!lint_number_fits(f->start, f->dtype)) return lint_number_text(a, f->start);
  if (f->kind == FILL_IOTA && !f->step.whole)
    return arena_printf(a, "steps of %s", lint_number_text(a, f->step));
  if (f->kind == FILL_IOTA && !lint_number_fits(last, f->dtype))
    return arena_printf(a, "the last of them, %s", lint_number_text(a, last));
  if (f->kind == FILL_RANDOM && !range_fits(f))
    return arena_printf(a, "all from %s to %s", lint_number_text(a, f->low),
                        lint_number_text(a, f->high));
  return NULL;
}

static bool is_empty(const LintFill *f) {
  return is_float(f->dtype) ? !(f->low.real < f->high.real) : !lint_number_less(f->low, f->high);
}

const char *lint_fill_refusal(Arena *a, const LintFill *f, uint64_t bytes) {
  const char *name = lint_fill_name[f->kind];
  const bool csr = f->kind == FILL_CSR_ROWS || f->kind == FILL_CSR_COLUMNS;
  if (f->dtype && bytes % (uint64_t)f->dtype->bytes)
    return arena_printf(a, "%llu bytes are not a multiple of %s", (unsigned long long)bytes,
                        f->dtype->name);
  if (!needs_numbers(f)) return NULL;
  if (!f->dtype || !lint_fill_counts(f->dtype))
    return arena_printf(a, "'%s' needs a dtype of numbers: f32, i32, ...", name);
  if (csr && (is_float(f->dtype) || f->dtype->bytes < 4))
    return arena_printf(a, "'%s' needs integers of 4 or 8 bytes, not %s", name, f->dtype->name);
  const uint64_t count = bytes / (uint64_t)f->dtype->bytes;
  const char *more = is_float(f->dtype) ? NULL : misfit(a, f, count);
  if (more) return arena_printf(a, "%s does not hold %s", f->dtype->name, more);
  if (f->ranged && is_empty(f)) return "a range whose end is not above its beginning";
  if (f->kind == FILL_PERMUTATION && count && count - 1 > most_apart(f->dtype))
    return arena_printf(a, "%s does not hold 0 to %llu apart", f->dtype->name,
                        (unsigned long long)count - 1);
  if (csr && (f->nonzeros > most_apart(f->dtype) || f->columns > most_apart(f->dtype)))
    return arena_printf(a, "%s does not hold so many nonzeros or columns", f->dtype->name);
  if (f->kind == FILL_CSR_ROWS && f->columns && f->nonzeros / f->columns >= count)
    return "more nonzeros than rows times columns";
  return NULL;
}

/* --- generators --- */

/* splitmix64: Steele, Lea and Flood, 2014. */
static uint64_t next(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* A random number below n > 0; the bias of the remainder is below n / 2^64. */
static uint64_t below(uint64_t *state, uint64_t n) { return next(state) % n; }

static void write_bytes(uint64_t seed, char *to, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes; done += sizeof(uint64_t)) {
    const uint64_t word = next(&seed), left = bytes - done;
    memcpy(to + done, &word, left < sizeof word ? (size_t)left : sizeof word);
  }
}

static void put_bits(const LintFill *f, uint64_t bits, char *to, uint64_t i) {
  memcpy(to + i * (uint64_t)f->dtype->bytes, &bits, (size_t)f->dtype->bytes); /* little endian */
}

static void put_real(const LintFill *f, double v, char *to, uint64_t i) {
  value_encode(f->dtype, v, 0, to + i * (uint64_t)f->dtype->bytes);
}

static double fraction(uint64_t word) { return (double)(word >> 11) * 0x1p-53; }

/* A number below `span`; 0 means 2^64. */
static uint64_t within(uint64_t word, uint64_t span) {
  if (span && span <= UINT64_C(1) << 53) return (uint64_t)(fraction(word) * (double)span);
  return span ? word % span : word;
}

static void write_range(const LintFill *f, uint64_t seed, char *to, uint64_t count) {
  const uint64_t low = lint_number_bits(f->low), span = lint_number_bits(f->high) - low;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t word = next(&seed);
    if (is_float(f->dtype))
      put_real(f, f->low.real + fraction(word) * (f->high.real - f->low.real), to, i);
    else
      put_bits(f, low + within(word, span), to, i);
  }
}

/* The first element is written without an addition, because -0 + 0 is +0. */
static void write_steps(const LintFill *f, char *to, uint64_t count) {
  const bool steps = f->kind == FILL_IOTA;
  const uint64_t first = lint_number_bits(f->start), step = lint_number_bits(f->step);
  for (uint64_t i = 0; i < count; i++) {
    if (is_float(f->dtype))
      put_real(f, steps && i ? f->start.real + f->step.real * (double)i : f->start.real, to, i);
    else
      put_bits(f, steps ? first + step * i : first, to, i);
  }
}

/* Fisher-Yates shuffle. */
static void write_permutation(Arena *a, const LintFill *f, uint64_t seed, char *to,
                              uint64_t count) {
  uint64_t *all = ARENA_ARRAY(a, uint64_t, count + 1);
  for (uint64_t i = 0; i < count; i++) all[i] = i;
  for (uint64_t i = count; i > 1; i--) {
    const uint64_t j = below(&seed, i), moved = all[i - 1];
    all[i - 1] = all[j];
    all[j] = moved;
  }
  for (uint64_t i = 0; i < count; i++) {
    if (is_float(f->dtype))
      put_real(f, (double)all[i], to, i);
    else
      put_bits(f, all[i], to, i);
  }
}

/* Adds each nonzero to a random row, or to the next row that is not full. */
static void write_csr_rows(Arena *a, const LintFill *f, uint64_t seed, char *to, uint64_t count) {
  const uint64_t rows = count - 1;
  uint64_t *length = ARENA_ARRAY(a, uint64_t, count), sum = 0;
  for (uint64_t i = 0; rows && i < f->nonzeros; i++) {
    uint64_t row = below(&seed, rows);
    while (f->columns && length[row] == f->columns) row = (row + 1) % rows;
    length[row]++;
  }
  for (uint64_t i = 0; i < count; i++) {
    memcpy(to + i * (uint64_t)f->dtype->bytes, &sum, (size_t)f->dtype->bytes);
    sum += length[i];
  }
}

static int by_size(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Chooses `count` distinct numbers below `columns`, in ascending order: Floyd's sampling with a bit
 * set. */
static void choose(uint64_t *state, uint64_t columns, uint64_t count, uint64_t *out,
                   unsigned char *taken) {
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t last = columns - count + i, pick = below(state, last + 1);
    const bool again = taken[pick / 8] >> pick % 8 & 1;
    out[i] = again ? last : pick;
    taken[out[i] / 8] |= (unsigned char)(1u << out[i] % 8);
  }
  for (uint64_t i = 0; i < count; i++) taken[out[i] / 8] = 0;
  qsort(out, (size_t)count, sizeof *out, by_size);
}

static uint64_t pointer_at(const LintFill *f, const void *row, uint64_t i) {
  uint64_t v = 0;
  memcpy(&v, (const char *)row + i * (uint64_t)f->dtype->bytes, (size_t)f->dtype->bytes);
  return v;
}

static bool write_csr_columns(Arena *a, const LintFill *f, uint64_t seed, const void *row,
                              uint64_t rows, char *to, uint64_t count, const char **why) {
  unsigned char *taken = arena_alloc(a, f->columns / 8 + 1);
  uint64_t *chosen = ARENA_ARRAY(a, uint64_t, f->columns + 1);
  for (uint64_t r = 0; r + 1 < rows; r++) {
    const uint64_t begin = pointer_at(f, row, r), end = pointer_at(f, row, r + 1);
    if (end < begin || end > count || end - begin > f->columns) {
      *why = end < begin   ? "the row pointers fall"
             : end > count ? "the row pointers go beyond the columns"
                           : "a row has more nonzeros than there are columns";
      return false;
    }
    choose(&seed, f->columns, end - begin, chosen, taken);
    for (uint64_t i = begin; i < end; i++)
      memcpy(to + i * (uint64_t)f->dtype->bytes, &chosen[i - begin], (size_t)f->dtype->bytes);
  }
  return true;
}

bool lint_fill_write(Arena *a, const LintFill *f, uint64_t seed, const void *row, uint64_t rows,
                     void *to, uint64_t bytes, const char **why) {
  const uint64_t count = f->dtype ? bytes / (uint64_t)f->dtype->bytes : 0;
  if (f->seeded) seed = f->seed;
  memset(to, 0, bytes);
  switch (f->kind) {
  case FILL_RANDOM:
    if (f->ranged)
      write_range(f, seed, to, count);
    else if (f->dtype)
      value_fill(f->dtype, false, seed, to, (int64_t)count);
    else
      write_bytes(seed, to, bytes);
    return true;
  case FILL_CONSTANT:
  case FILL_IOTA: write_steps(f, to, count); return true;
  case FILL_PERMUTATION: write_permutation(a, f, seed, to, count); return true;
  case FILL_CSR_ROWS: write_csr_rows(a, f, seed, to, count); return true;
  case FILL_CSR_COLUMNS: return write_csr_columns(a, f, seed, row, rows, to, count, why);
  default: return true;
  }
}
