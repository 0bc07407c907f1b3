/* SPDX-License-Identifier: MIT */
/* Memory accesses of 32 lanes. Lane addresses are resolved and checked for bounds and alignment all
 * at once; otherwise the access is left to the interpreter, which reports errors. */
#ifndef KGEN_EMU_TRANSLATE_PRELUDE_ACCESS_H
#define KGEN_EMU_TRANSLATE_PRELUDE_ACCESS_H

/* The arrangement of the lanes relative to `from`; FOURS: any, here with 16 bytes between lanes. */
typedef enum { PLACE_NONE, PLACE_UNIFORM, PLACE_ROW, PLACE_NEAR, PLACE_FOURS, PLACE_ANY } PlaceKind;
typedef struct {
  PlaceKind kind;
  uint8_t *from;
  R32 at;   /* for shared memory: bytes; NEAR: words */
  R64 wide; /* for global memory: bytes */
} Place;

enum { NEAR_BYTES = 128 };

typedef uint8_t __attribute__((may_alias)) Any8;
typedef uint16_t __attribute__((may_alias)) Any16;
typedef uint32_t __attribute__((may_alias)) Any32;
typedef uint64_t __attribute__((may_alias)) Any64;

INLINE R32 lanes_32(uint32_t step) {
  const V low = SIMD(set_epi32)(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const V n = SIMD(set1_epi32)((int)step);
  return (R32){SIMD(mullo_epi32)(low, n),
               SIMD(mullo_epi32)(SIMD(add_epi32)(low, SIMD(set1_epi32)(16)), n)};
}

/* Resolves accesses of `bytes` bytes between base + low and base + high in shared memory, which may
 * be read up to NEAR_BYTES beyond its end. If several accesses have one base, it pays to find out
 * whether lanes are near one another. */
INLINE Place place_shared(const NativeWarp *w, R32 base, int32_t low, int32_t high, int32_t offsets,
                          uint32_t bytes, int elements, int several) {
  const R32 at = add_32(base, all_32((uint32_t)low));
  const uint32_t first = (uint32_t)_mm_cvtsi128_si32(SIMD(castsi512_si128)(at.a));
  const uint32_t span = (uint32_t)high - (uint32_t)low + bytes;
  Place p = {.kind = PLACE_NONE};
  if (w->shared_bytes < span) return p;
  const R32 last = all_32(w->shared_bytes - span);
  const R32 misaligned = and_32(or_32(base, all_32((uint32_t)offsets)), all_32(bytes - 1));
  if (setp_gt_u32(at, last) | setp_ne_u32(misaligned, all_32(0))) return p;
  p.at = at;
  p.from = w->shared - (int64_t)low;
  p.kind = PLACE_ANY;
  if (setp_ne_u32(at, all_32(first)) == 0) {
    p.kind = PLACE_UNIFORM;
    p.from += first;
  } else if (elements == 1 && setp_ne_u32(sub_32(at, all_32(first)), lanes_32(bytes)) == 0) {
    p.kind = PLACE_ROW;
    p.from += first;
  } else if (bytes == 16 && setp_ne_u32(sub_32(at, all_32(first)), lanes_32(16)) == 0) {
    p.kind = PLACE_FOURS;
  } else if (several && bytes == 4) {
    const uint32_t least = SIMD(reduce_min_epu32)(min_u32(at, (R32){at.b, at.a}).a);
    const uint32_t most = SIMD(reduce_max_epu32)(max_u32(at, (R32){at.b, at.a}).a);
    if (most - least > NEAR_BYTES - 4) return p;
    p.kind = PLACE_NEAR;
    p.from += least;
    p.at = shr_u32(sub_32(at, all_32(least)), all_32(2));
  }
  return p;
}

/* Like place_shared(), for 64-bit addresses, whose sum with an offset does not wrap at 32 bits. */
INLINE Place place_shared_64(const NativeWarp *w, R64 base, int32_t low, int32_t high,
                             int32_t offsets, uint32_t bytes, int elements, int several) {
  if (setp_gt_u64(base, all_64(INT32_MAX))) return (Place){.kind = PLACE_NONE};
  return place_shared(w, narrow_64(base), low, high, offsets, bytes, elements, several);
}

/* Prefetches, as run/access/fast.c does. */
INLINE void fetch_ahead(NativeWarp *w, uint32_t site, const NativeBuffer *b, uint64_t address) {
  NativeStride *last = &w->stride[site % NATIVE_SITES];
  const uint64_t step = address - last->address, ahead = address + step - b->base;
  const int goes_on = step == last->step && step + 2048 > 4096 && ahead < b->bytes;
  *last = (NativeStride){address, step};
  if (!goes_on) return;
  __builtin_prefetch(b->host + ahead);
  __builtin_prefetch(b->host + ahead + 64);
}

INLINE uint64_t first_lane(R64 x) {
  return (uint64_t)_mm_cvtsi128_si64(SIMD(castsi512_si128)(x.a));
}

/* Code that is rare or slow anyway is emitted once, to save compile time. */
#define APART static __attribute__((noinline))

/* Stores a register when leaving in the middle of a region. */
APART void leave_32(uint64_t *r, V a, V b, uint32_t m) { keep_32(r, (R32){a, b}, m); }
APART void leave_64(uint64_t *r, V a, V b, V c, V d, uint32_t m) {
  keep_64(r, (R64){a, b, c, d}, m);
}

/* Classifies lanes that are not a row, by their distances from the first lane; `here` is the offset
 * of the first. */
INLINE PlaceKind place_apart(V a, V b, V c, V d, uint64_t first, uint64_t here, uint64_t last,
                             uint32_t bytes) {
  const R64 behind = {a, b, c, d}, at = add_64(behind, all_64(here));
  const R64 misaligned = and_64(or_64(behind, all_64(first)), all_64(bytes - 1));
  if (setp_gt_u64(at, all_64(last)) | setp_ne_u64(misaligned, all_64(0))) return PLACE_NONE;
  return setp_ne_u64(behind, all_64(0)) == 0 ? PLACE_UNIFORM : PLACE_ANY;
}

/* Resolves accesses of `bytes` bytes between base + low and base + high within a buffer. */
INLINE Place place_within(const NativeBuffer *b, R64 base, int64_t low, int64_t high,
                          int64_t offsets, uint32_t bytes, int elements) {
  const uint64_t first = first_lane(base), here = first + (uint64_t)low - b->base;
  const uint64_t span = (uint64_t)(high - low) + bytes, last = b->bytes - span;
  const R64 behind = sub_64(base, all_64(first));
  Place p = {.kind = PLACE_NONE, .from = b->host + (first - b->base)};
  if (b->bytes < span) return p;
  if (elements == 1 && setp_ne_u64(behind, widen_u32(lanes_32(bytes))) == 0) {
    const uint64_t misaligned = (first | (uint64_t)offsets) & (bytes - 1);
    if (here <= last && last - here >= 31ull * bytes && !misaligned) p.kind = PLACE_ROW;
    return p;
  }
  p.kind = place_apart(behind.a, behind.b, behind.c, behind.d, first | (uint64_t)offsets, here,
                       last, bytes);
  p.wide = behind;
  if (bytes == 16 && p.kind == PLACE_ANY && setp_ne_u64(behind, widen_u32(lanes_32(16))) == 0)
    p.kind = PLACE_FOURS;
  return p;
}

/* Resolves accesses in global memory. */
INLINE Place place_global(NativeWarp *w, uint32_t site, R64 base, int64_t low, int64_t high,
                          int64_t offsets, uint32_t bytes, int elements) {
  const uint64_t first = first_lane(base) + (uint64_t)low;
  const NativeBuffer *b = w->recent[site % NATIVE_SITES];
  if (!b || first - b->base >= b->bytes) b = w->find(w->warp, site, first);
  if (!b) return (Place){.kind = PLACE_NONE};
  fetch_ahead(w, site, b, first);
  return place_within(b, base, low, high, offsets, bytes, elements);
}

/* Resolves accesses in the lanes' local memory, for the lanes in m, relative to the first lane's;
 * the other lanes take the address of the last one in m. */
INLINE Place place_local(const NativeWarp *w, uint32_t m, R64 base, uint64_t from, int64_t low,
                         uint32_t bytes) {
  const R64 at = live_64(add_64(base, all_64(from + (uint64_t)low)), m);
  const R64 misaligned = and_64(at, all_64(bytes - 1));
  if (w->local_end < bytes) return (Place){.kind = PLACE_NONE};
  if (setp_gt_u64(at, all_64(w->local_end - bytes)) | setp_ne_u64(misaligned, all_64(0)))
    return (Place){.kind = PLACE_NONE};
  const R64 of_lane = mul_wide_u32(lanes_32(1), all_32((uint32_t)w->local_bytes));
  return (Place){
      .kind = PLACE_ANY, .from = w->local - low, .wide = live_64(add_64(at, of_lane), m)};
}

/* The distances from p->from. */
INLINE R64 distances(const Place *p, int shared) {
  return !shared                 ? p->wide
         : p->kind == PLACE_NEAR ? widen_u32(shl_32(p->at, all_32(2)))
                                 : widen_u32(p->at);
}

/* --- loads --- */

INLINE R32 gather_32(const uint8_t *from, V a, V b, V c, V d) {
  return (R32){join_halves(SIMD(i64gather_epi32)(a, from, 1), SIMD(i64gather_epi32)(b, from, 1)),
               join_halves(SIMD(i64gather_epi32)(c, from, 1), SIMD(i64gather_epi32)(d, from, 1))};
}

/* Reads values narrower than a word, which may not cross words. Gathers the words that contain
 * them, because vectors gather only words; a word that contains one byte of a buffer is
 * readable. */
INLINE R32 gather_narrow(const uint8_t *from, V a, V b, V c, V d) {
  const uint64_t low = (uintptr_t)from & 3;
  const R64 at = add_64((R64){a, b, c, d}, all_64(low)), word = and_64(at, all_64(~3ull));
  const R32 bits = shl_32(narrow_64(and_64(at, all_64(3))), all_32(3));
  return shr_u32(gather_32(from - low, word.a, word.b, word.c, word.d), bits);
}

#define LOAD_NARROW(NAME, T, EXTEND, ROW)                                                          \
  APART R32 gather_##NAME(const uint8_t *from, V a, V b, V c, V d) {                               \
    return EXTEND(gather_narrow(from, a, b, c, d));                                                \
  }                                                                                                \
  INLINE R32 load_##NAME(const Place *p, int64_t offset, int shared) {                             \
    const uint8_t *from = p->from + offset;                                                        \
    if (p->kind == PLACE_UNIFORM) return all_32((uint32_t) * (const T *)(const void *)from);       \
    if (p->kind == PLACE_ROW) return ROW;                                                          \
    const R64 x = distances(p, shared);                                                            \
    return gather_##NAME(from, x.a, x.b, x.c, x.d);                                                \
  }
typedef int8_t __attribute__((may_alias)) AnyS8;
typedef int16_t __attribute__((may_alias)) AnyS16;
#define ROW_OF(LOAD, STEP, WIDEN) ((R32){WIDEN(LOAD(from)), WIDEN(LOAD(from + 16 * (STEP)))})
#define LOAD_16_BYTES(FROM)       _mm_loadu_si128((const __m128i_u *)(const void *)(FROM))
#define LOAD_32_BYTES(FROM)       _mm256_loadu_si256((const __m256i_u *)(const void *)(FROM))
LOAD_NARROW(u8, Any8, zero_8, ROW_OF(LOAD_16_BYTES, 1, SIMD(cvtepu8_epi32)))
LOAD_NARROW(s8, AnyS8, sign_8, ROW_OF(LOAD_16_BYTES, 1, SIMD(cvtepi8_epi32)))
LOAD_NARROW(u16, Any16, zero_16, ROW_OF(LOAD_32_BYTES, 2, SIMD(cvtepu16_epi32)))
LOAD_NARROW(s16, AnyS16, sign_16, ROW_OF(LOAD_32_BYTES, 2, SIMD(cvtepi16_epi32)))

INLINE R64 gather_64(const uint8_t *from, V a, V b, V c, V d) {
  return (R64){SIMD(i64gather_epi64)(a, from, 1), SIMD(i64gather_epi64)(b, from, 1),
               SIMD(i64gather_epi64)(c, from, 1), SIMD(i64gather_epi64)(d, from, 1)};
}

INLINE R32 load_32(const Place *p, int64_t offset, int shared) {
  const uint8_t *from = p->from + offset;
  if (p->kind == PLACE_UNIFORM) return all_32(*(const Any32 *)(const void *)from);
  if (p->kind == PLACE_ROW) return (R32){SIMD(loadu_si512)(from), SIMD(loadu_si512)(from + 64)};
  if (shared && p->kind == PLACE_NEAR) {
    const V low = SIMD(loadu_si512)(from), high = SIMD(loadu_si512)(from + 64);
    return (R32){SIMD(permutex2var_epi32)(low, p->at.a, high),
                 SIMD(permutex2var_epi32)(low, p->at.b, high)};
  }
  if (shared)
    return (R32){SIMD(i32gather_epi32)(p->at.a, from, 1), SIMD(i32gather_epi32)(p->at.b, from, 1)};
  return gather_32(from, p->wide.a, p->wide.b, p->wide.c, p->wide.d);
}

INLINE R64 load_64(const Place *p, int64_t offset, int shared) {
  const uint8_t *from = p->from + offset;
  if (p->kind == PLACE_UNIFORM) return all_64(*(const Any64 *)(const void *)from);
  if (p->kind == PLACE_ROW) return get_64((const uint64_t *)(const void *)from);
  const R64 x = distances(p, shared);
  return gather_64(from, x.a, x.b, x.c, x.d);
}

/* The address of the first lane. */
INLINE uint8_t *first_of(const Place *p, int shared) {
  return p->from + (shared ? (uint32_t)_mm_cvtsi128_si32(SIMD(castsi512_si128)(p->at.a)) : 0);
}

/* Word i of four consecutive words per lane, for 16 lanes. */
INLINE V one_of_fours(const uint8_t *from, V at) {
  return join_halves(
      low_half(SIMD(permutex2var_epi32)(SIMD(loadu_si512)(from), at, SIMD(loadu_si512)(from + 64))),
      low_half(SIMD(permutex2var_epi32)(SIMD(loadu_si512)(from + 128), at,
                                        SIMD(loadu_si512)(from + 192))));
}

/* Word i of four, from `offset` on. */
INLINE R32 load_of_four(const Place *p, int64_t offset, int i, int shared) {
  if (p->kind != PLACE_FOURS) return load_32(p, offset + 4 * i, shared);
  const uint8_t *from = first_of(p, shared) + offset;
  const V at = SIMD(add_epi32)(lanes_32(4).a, SIMD(set1_epi32)(i));
  return (R32){one_of_fours(from, at), one_of_fours(from + 256, at)};
}

/* --- stores: if several lanes have one address, the highest lane's value remains --- */

INLINE uint32_t last_lane_32(R32 x) {
  return (uint32_t)_mm_extract_epi32(SIMD(extracti32x4_epi32)(x.b, 3), 3);
}

/* Stores half of the lanes contiguously. */
INLINE void store_row_8(uint8_t *to, V x) {
  _mm_storeu_si128((__m128i_u *)(void *)to, SIMD(cvtepi32_epi8)(x));
}
INLINE void store_row_16(uint8_t *to, V x) {
  _mm256_storeu_si256((__m256i_u *)(void *)to, SIMD(cvtepi32_epi16)(x));
}

#define STORE_NARROW(NAME, T)                                                                      \
  APART void scatter_##NAME(uint8_t *to, V a, V b, V c, V d, V x, V y) {                           \
    int64_t at[32];                                                                                \
    uint32_t in[32];                                                                               \
    put_64((uint64_t *)at, (R64){a, b, c, d});                                                     \
    SIMD(storeu_si512)(in, x);                                                                     \
    SIMD(storeu_si512)(in + 16, y);                                                                \
    for (int i = 0; i < 32; i += 4) {                                                              \
      *(T *)(void *)(to + at[i]) = (T)in[i];                                                       \
      *(T *)(void *)(to + at[i + 1]) = (T)in[i + 1];                                               \
      *(T *)(void *)(to + at[i + 2]) = (T)in[i + 2];                                               \
      *(T *)(void *)(to + at[i + 3]) = (T)in[i + 3];                                               \
    }                                                                                              \
  }                                                                                                \
  INLINE void store_##NAME(const Place *p, int64_t offset, int shared, R32 x) {                    \
    uint8_t *to = p->from + offset;                                                                \
    if (p->kind == PLACE_UNIFORM) {                                                                \
      *(T *)(void *)to = (T)last_lane_32(x);                                                       \
    } else if (p->kind == PLACE_ROW) {                                                             \
      store_row_##NAME(to, x.a);                                                                   \
      store_row_##NAME(to + 16 * sizeof(T), x.b);                                                  \
    } else {                                                                                       \
      const R64 at = distances(p, shared);                                                         \
      scatter_##NAME(to, at.a, at.b, at.c, at.d, x.a, x.b);                                        \
    }                                                                                              \
  }
STORE_NARROW(8, Any8)
STORE_NARROW(16, Any16)

APART void scatter_32(uint8_t *to, V a, V b, V c, V d, V x, V y) {
  SIMD(i64scatter_epi32)(to, a, low_half(x), 1);
  SIMD(i64scatter_epi32)(to, b, high_half(x), 1);
  SIMD(i64scatter_epi32)(to, c, low_half(y), 1);
  SIMD(i64scatter_epi32)(to, d, high_half(y), 1);
}
APART void scatter_64(uint8_t *to, V a, V b, V c, V d, const R64 *x) {
  SIMD(i64scatter_epi64)(to, a, x->a, 1);
  SIMD(i64scatter_epi64)(to, b, x->b, 1);
  SIMD(i64scatter_epi64)(to, c, x->c, 1);
  SIMD(i64scatter_epi64)(to, d, x->d, 1);
}

INLINE void store_32(const Place *p, int64_t offset, int shared, R32 x) {
  uint8_t *to = p->from + offset;
  if (p->kind == PLACE_UNIFORM) {
    *(Any32 *)(void *)to = last_lane_32(x);
  } else if (p->kind == PLACE_ROW) {
    SIMD(storeu_si512)(to, x.a);
    SIMD(storeu_si512)(to + 64, x.b);
  } else {
    const R64 at = distances(p, shared);
    scatter_32(to, at.a, at.b, at.c, at.d, x.a, x.b);
  }
}

INLINE void store_64(const Place *p, int64_t offset, int shared, R64 x) {
  uint8_t *to = p->from + offset;
  if (p->kind == PLACE_UNIFORM) {
    *(Any64 *)(void *)to = (uint64_t)_mm_extract_epi64(SIMD(extracti64x2_epi64)(x.d, 3), 1);
  } else if (p->kind == PLACE_ROW) {
    put_64((uint64_t *)(void *)to, x);
  } else {
    const R64 at = distances(p, shared);
    scatter_64(to, at.a, at.b, at.c, at.d, &x);
  }
}

/* Stores the words of 16 lanes, one lane after the other. */
INLINE void put_fours(uint8_t *to, V x, V y, V z, V w) {
  const V own = SIMD(set_epi32)(19, 3, 19, 3, 18, 2, 18, 2, 17, 1, 17, 1, 16, 0, 16, 0);
  for (int i = 0; i < 4; i++) {
    const V at = SIMD(add_epi32)(own, SIMD(set1_epi32)(4 * i));
    const V low = SIMD(permutex2var_epi32)(x, at, y), high = SIMD(permutex2var_epi32)(z, at, w);
    SIMD(storeu_si512)(to + 64 * i, SIMD(mask_blend_epi32)(0xcccc, low, high));
  }
}

INLINE void store_four(const Place *p, int64_t offset, int shared, R32 x, R32 y, R32 z, R32 w) {
  if (p->kind == PLACE_FOURS) {
    uint8_t *to = first_of(p, shared) + offset;
    put_fours(to, x.a, y.a, z.a, w.a);
    put_fours(to + 256, x.b, y.b, z.b, w.b);
    return;
  }
  store_32(p, offset, shared, x);
  store_32(p, offset + 4, shared, y);
  store_32(p, offset + 8, shared, z);
  store_32(p, offset + 12, shared, w);
}

/* --- parameters: uniform over the warp --- */

#define PARAM(NAME, T, R, ALL)                                                                     \
  INLINE R param_##NAME(const NativeWarp *w, uint64_t at) {                                        \
    return ALL((uint64_t) * (const T *)(const void *)(w->params + at));                            \
  }
PARAM(u8, Any8, R32, all_32)
PARAM(s8, AnyS8, R32, all_32)
PARAM(u16, Any16, R32, all_32)
PARAM(s16, AnyS16, R32, all_32)
PARAM(32, Any32, R32, all_32)
PARAM(64, Any64, R64, all_64)

INLINE R64 pack_32(R32 low, R32 high) {
  return or_64(widen_u32(low), shift_left(widen_u32(high), all_64(32)));
}
INLINE void keep_pred(NativeWarp *w, int slot, uint32_t p, uint32_t m) {
  w->pred[slot] = (w->pred[slot] & ~m) | (p & m);
}
INLINE int64_t lanes_of(uint32_t p) { return __builtin_popcount(p); }

#endif
