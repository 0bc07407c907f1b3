/* SPDX-License-Identifier: MIT */
#include "base/random.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

static const char digits[] = "0123456789abcdef";

/* If the random source is unavailable (a sandbox may forbid the call), uses the time and process
 * number; creating a file of that name detects a collision. */
static uint64_t random_bits(void) {
  uint64_t bits;
  if (getrandom(&bits, sizeof bits, 0) == (ssize_t)sizeof bits) return bits;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const uint64_t seed[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid()};
  return hash_bytes(HASH_START, seed, sizeof seed);
}

void random_name(char name[RANDOM_NAME + 1]) {
  snprintf(name, RANDOM_NAME + 1, "%016" PRIx64, random_bits());
}

bool random_is_name(const char *text) {
  return strspn(text, digits) == RANDOM_NAME && text[RANDOM_NAME] == '\0';
}
