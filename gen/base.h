/* base.h: what every stage stands on: one arena, growing text, and the line between our bugs and
 * the user's mistakes. */
#ifndef KGEN_BASE_H
#define KGEN_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define NORETURN               __attribute__((noreturn))
#else
#define PRINTF_LIKE(fmt, args)
#define NORETURN
#endif

/* --- our bugs: prints "kgen: internal error: ..." and aborts. Never for a user's mistake. --- */
NORETURN void die(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* --- arena: everything of one run is allocated here and freed at once --- */
typedef struct Arena Arena;

Arena *arena_new(void);
void arena_free(Arena *a);
/* Zeroed memory, aligned for any type; aborts when the machine has none left. */
void *arena_alloc(Arena *a, size_t size);
void *arena_array(Arena *a, size_t count, size_t size); /* checks count * size for overflow */
char *arena_strndup(Arena *a, const char *s, size_t n);
char *arena_printf(Arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(Arena *a, const char *fmt, va_list args) PRINTF_LIKE(2, 0);
/* Room for one more behind `count` elements: old, or a copy of twice the capacity. */
void *arena_grow(Arena *a, void *old, int count, int *capacity, size_t size);

#define ARENA_NEW(a, type)          ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, count) ((type *)arena_array((a), (count), sizeof(type)))

/* --- text: a growing, always NUL-terminated string in an arena --- */
typedef struct {
  Arena *arena;
  char *s;
  size_t len, cap;
} Text;

Text text_new(Arena *a);
void text_add(Text *t, const char *s, size_t n);
void text_puts(Text *t, const char *s);
void text_printf(Text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- files --- */
/* The whole file in the arena, NUL-terminated, or NULL with errno set: EFBIG beyond max bytes,
 * EISDIR for a folder. A pipe is read to its end; nobody writing it is waited for a second. */
char *file_read(Arena *a, const char *path, size_t max, size_t *len);
/* Writes through a temporary file in the same folder and renames it, so that a reader never sees
 * half a file. False with errno set on failure; the old file, if any, then stands unchanged. */
bool file_write(const char *path, const char *data, size_t len);
/* Makes a folder and those above it, as far as they are missing. False with errno set. */
bool folder_make(const char *path, unsigned mode);

#endif
