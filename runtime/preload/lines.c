/* SPDX-License-Identifier: MIT */
#include "preload/lines.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "preload/places.h"

enum { PLACES = 8 };

/* One per process, which may have loaded several compilers. */
static Place *places(void) {
  static Place real[PLACES];
  return real;
}

static bool has_lines(int count, const char *const *option) {
  static const char *const known[] = {
      "-lineinfo", "--generate-line-info", "-G", "--device-debug", "-g",
      "-dlto",     "--dlink-time-opt"};
  for (int i = 0; i < count; i++)
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
      if (strcmp(option[i], known[k]) == 0) return true;
  return false;
}

static int call(int i, void *of, int count, const char *const *option) {
  LinesCall *real = (LinesCall *)atomic_load(&places()[i]);
  if (count < 0 || (count && !option) || has_lines(count, option)) return real(of, count, option);
  const char **more = malloc(((size_t)count + 1) * sizeof *more);
  if (!more) return real(of, count, option);
  for (int k = 0; k < count; k++) more[k] = option[k];
  more[count] = "-lineinfo";
  const int result = real(of, count + 1, more);
  free(more);
  return result;
}

#define ADDED(i)                                                                                   \
  static int added_##i(void *of, int count, const char *const *option) {                           \
    return call(i, of, count, option);                                                             \
  }
ADDED(0)
ADDED(1)
ADDED(2)
ADDED(3)
ADDED(4)
ADDED(5)
ADDED(6)
ADDED(7)
#undef ADDED

LinesCall *lines_added(LinesCall *real) {
  static LinesCall *const added[PLACES] = {added_0, added_1, added_2, added_3,
                                           added_4, added_5, added_6, added_7};
  const int i = place_of(places(), PLACES, (PlaceCall *)real);
  return i < 0 ? real : added[i];
}

bool lines_name_begins(const char *name, const char *start) {
  while (*start && *name == *start) name++, start++;
  return !*start;
}

bool lines_name_is(const char *name, const char *other) {
  while (*name && *name == *other) name++, other++;
  return *name == *other;
}

/* nvJitLink's header calls the function of its own version. */
bool lines_is(const char *name) {
  return lines_name_is(name, "nvrtcCompileProgram") || lines_name_is(name, "nvJitLinkCreate") ||
         lines_name_begins(name, "__nvJitLinkCreate_");
}
