#include "libcuda/driver.h"

/* Recursive, since functions of the API call others, and the program's callbacks call any. */
Driver *driver(void) {
  static Driver one = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};
  return &one;
}
