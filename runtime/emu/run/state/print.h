/* print.h: what kernels print, until it is the result's. */
#ifndef KGEN_EMU_RUN_STATE_PRINT_H
#define KGEN_EMU_RUN_STATE_PRINT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Consecutive calls of one block in the text. */
typedef struct {
  uint64_t block;
  size_t at, length;
} PrintedPart;

/* The text of a launch: whole calls, up to the first that does not fit. */
typedef struct {
  pthread_mutex_t lock; /* held during a call */
  char *text;           /* of `room` bytes and a NUL; NULL before the first call */
  size_t room, length;
  uint64_t dropped; /* calls */
  PrintedPart *part;
  int parts, capacity;
} Printed;

/* Room for the text and one more call; false when out of memory. */
bool printed_open(Printed *out);
/* Keeps a block's call, with which the text is `length` long. */
void printed_keep(Printed *out, uint64_t block, size_t length);
/* Sorts the text by blocks, which host threads run in any order. False when out of memory. */
bool printed_sort(Printed *out);

#endif
