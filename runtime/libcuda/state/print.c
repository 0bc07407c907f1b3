/* SPDX-License-Identifier: MIT */
#include "libcuda/state/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *text;
  size_t bytes, capacity;
} Held;

static Held *held(void) {
  static Held one;
  return &one;
}

void print_add(const char *text, size_t bytes) {
  Held *h = held();
  if (h->bytes + bytes > h->capacity) {
    const size_t capacity = (h->bytes + bytes) * 2;
    char *more = realloc(h->text, capacity);
    if (!more) return;
    h->text = more;
    h->capacity = capacity;
  }
  if (bytes) memcpy(h->text + h->bytes, text, bytes);
  h->bytes += bytes;
}

void print_flush(void) {
  Held *h = held();
  if (h->bytes) fwrite(h->text, 1, h->bytes, stdout);
  h->bytes = 0;
}
