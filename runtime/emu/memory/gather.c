/* SPDX-License-Identifier: MIT */
#include "emu/memory/gather.h"

#include "emu/memory/element.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* Host threads may access one word at the same time, if the kernel does not order its blocks, by an
 * error or on purpose. */
#define SHARED_WITH_THREADS __attribute__((no_sanitize("thread")))

/* --- addresses --- */

/* Gives inactive lanes the address of the first active one. */
static void fill_idle(const uint64_t *base, uint32_t active, uint64_t filled[LANES]) {
  const uint64_t first = base[lane_first(active)];
  for (unsigned i = 0; i < LANES; i++) filled[i] = active >> i & 1 ? base[i] : first;
}

static bool place(Gather *g, const uint64_t *base, uint64_t offset, uint64_t mask, unsigned bytes,
                  uint32_t active) {
  uint64_t filled[LANES];
  if (active != ALL_LANES) {
    fill_idle(base, active, filled);
    base = filled;
  }
  if (g->extent < bytes) return false;
  const uint64_t from = g->base, last = g->extent - bytes, part = bytes - 1;
  const uint64_t first = ((base[0] + offset) & mask) - from;
  uint64_t wrong = 0, differ = 0, apart = 0;
  uint64_t *at = g->at;
#pragma omp simd reduction(| : wrong, differ, apart)
  for (unsigned i = 0; i < LANES; i++) {
    const uint64_t address = (base[i] + offset) & mask, here = address - from;
    wrong |= (address & part) | (here | (last - here)) >> 63; /* here > last, without a branch */
    differ |= here ^ first;
    apart |= here ^ (first + (uint64_t)i * bytes);
    at[i] = here;
    g->address[i] = address;
  }
  g->uniform = !differ;
  g->row = !apart;
  g->near = false;
  g->shift = 0;
  return !wrong;
}

static void spread(Gather *g) {
  uint64_t least = g->at[0], most = g->at[0], low = 0;
#pragma omp simd reduction(min : least) reduction(max : most) reduction(| : low)
  for (unsigned i = 0; i < LANES; i++) {
    least = g->at[i] < least ? g->at[i] : least;
    most = g->at[i] > most ? g->at[i] : most;
    low |= g->address[i];
  }
  g->least = least;
  g->most = most;
  g->low = low % GATHER_ALIGN;
  g->near = most - least <= NEAR - sizeof(uint32_t) && !(low % sizeof(uint32_t));
#pragma omp simd
  for (unsigned i = 0; i < LANES; i++) g->index[i] = (uint32_t)(g->at[i] - least) / 4;
}

static void shifted(const Gather *g, uint64_t *address) {
  const uint64_t shift = g->shift;
#pragma omp simd
  for (unsigned i = 0; i < LANES; i++) address[i] = g->address[i] + shift;
}

/* --- loads --- */

#define LOAD(NAME, T, U)                                                                           \
  SHARED_WITH_THREADS static void NAME##_row(const uint8_t *from, uint64_t *d) {                   \
    const T *s = (const T *)(const void *)from;                                                    \
    _Pragma("omp simd") for (unsigned i = 0; i < LANES; i++) d[i] = (uint64_t)(U)s[i];             \
  }                                                                                                \
  SHARED_WITH_THREADS static void NAME##_any(const uint8_t *from, const uint64_t *at,              \
                                             uint64_t *d) {                                        \
    for (unsigned i = 0; i < LANES; i++)                                                           \
      d[i] = (uint64_t)(U) * (const T *)(const void *)(from + at[i]);                              \
  }

typedef int8_t __attribute__((may_alias)) AliasS8;
typedef uint8_t __attribute__((may_alias)) Alias8;
typedef int16_t __attribute__((may_alias)) AliasS16;
typedef int32_t __attribute__((may_alias)) AliasS32;
LOAD(load_u8, Alias8, uint64_t)
LOAD(load_s8, AliasS8, int64_t)
LOAD(load_u16, Alias16, uint64_t)
LOAD(load_s16, AliasS16, int64_t)
LOAD(load_u32, Alias32, uint64_t)
LOAD(load_s32, AliasS32, int64_t)
LOAD(load_u64, Alias64, uint64_t)

typedef struct {
  void (*row)(const uint8_t *from, uint64_t *d);
  void (*any)(const uint8_t *from, const uint64_t *at, uint64_t *d);
} Load;

/* Indexed by the logarithm of the element's bytes, and by signedness. */
static const Load loads[4][2] = {{{load_u8_row, load_u8_any}, {load_s8_row, load_s8_any}},
                                 {{load_u16_row, load_u16_any}, {load_s16_row, load_s16_any}},
                                 {{load_u32_row, load_u32_any}, {load_s32_row, load_s32_any}},
                                 {{load_u64_row, load_u64_any}, {load_u64_row, load_u64_any}}};

static uint64_t load_one(const uint8_t *from, unsigned bytes, bool is_signed) {
  const uint64_t value = element_load(from, bytes);
  const unsigned shift = 64 - 8 * bytes;
  return is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
}

#ifdef __AVX512F__
/* Loads the words within NEAR bytes into two vector registers, from which lanes select theirs. */
SHARED_WITH_THREADS static bool load_near(const Gather *g, const uint8_t *from, uint64_t *d) {
  const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + NEAR / 2);
  for (unsigned i = 0; i < LANES; i += 16) {
    const __m512i which = _mm512_loadu_si512(g->index + i);
    const __m512i word = _mm512_permutex2var_epi32(low, which, high);
    _mm512_storeu_si512(d + i, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(word)));
    _mm512_storeu_si512(d + i + 8, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(word, 1)));
  }
  return true;
}
#else
static bool load_near(const Gather *g, const uint8_t *from, uint64_t *d) {
  (void)g, (void)from, (void)d;
  return false;
}
#endif

/* True if element `i` of every lane is among words that may be loaded as two vectors. */
static bool is_near(const Gather *g, unsigned i, unsigned bytes, bool is_signed) {
  return g->near && bytes == 4 && !is_signed &&
         g->least + g->shift + (uint64_t)i * bytes + NEAR <= g->extent;
}

static void load(const Gather *g, unsigned i, unsigned bytes, bool is_signed, uint32_t active,
                 uint64_t *d) {
  const Load *how = &loads[__builtin_ctz(bytes)][is_signed];
  const uint8_t *from = g->host + (int64_t)(g->shift + (uint64_t)i * bytes);
  uint64_t loaded[LANES], *to = active == ALL_LANES ? d : loaded;
  if (g->uniform) {
    const uint64_t value = load_one(from + g->at[0], bytes, is_signed);
    for (unsigned k = 0; k < LANES; k++) to[k] = value;
  } else if (g->row && active == ALL_LANES && g->at[1] - g->at[0] == bytes) {
    how->row(from + g->at[0], d);
  } else if (!is_near(g, i, bytes, is_signed) || !load_near(g, from + g->least, to)) {
    how->any(from, g->at, to);
  }
  for (unsigned k = 0; k < LANES && to == loaded; k++) d[k] = active >> k & 1 ? loaded[k] : d[k];
}

/* --- stores --- */

#define STORE(NAME, T)                                                                             \
  SHARED_WITH_THREADS static void NAME##_row(uint8_t *to, const uint64_t *s) {                     \
    T *d = (T *)(void *)to;                                                                        \
    _Pragma("omp simd") for (unsigned i = 0; i < LANES; i++) d[i] = (T)s[i];                       \
  }                                                                                                \
  SHARED_WITH_THREADS static void NAME##_any(uint8_t *to, const uint64_t *at, uint32_t active,     \
                                             const uint64_t *s) {                                  \
    FOR_LANES(i, active) *(T *)(void *)(to + at[i]) = (T)s[i];                                     \
  }

STORE(store_8, Alias8)
STORE(store_16, Alias16)
STORE(store_32, Alias32)
STORE(store_64, Alias64)

typedef struct {
  void (*row)(uint8_t *to, const uint64_t *s);
  void (*any)(uint8_t *to, const uint64_t *at, uint32_t active, const uint64_t *s);
} Store;

static const Store stores[4] = {{store_8_row, store_8_any},
                                {store_16_row, store_16_any},
                                {store_32_row, store_32_any},
                                {store_64_row, store_64_any}};

static void store(const Gather *g, unsigned i, unsigned bytes, uint32_t active, const uint64_t *s) {
  const Store *how = &stores[__builtin_ctz(bytes)];
  uint8_t *to = g->host + (int64_t)(g->shift + (uint64_t)i * bytes);
  if (g->row && active == ALL_LANES && g->at[1] - g->at[0] == bytes)
    how->row(to + g->at[0], s);
  else
    how->any(to, g->at, active, s);
}

/* --- queries --- */

static bool any_of_row(const uint8_t *at, unsigned bytes) {
  uint8_t any = 0;
#pragma omp simd reduction(| : any)
  for (unsigned i = 0; i < bytes; i++) any |= at[i];
  return any;
}

static bool any(const Gather *g, const uint8_t *other, unsigned bytes) {
  uint32_t all = 0;
  other += (int64_t)g->shift;
  if (is_near(g, 0, bytes, false) && !any_of_row(other + g->least, NEAR)) return false;
  if (g->uniform || g->row) return any_of_row(other + g->at[0], g->row ? LANES * bytes : bytes);
  if (bytes != sizeof all) {
    for (unsigned i = 0; i < LANES; i++)
      if (any_of_row(other + g->at[i], bytes)) return true;
    return false;
  }
  for (unsigned i = 0; i < LANES; i++) all |= *(const Alias32 *)(const void *)(other + g->at[i]);
  return all;
}

static bool matches(const uint64_t *address, uint64_t first, const uint64_t *step) {
  uint64_t differ = 0;
#pragma omp simd reduction(| : differ)
  for (unsigned i = 0; i < LANES; i++) differ |= (address[i] - first) ^ step[i];
  return !differ;
}

const GatherLevel *gather_level(void) {
  static const GatherLevel level = {place, spread, shifted, load, store, any, matches};
  return &level;
}
