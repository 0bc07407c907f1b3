/* SPDX-License-Identifier: MIT */
/* print.h: collects what kernels print during a launch. */
#ifndef KGEN_EMU_RUN_STATE_PRINT_H
#define KGEN_EMU_RUN_STATE_PRINT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the text, printed by consecutive calls of one block. */
typedef struct {
  uint64_t block;
  size_t at, length;
} PrintedPart;

/* The output of a launch: whole printf calls, up to the first that does not fit. */
typedef struct {
  pthread_mutex_t lock; /* held during a printf call */
  char *text;           /* `room` bytes and a NUL; NULL before the first call */
  size_t room, length;
  uint64_t dropped; /* number of calls that did not fit */
  PrintedPart *part;
  int parts, capacity;
} Printed;

/* Allocates the text and makes room for one more part; false when out of memory. */
bool printed_open(Printed *out);
/* Appends one call by `block`; `length` is the length of the text after it. */
void printed_keep(Printed *out, uint64_t block, size_t length);
/* Orders the text by block number, because host threads run blocks in any order. False when out of
 * memory. */
bool printed_sort(Printed *out);

#endif
