/* SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Chunk {
  struct Chunk *next;
  size_t used, size;
  max_align_t data[];
} Chunk;

struct Arena {
  Chunk *chunk;
};

/* Under AddressSanitizer every allocation is a separate chunk, so that overruns are detected. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHUNK_SIZE 0
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CHUNK_SIZE 0
#endif
#if !defined(CHUNK_SIZE)
#define CHUNK_SIZE ((size_t)64 << 10)
#endif

static void *or_die(void *p) {
  if (p) return p;
  fputs("kgen: out of memory\n", stderr);
  abort();
}

Arena *arena_new(void) { return or_die(calloc(1, sizeof(Arena))); }

void arena_free(Arena *a) {
  for (Chunk *c = a->chunk, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  free(a);
}

void arena_clear(Arena *a) {
  Chunk *kept = a->chunk;
  for (Chunk *c = kept ? kept->next : NULL, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  if (!kept) return;
  kept->next = NULL;
  if (kept->size > CHUNK_SIZE) {
    free(kept);
    a->chunk = NULL;
    return;
  }
  memset(kept->data, 0, kept->used);
  kept->used = 0;
}

size_t arena_bytes(const Arena *a) {
  size_t bytes = 0;
  for (const Chunk *c = a->chunk; c; c = c->next) bytes += c->used;
  return bytes;
}

void arena_adopt(Arena *a, Arena *other) {
  Chunk **last = &a->chunk;
  while (*last) last = &(*last)->next;
  *last = other->chunk;
  free(other);
}

static void chunk_push(Arena *a, size_t size) {
  Chunk *c = or_die(calloc(1, sizeof(Chunk) + size));
  c->size = size;
  c->next = a->chunk;
  a->chunk = c;
}

void *arena_alloc(Arena *a, size_t size) {
  if (size > SIZE_MAX / 2) or_die(NULL);
  size = number_up_bytes(size, sizeof(max_align_t));
  if (!a->chunk || a->chunk->size - a->chunk->used < size)
    chunk_push(a, size > CHUNK_SIZE ? size : CHUNK_SIZE);
  void *p = (char *)a->chunk->data + a->chunk->used;
  a->chunk->used += size;
  return p;
}

void *arena_array(Arena *a, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) or_die(NULL);
  return arena_alloc(a, count * size);
}

char *arena_strndup(Arena *a, const char *s, size_t n) {
  char *copy = arena_alloc(a, n + 1);
  if (n) memcpy(copy, s, n);
  return copy;
}

char *arena_vprintf(Arena *a, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  const int n = vsnprintf(NULL, 0, fmt, again);
  va_end(again);
  if (n < 0) die("format '%s'", fmt);
  char *s = arena_alloc(a, (size_t)n + 1);
  vsnprintf(s, (size_t)n + 1, fmt, args);
  return s;
}

char *arena_printf(Arena *a, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char *s = arena_vprintf(a, fmt, args);
  va_end(args);
  return s;
}

void *arena_grow(Arena *a, void *old, int count, int *capacity, size_t size) {
  if (count < *capacity) return old;
  *capacity = *capacity ? 2 * *capacity : 16;
  void *bigger = arena_array(a, (size_t)*capacity, size);
  if (count) memcpy(bigger, old, (size_t)count * size);
  return bigger;
}
