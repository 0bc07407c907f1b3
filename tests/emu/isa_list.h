/* isa_list.h: data/isa.txt, the forms of instructions, a line each: a mark and a statement. The
 * mark is "!" if the emulator refuses it; the checksum of what an H200 left, of ISA_THREADS threads
 * with isa_fill's operands; "~" if it only approximates what the hardware does; else "-". */
#ifndef KGEN_TESTS_EMU_ISA_LIST_H
#define KGEN_TESTS_EMU_ISA_LIST_H

#include <stdbool.h>
#include <string.h>

#include "base/file.h"

enum { ISA_LINES = 8192, ISA_THREADS = 256 };

typedef struct {
  int count;
  char mark[ISA_LINES][9];
  const char *statement[ISA_LINES];
} IsaList;

static inline void isa_list_read(Arena *a, IsaList *list) {
  size_t length;
  char *text = file_read(a, KGEN_SOURCE_DIR "/tests/emu/data/isa.txt", 1 << 20, &length);
  if (!text) die("no list of instructions");
  for (char *at = strtok(text, "\n"); at && list->count < ISA_LINES; at = strtok(NULL, "\n")) {
    const size_t mark = strcspn(at, " ");
    memcpy(list->mark[list->count], at, mark < 8 ? mark : 8);
    list->statement[list->count++] = at + mark + 1;
  }
}

#endif
