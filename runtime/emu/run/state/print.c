/* SPDX-License-Identifier: MIT */
#include "emu/run/state/print.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for one more part. */
static bool open_part(Printed *out) {
  if (out->parts < out->capacity) return true;
  const int capacity = out->capacity ? 2 * out->capacity : 64;
  PrintedPart *part = realloc(out->part, (size_t)capacity * sizeof *part);
  if (!part) return false;
  out->part = part;
  out->capacity = capacity;
  return true;
}

bool printed_open(Printed *out) {
  if (!out->text) out->text = malloc(out->room + 1);
  return out->text && open_part(out);
}

void printed_keep(Printed *out, uint64_t block, size_t length) {
  PrintedPart *last = out->parts ? &out->part[out->parts - 1] : NULL;
  if (last && last->block == block)
    last->length += length - out->length;
  else if (length > out->length)
    out->part[out->parts++] = (PrintedPart){block, out->length, length - out->length};
  out->length = length;
}

static int by_block(const void *pa, const void *pb) {
  const PrintedPart *a = pa, *b = pb;
  if (a->block != b->block) return a->block < b->block ? -1 : 1;
  return (a->at > b->at) - (a->at < b->at);
}

bool printed_sort(Printed *out) {
  if (out->parts < 2) return true;
  char *text = malloc(out->length + 1), *end = text;
  if (!text) return false;
  qsort(out->part, (size_t)out->parts, sizeof *out->part, by_block);
  for (int i = 0; i < out->parts; i++) {
    memcpy(end, out->text + out->part[i].at, out->part[i].length);
    end += out->part[i].length;
  }
  free(out->text);
  out->text = text;
  return true;
}
