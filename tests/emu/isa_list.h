/* SPDX-License-Identifier: MIT */
/* isa_list.h: lists of probes that also run on an H200, one per line: a mark and a name. The mark
 * is the checksum of an H200's results. In data/isa.txt, where names are statements and ISA_THREADS
 * threads have isa_fill()'s operands, the mark is "!" if the emulator rejects the statement, "~" if
 * it only approximates the hardware, and "-" if nothing was measured. */
#ifndef KGEN_TESTS_EMU_ISA_LIST_H
#define KGEN_TESTS_EMU_ISA_LIST_H

#include <stdbool.h>
#include <string.h>

#include "base/file.h"

enum { ISA_LINES = 8192, ISA_THREADS = 256 };

typedef struct {
  int count;
  char mark[ISA_LINES][9];
  const char *name[ISA_LINES];
} IsaList;

/* Reads a file of tests/emu/data. */
static inline void isa_list_read(Arena *a, const char *file, IsaList *list) {
  size_t length;
  char *text = file_read(a, arena_printf(a, "%s/tests/emu/data/%s", KGEN_SOURCE_DIR, file), 1 << 20,
                         &length);
  if (!text) die("no list %s", file);
  for (char *at = strtok(text, "\n"); at && list->count < ISA_LINES; at = strtok(NULL, "\n")) {
    const size_t mark = strcspn(at, " ");
    memcpy(list->mark[list->count], at, mark < 8 ? mark : 8);
    list->name[list->count++] = at + mark + 1;
  }
}

#endif
