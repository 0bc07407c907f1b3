#include "libcuda/driver.h"

/* The lock is recursive, since functions of the API call each other, and callbacks of the program
 * call any. */
Driver *driver(void) {
  static Driver one = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};
  return &one;
}
