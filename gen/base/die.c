/* SPDX-License-Identifier: MIT */
#include "base/die.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void die(const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fputs("kgen: internal error: ", stderr);
  vfprintf(stderr, fmt, args);
  fputc('\n', stderr);
  va_end(args);
  abort();
}
