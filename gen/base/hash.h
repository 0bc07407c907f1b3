/* SPDX-License-Identifier: MIT */
/* hash.h: 64-bit FNV-1a: equal on every machine; for names, not secure against attackers. */
#ifndef KGEN_BASE_HASH_H
#define KGEN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t HASH_START = UINT64_C(0xcbf29ce484222325);

static inline uint64_t hash_bytes(uint64_t h, const void *data, size_t n) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < n; i++) h = (h ^ byte[i]) * UINT64_C(0x100000001b3);
  return h;
}

#endif
