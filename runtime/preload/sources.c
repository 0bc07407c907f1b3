/* SPDX-License-Identifier: MIT */
#include "preload/sources.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/places.h"

enum { PLACES = 4, MAX_BYTES = 256 << 20 };

/* --- stored sources --- */

typedef struct Source {
  struct Source *next;
  const char *name; /* name given by the program */
  int number;       /* 1: the first with its name */
  const char *text;
  char shown[]; /* its name for NVRTC */
} Source;

typedef struct {
  pthread_mutex_t lock;
  Source *newest;
  size_t bytes;
} Sources;

/* One list per process. */
static Sources *sources(void) {
  static Sources all = {.lock = PTHREAD_MUTEX_INITIALIZER};
  return &all;
}

/* The newest source with that name; text NULL: whatever its text. */
static const Source *find(const char *name, const char *text) {
  for (const Source *s = sources()->newest; s; s = s->next)
    if (strcmp(s->name, name) == 0 && (!text || strcmp(s->text, text) == 0)) return s;
  return NULL;
}

/* NVRTC's name for a source without a name; reports never quote these. */
static const char unnamed[] = "default_program";

static Source *source_new(const char *name, const char *text, int number, bool is_header) {
  const size_t room = strlen(name) + sizeof "#2147483647";
  Source *s = malloc(sizeof *s + room);
  char *own_name = strdup(name), *own_text = strdup(text);
  if (!s || !own_name || !own_text) {
    free(s);
    free(own_name);
    free(own_text);
    return NULL;
  }
  *s = (Source){NULL, own_name, number, own_text};
  const bool numbered = !is_header && (number > 1 || strcmp(name, unnamed) == 0);
  snprintf(s->shown, room, numbered ? "%s#%d" : "%s", name, number);
  return s;
}

/* Returns the name for NVRTC: the program's own, if the list is full. */
static const char *keep(const char *name, const char *text, bool is_header) {
  Sources *all = sources();
  const size_t bytes = strlen(text);
  const Source *same = find(name, text), *newest = find(name, NULL);
  if (same) return same->shown;
  if (bytes > MAX_BYTES - all->bytes) return name;
  Source *s = source_new(name, text, newest ? newest->number + 1 : 1, is_header);
  if (!s) return name;
  s->next = all->newest;
  all->newest = s;
  all->bytes += bytes;
  return s->shown;
}

static bool is_named(const char *path, const char *shown) {
  const size_t n = strlen(path), m = strlen(shown);
  if (n < m || strcmp(path + n - m, shown) != 0) return false;
  return n == m || path[n - m - 1] == '/';
}

/* Headers keep their names: two texts with one name cannot be distinguished. */
const char *sources_text(const char *path) {
  const char *found = NULL;
  int count = 0;
  pthread_mutex_lock(&sources()->lock);
  for (const Source *s = sources()->newest; s; s = s->next) {
    if (!is_named(path, s->shown)) continue;
    found = s->text;
    count++;
  }
  pthread_mutex_unlock(&sources()->lock);
  return count == 1 ? found : NULL;
}

/* --- calls --- */

static Place *places(void) {
  static Place real[PLACES];
  return real;
}

static int call(int i, void *program, const char *text, const char *name, int headers,
                const char *const *header, const char *const *include) {
  const char *shown = name;
  pthread_mutex_lock(&sources()->lock);
  if (text) shown = keep(name && *name ? name : unnamed, text, false);
  for (int k = 0; header && include && k < headers; k++)
    if (header[k] && include[k]) keep(include[k], header[k], true);
  pthread_mutex_unlock(&sources()->lock);
  SourcesCall *real = (SourcesCall *)atomic_load(&places()[i]);
  return real(program, text, shown, headers, header, include);
}

#define KEPT(i)                                                                                    \
  static int kept_##i(void *program, const char *text, const char *name, int headers,              \
                      const char *const *header, const char *const *include) {                     \
    return call(i, program, text, name, headers, header, include);                                 \
  }
KEPT(0)
KEPT(1)
KEPT(2)
KEPT(3)
#undef KEPT

SourcesCall *sources_kept(SourcesCall *real) {
  static SourcesCall *const kept[PLACES] = {kept_0, kept_1, kept_2, kept_3};
  const int i = place_of(places(), PLACES, (PlaceCall *)real);
  return i < 0 ? real : kept[i];
}
