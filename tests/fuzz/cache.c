/* SPDX-License-Identifier: MIT */
/* An entry of the cache: what was stored under the key, or a miss. */
// covers: gen/base runtime/device/cache*
// seeds: tests/fuzz/seeds/cache
#include "device/cache.h"

#include <dirent.h>

#include "fuzz.h"

static const char key[] = "kgen 0\nkey";
static char entry[256]; /* the name of key's file */

static void find_entry(const Cache *c) {
  Arena *a = arena_new();
  cache_put(a, c, key, "value", 5);
  DIR *dir = opendir(c->folder);
  MUST(dir);
  for (struct dirent *e; (e = readdir(dir));)
    if (e->d_name[0] != '.') snprintf(entry, sizeof entry, "%s", e->d_name);
  closedir(dir);
  MUST(entry[0]);
  arena_free(a);
}

/* FNV-1a over key and value, as the header of an entry has it in its last 8 bytes: without it no
 * input would pass. */
static void repair(uint8_t *data, size_t size) {
  enum { HEADER = 32 };
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = HEADER; i < size; i++) h = (h ^ data[i]) * 0x100000001b3u;
  memcpy(data + HEADER - 8, &h, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const Cache c = {.folder = fuzz_folder(), .writable = true, .max_bytes = 1 << 20};
  if (!entry[0]) find_entry(&c);
  Arena *a = arena_new();
  uint8_t *copy = arena_alloc(a, size + 1);
  memcpy(copy, data, size);
  if (size >= 32 && size % 2) repair(copy, size);
  fuzz_write(arena_printf(a, "%s/%s", c.folder, entry), copy, size);
  size_t got = 0;
  const char *value = cache_get(a, &c, key, &got);
  if (value) {
    MUST(got + 32 + strlen(key) == size && value[got] == '\0');
    MUST(memcmp(value, copy + 32 + strlen(key), got) == 0);
  }
  arena_free(a);
  return 0;
}
