/* SPDX-License-Identifier: MIT */
#include "base/cores.h"

#include <sched.h>

int cores_count(int most) {
  cpu_set_t set;
  const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return n < 1 ? 1 : n > most ? most : n;
}
