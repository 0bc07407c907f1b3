/* SPDX-License-Identifier: MIT */
/* Requests for shared objects, made by programs. */
#include "device/orders.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "device/object.h"

static const char *const ending[] = {
    [ORDER_TEXT] = ".c", [ORDER_OBJECT] = ".so", [ORDER_NONE] = ".none"};

const char *orders_path(Arena *a, const char *folder, uint64_t number, OrderFile which) {
  return arena_printf(a, "%s/%016" PRIx64 "%s", folder, number, ending[which]);
}

uint64_t orders_number(const char *name) {
  char again[32], *end;
  const uint64_t number = strtoull(name, &end, 16);
  snprintf(again, sizeof again, "%016" PRIx64 "%s", number, ending[ORDER_TEXT]);
  return strcmp(name, again) == 0 ? number : 0;
}

/* --- the program's side --- */

static bool is_there(Arena *a, const char *folder, uint64_t number, OrderFile which) {
  return access(orders_path(a, folder, number, which), F_OK) == 0;
}

/* The mode ensures that kgen can read the file whatever the program's umask. */
static bool put(Arena *a, const char *folder, uint64_t number, const char *text, size_t length) {
  char *part = arena_printf(a, "%s/part-XXXXXX", folder);
  const int fd = mkostemp(part, O_CLOEXEC);
  if (fd < 0) return false;
  const bool whole = fchmod(fd, 0600) == 0 && file_put(fd, text, length);
  if (close(fd) == 0 && whole && rename(part, orders_path(a, folder, number, ORDER_TEXT)) == 0)
    return true;
  unlink(part);
  return false;
}

/* The number is a hash of the text: processes that translate the same kernel make one request. */
static uint64_t ask(void *context, const char *text, size_t length) {
  Arena *a = arena_new();
  const char *folder = context;
  const uint64_t hash = hash_bytes(HASH_START, text, length), number = hash ? hash : 1;
  bool ordered = false;
  for (int which = ORDER_TEXT; which <= ORDER_NONE; which++)
    ordered |= is_there(a, folder, number, (OrderFile)which);
  if (!ordered) ordered = put(a, folder, number, text, length);
  arena_free(a);
  return ordered ? number : 0;
}

static const void *take(void *context, uint64_t number, bool *never) {
  Arena *a = arena_new();
  const char *folder = context;
  const void *runs = NULL;
  if (is_there(a, folder, number, ORDER_OBJECT)) {
    runs = object_load(a, orders_path(a, folder, number, ORDER_OBJECT));
    *never = !runs;
  } else {
    *never = is_there(a, folder, number, ORDER_NONE);
  }
  arena_free(a);
  return runs;
}

EmuTranslator orders_translator(const char *folder) {
  /* About a second of interpretation, as long as compiling takes, then every 30 ms. */
  return (EmuTranslator){.ask = ask,
                         .take = take,
                         .context = (void *)(uintptr_t)folder,
                         .after = 1 << 25,
                         .again = 1 << 20};
}
