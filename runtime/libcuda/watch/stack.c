#include "libcuda/watch/stack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

enum { MOST = 48, LONGEST = 4096 };

static const struct link_map *module_of(void *address, Dl_info *info) {
  void *map = NULL;
  return dladdr1(address, info, &map, RTLD_DL_LINKMAP) ? map : NULL;
}

/* The loader's name of the program itself is empty. */
static const char *path_of(Arena *a, const struct link_map *m) {
  char exe[LONGEST];
  if (*m->l_name) return arena_printf(a, "%s", m->l_name);
  const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe);
  return n > 0 ? arena_strndup(a, exe, (size_t)n) : "?";
}

/* A return address is that of the instruction after the call. */
static LintFrame frame_of(Arena *a, const struct link_map *m, const Dl_info *info, void *address) {
  return (LintFrame){.module = path_of(a, m),
                     .offset = (uint64_t)((uintptr_t)address - m->l_addr - 1),
                     .function = info->dli_sname ? arena_printf(a, "%s", info->dli_sname) : NULL};
}

/* A variable shows where this library lies: C does not convert a pointer to a function. */
LintStack host_stack(Arena *a) {
  static const char here = 0;
  void *address[MOST];
  Dl_info info;
  const struct link_map *own = module_of((void *)(uintptr_t)&here, &info);
  const int count = backtrace(address, MOST);
  LintStack s = {0, ARENA_ARRAY(a, LintFrame, (size_t)count + 1)};
  for (int i = 0; i < count; i++) {
    const struct link_map *m = module_of(address[i], &info);
    if (m && m != own) s.frame[s.count++] = frame_of(a, m, &info, address[i]);
  }
  return s;
}
