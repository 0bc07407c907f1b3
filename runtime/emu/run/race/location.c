/* SPDX-License-Identifier: MIT */
#include "emu/run/race/location.h"

#include <stdlib.h>

enum { MAX_LOCATIONS = 1 << 14 };

static void location_free(Location *at) {
  clock_close(&at->visible);
  clock_close(&at->arrived);
  for (int i = 0; i < PROXY_SPACES; i++) {
    clock_close(&at->visible_proxied[i]);
    clock_close(&at->arrived_proxied[i]);
  }
  free(at);
}

void location_free_all(Order *o) {
  for (int i = 0; i < LOCATION_BUCKETS; i++) {
    for (Location *at = o->bucket[i], *next; at; at = next) {
      next = at->next;
      location_free(at);
    }
  }
}

static unsigned bucket_of(uint64_t key) {
  return (unsigned)(key * 0x9E3779B97F4A7C15ull >> 54) % LOCATION_BUCKETS;
}

static void location_clear(const Order *o, Location *at) {
  at->start = o->starts;
  clock_fill(&at->visible, o->slots, 0);
  clock_fill(&at->arrived, o->slots, 0);
  for (int i = 0; i < PROXY_SPACES; i++) {
    clock_fill(&at->visible_proxied[i], o->slots, 0);
    clock_fill(&at->arrived_proxied[i], o->slots, 0);
  }
}

Location *location_find(Order *o, uint64_t key) {
  for (Location *at = o->bucket[bucket_of(key)]; at; at = at->next)
    if (at->key == key && at->start == o->starts) return at;
  return NULL;
}

static Location *location_new(const Order *o) {
  Location *at = calloc(1, sizeof *at);
  bool ok = at && clock_open(&at->visible, o->slots) && clock_open(&at->arrived, o->slots);
  for (int i = 0; ok && i < PROXY_SPACES; i++)
    ok = clock_open(&at->visible_proxied[i], o->slots) &&
         clock_open(&at->arrived_proxied[i], o->slots);
  if (!ok && at) location_free(at);
  return ok ? at : NULL;
}

/* Beyond MAX_LOCATIONS, one that an earlier cluster used, or else any other of the bucket, takes
 * the place of a new one: sharing it only orders more. NULL when out of memory. */
Location *location_at(Order *o, uint64_t key) {
  Location **bucket = &o->bucket[bucket_of(key)], *at = location_find(o, key);
  if (at) return at;
  for (at = *bucket; at && at->start == o->starts;) at = at->next;
  if (!at && (o->locations < MAX_LOCATIONS || !*bucket)) {
    at = location_new(o);
    if (!at) return *bucket;
    at->next = *bucket;
    *bucket = at;
    o->locations++;
  } else if (!at) {
    (*bucket)->key = key;
    return *bucket;
  }
  at->key = key;
  location_clear(o, at);
  return at;
}
