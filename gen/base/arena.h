/* SPDX-License-Identifier: MIT */
/* arena.h: a memory arena: all data of one run is allocated in it and freed at once. */
#ifndef KGEN_BASE_ARENA_H
#define KGEN_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/die.h"

typedef struct Arena Arena;

Arena *arena_new(void);
void arena_free(Arena *a);
/* Frees what was allocated in it. The arena keeps a chunk, so that it can be filled again cheaply.
 */
void arena_clear(Arena *a);
size_t arena_bytes(const Arena *a); /* that are allocated in it */
/* Zeroed memory, aligned for any type; aborts when out of memory. */
void *arena_alloc(Arena *a, size_t size);
void *arena_array(Arena *a, size_t count, size_t size); /* checks count * size for overflow */
char *arena_strndup(Arena *a, const char *s, size_t n);
char *arena_printf(Arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(Arena *a, const char *fmt, va_list args) PRINTF_LIKE(2, 0);
/* Moves everything that `other` holds into a, and frees `other` itself. */
void arena_adopt(Arena *a, Arena *other);
/* Makes room for one more element after `count`: returns `old`, or a copy with twice the
 * capacity. */
void *arena_grow(Arena *a, void *old, int count, int *capacity, size_t size);

#define ARENA_NEW(a, type)          ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, count) ((type *)arena_array((a), (count), sizeof(type)))

#endif
