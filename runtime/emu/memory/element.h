/* SPDX-License-Identifier: MIT */
/* element.h: single elements of emulated memory. Host threads that run different blocks share
 * global memory, so each element must be loaded or stored by a single access. */
#ifndef KGEN_EMU_MEMORY_ELEMENT_H
#define KGEN_EMU_MEMORY_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint16_t __attribute__((may_alias)) Alias16;
typedef uint32_t __attribute__((may_alias)) Alias32;
typedef uint64_t __attribute__((may_alias)) Alias64;
typedef uint64_t __attribute__((may_alias, vector_size(16))) Alias128;

/* The `bytes` (1, 2, 4 or 8) at an aligned address, zero-extended. */
static inline uint64_t element_load(const uint8_t *from, unsigned bytes) {
  switch (bytes) {
  case 1: return __atomic_load_n(from, __ATOMIC_RELAXED);
  case 2: return __atomic_load_n((const Alias16 *)(const void *)from, __ATOMIC_RELAXED);
  case 4: return __atomic_load_n((const Alias32 *)(const void *)from, __ATOMIC_RELAXED);
  default: return __atomic_load_n((const Alias64 *)(const void *)from, __ATOMIC_RELAXED);
  }
}

static inline void element_store(uint8_t *to, unsigned bytes, uint64_t value) {
  switch (bytes) {
  case 1: __atomic_store_n(to, (uint8_t)value, __ATOMIC_RELAXED); break;
  case 2: __atomic_store_n((Alias16 *)(void *)to, (uint16_t)value, __ATOMIC_RELAXED); break;
  case 4: __atomic_store_n((Alias32 *)(void *)to, (uint32_t)value, __ATOMIC_RELAXED); break;
  default: __atomic_store_n((Alias64 *)(void *)to, value, __ATOMIC_RELAXED); break;
  }
}

/* The `bytes` (1, 2, 4 or 8) at an unaligned address, zero-extended. */
static inline uint64_t element_read(const uint8_t *from, unsigned bytes) {
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  switch (bytes) {
  case 1: return *from;
  case 2: memcpy(&two, from, sizeof two); return two;
  case 4: memcpy(&four, from, sizeof four); return four;
  default: memcpy(&eight, from, sizeof eight); return eight;
  }
}

/* Copies 16 bytes between aligned addresses in one access, which x86 guarantees to be atomic since
 * AVX. */
static inline void element_copy_16(uint8_t *to, const uint8_t *from) {
  *(volatile Alias128 *)(void *)to = *(const volatile Alias128 *)(const void *)from;
}

/* Copies `bytes` from any address to an aligned one, in elements of `piece` bytes, 16 at most. */
static inline void element_copy(uint8_t *to, const uint8_t *from, unsigned bytes, unsigned piece) {
  if (piece == 16) {
    Alias128 one;
    for (unsigned i = 0; i < bytes; i += piece) {
      memcpy(&one, from + i, sizeof one);
      element_copy_16(to + i, (const uint8_t *)&one);
    }
    return;
  }
  if (bytes == 4 && piece == 4) {
    element_store(to, 4, element_read(from, 4));
    return;
  }
  for (unsigned i = 0; i < bytes; i += piece)
    element_store(to + i, piece, element_read(from + i, piece));
}

/* Compare-and-swap: stores `value` if memory holds *old; otherwise sets *old to what memory
 * holds. */
static inline bool element_swap(uint8_t *at, unsigned bytes, uint64_t *old, uint64_t value) {
  uint16_t old16 = (uint16_t)*old;
  uint32_t old32 = (uint32_t)*old;
  bool done;
  switch (bytes) {
  case 2:
    done = __atomic_compare_exchange_n((Alias16 *)(void *)at, &old16, (uint16_t)value, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *old = old16;
    return done;
  case 4:
    done = __atomic_compare_exchange_n((Alias32 *)(void *)at, &old32, (uint32_t)value, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *old = old32;
    return done;
  default: {
    Alias64 old64 = *old;
    done = __atomic_compare_exchange_n((Alias64 *)(void *)at, &old64, (Alias64)value, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *old = old64;
    return done;
  }
  }
}

#endif
