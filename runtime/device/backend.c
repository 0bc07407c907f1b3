/* SPDX-License-Identifier: MIT */
#include "device/backend.h"

#include <string.h>

static const Backend *const backends[] = {&backend_cuda, &backend_emulator};
enum { BACKENDS = sizeof backends / sizeof *backends };

Device *backend_open(Arena *a, const char *name, Text *why) {
  const bool any = strcmp(name, "auto") == 0;
  for (int i = 0; i < BACKENDS; i++) {
    if (!any && strcmp(name, backends[i]->name) != 0) continue;
    Device *d = ARENA_NEW(a, Device);
    *d =
        (Device){.backend = backends[i], .arena = a, .error = text_new(a), .findings = text_new(a)};
    if (backends[i]->open(d)) return d;
    text_printf(why, "%s%s: %s", why->len ? "\n" : "", backends[i]->name, d->error.s);
  }
  return NULL;
}

void backend_close(Device *d) { d->backend->close(d); }

bool backend_lives(Device *d) {
  const uint64_t probe = d->backend->alloc(d, 1, "probe");
  if (probe) d->backend->release(d, probe);
  d->error = text_new(d->arena);
  return probe != 0;
}
