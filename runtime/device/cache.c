/* SPDX-License-Identifier: MIT */
#include "device/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/signals.h"
#include "base/text.h"

/* An entry: this header, the key, the value. The checksum covers key and value. Each step of the
 * hash is a bijection of its state, so every change of a single byte is detected. */
typedef struct {
  char magic[8];
  uint64_t key_size, value_size, checksum;
} Header;

static const char magic[8] = "kgenjit1";
/* The file of an entry is "HASH.entry", with a hash of its key, and "tmp-RANDOM" while it is being
 * written. */
static const char suffix[] = ".entry", temporary_prefix[] = "tmp-";
enum { ENTRY_MAX = 64 << 20, TEMPORARY_LIFE_S = 3600, DIGITS = 2 * RANDOM_NAME };

/* --- the directory --- */

static const char *folder_name(Arena *a) {
  const char *s = getenv("KGEN_CACHE_DIR");
  if (s && *s) return arena_strndup(a, s, strlen(s));
  s = getenv("XDG_CACHE_HOME");
  if (s && *s) return arena_printf(a, "%s/kgen", s);
  s = getenv("HOME");
  return s && *s ? arena_printf(a, "%s/.cache/kgen", s) : NULL;
}

Cache cache_open(Arena *a, Text *why) {
  const Cache none = {0};
  const char *folder = folder_name(a);
  struct stat st;
  if (!folder) {
    text_puts(why, "no cache: neither KGEN_CACHE_DIR nor HOME is set");
    return none;
  }
  if (lstat(folder, &st) != 0) folder_make(folder, 0700);
  if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)) {
    text_printf(why, "no cache: %s is not a folder and cannot be made", folder);
    return none;
  }
  if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    text_printf(why, "no cache: others own or may write to %s", folder);
    return none;
  }
  return (Cache){.folder = folder,
                 .writable = access(folder, W_OK | X_OK) == 0,
                 .max_bytes = (int64_t)CACHE_MAX_MIB << 20};
}

static const char *entry_path(Arena *a, const Cache *c, const char *key) {
  const size_t n = strlen(key);
  const uint64_t h = hash_bytes(HASH_START, key, n);
  /* A second hash, seeded by the first, makes 128 bits; the key itself is compared in addition. */
  return arena_printf(a, "%s/%016" PRIx64 "%016" PRIx64 "%s", c->folder, h,
                      hash_bytes(h ^ 0x9e3779b97f4a7c15u, key, n), suffix);
}

/* --- reading --- */

/* The contents of a regular file that belongs to the user, or NULL. */
static char *read_entry(Arena *a, const char *path, size_t *size) {
  const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return NULL;
  struct stat st;
  char *data = NULL;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
      st.st_size >= (off_t)sizeof(Header) && st.st_size <= ENTRY_MAX) {
    *size = (size_t)st.st_size;
    data = arena_alloc(a, *size + 1);
    size_t got = 0;
    for (ssize_t n = 1; got < *size && n > 0; got += n > 0 ? (size_t)n : 0)
      n = read(fd, data + got, *size - got);
    if (got != *size) data = NULL;
  }
  close(fd);
  return data;
}

const char *cache_get(Arena *a, const Cache *c, const char *key, size_t *size) {
  if (!c->folder) return NULL;
  const char *path = entry_path(a, c, key);
  size_t total;
  const char *data = read_entry(a, path, &total);
  if (!data) return NULL;
  Header h;
  memcpy(&h, data, sizeof h);
  const size_t key_size = strlen(key), body = total - sizeof h;
  const char *stored = data + sizeof h;
  if (memcmp(h.magic, magic, sizeof magic) != 0 || h.key_size != key_size || key_size > body ||
      h.value_size != body - key_size || memcmp(stored, key, key_size) != 0 ||
      h.checksum != hash_bytes(HASH_START, stored, body))
    return NULL;
  *size = body - key_size;
  utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW); /* recently used: evicted last */
  return stored + key_size;
}

bool cache_has(Arena *a, const Cache *c, const char *key) {
  return c->folder && access(entry_path(a, c, key), R_OK) == 0;
}

/* --- writing --- */

typedef struct {
  const char *path;
  int64_t size;
  struct timespec changed;
} Entry;

static int by_age(const void *x, const void *y) {
  const struct timespec a = ((const Entry *)x)->changed, b = ((const Entry *)y)->changed;
  if (a.tv_sec != b.tv_sec) return a.tv_sec < b.tv_sec ? -1 : 1;
  return (a.tv_nsec > b.tv_nsec) - (a.tv_nsec < b.tv_nsec);
}

static bool is_entry_name(const char *name) {
  return strspn(name, "0123456789abcdef") == DIGITS && strcmp(name + DIGITS, suffix) == 0;
}

static bool is_temporary_name(const char *name) {
  return text_begins_with(name, temporary_prefix) &&
         random_is_name(name + sizeof temporary_prefix - 1);
}

/* True if the file holds an entry, or the beginning of one: the user's own files in the directory
 * are never removed. */
static bool holds_entry(const char *path, bool whole) {
  char first[sizeof magic];
  const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  const ssize_t n = fd < 0 ? -1 : read(fd, first, sizeof first);
  if (fd >= 0) close(fd);
  return n >= 0 && (!whole || n == sizeof first) && memcmp(first, magic, (size_t)n) == 0;
}

/* Appends an entry of the cache to the list. Removes a temporary file that its writer abandoned. */
static void note_file(Arena *a, const Cache *c, const char *name, Entry *list, int *count) {
  const bool entry = is_entry_name(name);
  if (!entry && !is_temporary_name(name)) return;
  const char *path = arena_printf(a, "%s/%s", c->folder, name);
  struct stat st;
  if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid()) return;
  if (entry)
    list[(*count)++] = (Entry){path, (int64_t)st.st_size, st.st_mtim};
  else if (time(NULL) - st.st_mtim.tv_sec > TEMPORARY_LIFE_S && holds_entry(path, false))
    unlink(path);
}

/* Removes the least recently used entries until the rest fits. */
static void evict(const Cache *c) {
  enum { MAX_ENTRIES = 1 << 14 };
  DIR *dir = opendir(c->folder);
  if (!dir) return;
  Arena *a = arena_new();
  Entry *list = ARENA_ARRAY(a, Entry, MAX_ENTRIES);
  int count = 0;
  for (struct dirent *e; count < MAX_ENTRIES && (e = readdir(dir)) != NULL;)
    note_file(a, c, e->d_name, list, &count);
  closedir(dir);
  qsort(list, (size_t)count, sizeof *list, by_age);
  int64_t total = 0;
  for (int i = 0; i < count; i++) total += list[i].size;
  for (int i = 0; i < count && total > c->max_bytes; i++)
    if (holds_entry(list[i].path, true) && unlink(list[i].path) == 0) total -= list[i].size;
  arena_free(a);
}

static bool write_entry(int fd, const char *key, const char *value, size_t size) {
  const size_t key_size = strlen(key);
  Header h = {.key_size = key_size, .value_size = size};
  memcpy(h.magic, magic, sizeof magic);
  h.checksum = hash_bytes(hash_bytes(HASH_START, key, key_size), value, size);
  return file_put(fd, (const char *)&h, sizeof h) && file_put(fd, key, key_size) &&
         file_put(fd, value, size);
}

static void put(Arena *a, const Cache *c, const char *key, const char *value, size_t size) {
  char random[RANDOM_NAME + 1];
  random_name(random);
  const char *temporary = arena_printf(a, "%s/%s%s", c->folder, temporary_prefix, random);
  const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return;
  const bool whole = write_entry(fd, key, value, size);
  if (close(fd) != 0 || !whole || rename(temporary, entry_path(a, c, key)) != 0) {
    unlink(temporary);
    return;
  }
  evict(c);
}

void cache_put(Arena *a, const Cache *c, const char *key, const char *value, size_t size) {
  sigset_t before;
  if (!c->folder || !c->writable || sizeof(Header) + strlen(key) + size > ENTRY_MAX) return;
  signals_hold(&before);
  put(a, c, key, value, size);
  signals_release(&before);
}
