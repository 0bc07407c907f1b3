/* SPDX-License-Identifier: MIT */
/* entry.c: the table of all API functions by name, generated from entry.def. */
#include "libcuda/api/entry.h"

#include <string.h>

#include "libcuda/state/call.h"

#define SERVED(symbol, name, since, per_thread) Entry symbol, symbol##per_thread;
#define MISSING(symbol, name, since, per_thread)                                                   \
  CU_API CUresult symbol(void);                                                                    \
  CU_API CUresult symbol(void) { return api_missing(#symbol); }
#include "libcuda/api/entry.def"
#undef SERVED
#undef MISSING

static const struct {
  const char *name;
  int since;
  Entry *entry, *per_thread;
} table[] = {
#define SERVED(symbol, name, since, per_thread)  {#name, since, symbol, symbol##per_thread},
#define MISSING(symbol, name, since, per_thread) {#name, since, (Entry *)symbol, (Entry *)symbol},
#include "libcuda/api/entry.def"
#undef SERVED
#undef MISSING
};

EntryQuery entry_find(const char *name, int version, bool per_thread, Entry **out) {
  EntryQuery query = ENTRY_UNKNOWN;
  int newest = 0;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(table[i].name, name) != 0) continue;
    if (query == ENTRY_UNKNOWN) query = ENTRY_TOO_NEW;
    if (table[i].since > version || table[i].since < newest) continue;
    query = ENTRY_FOUND;
    newest = table[i].since;
    *out = per_thread ? table[i].per_thread : table[i].entry;
  }
  return query;
}
