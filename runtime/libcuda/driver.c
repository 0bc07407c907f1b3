/* SPDX-License-Identifier: MIT */
#include "libcuda/driver.h"

/* The lock is recursive: API functions call each other, and callbacks of the program may call any
 * of them. */
Driver *driver(void) {
  static Driver one = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};
  return &one;
}
