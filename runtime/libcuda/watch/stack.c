/* SPDX-License-Identifier: MIT */
#include "libcuda/watch/stack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FRAMES = 48, MAX_PATH = 4096, FIRST_SLOTS = 256 };

/* The resolved location of a return address. */
typedef struct {
  void *address; /* NULL: the slot is free */
  bool shown;    /* false for addresses in this library, and in no module */
  LintFrame frame;
} Slot;

/* Cache of resolved addresses, because a launch resolves the same few addresses each time. Entries
 * are valid until a module is unloaded, since only then an address can get another meaning. */
typedef struct {
  Arena *arena; /* holds the strings, which are never freed: reports use them at exit */
  unsigned long long unloads;
  size_t slots, used;
  Slot *slot;
} Cache;

static Cache *cache(void) {
  static Cache all;
  return &all;
}

/* --- asking the loader --- */

static const struct link_map *module_of(void *address, Dl_info *info) {
  void *map = NULL;
  return dladdr1(address, info, &map, RTLD_DL_LINKMAP) ? map : NULL;
}

/* The path of a module; the loader's name of the program itself is empty. */
static const char *path_of(Arena *a, const struct link_map *m) {
  char exe[MAX_PATH];
  if (*m->l_name) return arena_printf(a, "%s", m->l_name);
  const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe);
  return n > 0 ? arena_strndup(a, exe, (size_t)n) : "?";
}

/* Resolves a return address, which is after the call, so the offset of the call is one less. A
 * variable identifies this library, because C has no conversion from a function pointer to void
 * *. */
static Slot resolve(Arena *a, void *address) {
  static const char here = 0;
  Dl_info info;
  const struct link_map *own = module_of((void *)(uintptr_t)&here, &info);
  const struct link_map *m = module_of(address, &info);
  Slot s = {.address = address, .shown = m && m != own};
  if (!s.shown) return s;
  s.frame = (LintFrame){.module = path_of(a, m),
                        .offset = (uint64_t)((uintptr_t)address - m->l_addr - 1),
                        .function = info.dli_sname ? arena_printf(a, "%s", info.dli_sname) : NULL};
  return s;
}

/* --- the cache --- */

static int read_unloads(struct dl_phdr_info *info, size_t size, void *out) {
  (void)size;
  *(unsigned long long *)out = info->dlpi_subs;
  return 1; /* all modules have the same count */
}

static void drop_stale(Cache *c) {
  unsigned long long unloads = 0;
  dl_iterate_phdr(read_unloads, &unloads);
  if (unloads == c->unloads) return;
  if (c->slot) memset(c->slot, 0, c->slots * sizeof *c->slot);
  c->used = 0;
  c->unloads = unloads;
}

static Slot *slot_of(Cache *c, void *address) {
  size_t i = (size_t)((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 32);
  while (c->slot[i & (c->slots - 1)].address && c->slot[i & (c->slots - 1)].address != address) i++;
  return &c->slot[i & (c->slots - 1)];
}

static void grow(Cache *c) {
  Cache bigger = *c;
  if (!c->arena) bigger.arena = arena_new();
  bigger.slots = c->slots ? 2 * c->slots : FIRST_SLOTS;
  bigger.slot = ARENA_ARRAY(bigger.arena, Slot, bigger.slots);
  for (size_t i = 0; i < c->slots; i++)
    if (c->slot[i].address) *slot_of(&bigger, c->slot[i].address) = c->slot[i];
  *c = bigger;
}

static const Slot *look_up(Cache *c, void *address) {
  if (2 * c->used >= c->slots) grow(c);
  Slot *s = slot_of(c, address);
  if (!s->address) {
    *s = resolve(c->arena, address);
    c->used++;
  }
  return s;
}

LintStack host_stack(Arena *a) {
  Cache *c = cache();
  void *address[MAX_FRAMES];
  const int count = backtrace(address, MAX_FRAMES);
  LintStack s = {0, ARENA_ARRAY(a, LintFrame, (size_t)count + 1)};
  drop_stale(c);
  for (int i = 0; i < count; i++) {
    const Slot *known = address[i] ? look_up(c, address[i]) : NULL;
    if (known && known->shown) s.frame[s.count++] = known->frame;
  }
  return s;
}
