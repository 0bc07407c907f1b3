/* SPDX-License-Identifier: MIT */
#include "emu/translate/translate.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "emu/arith/arith_resolve.h"
#include "emu/translate/prelude.h"
#include "emu/translate/write.h"

enum { NEEDED_VECTORS = 1 }; /* AVX2 */
/* Maximum per program: compilers need a few milliseconds and some 100 KiB for each. */
enum { MOST_INSTRUCTIONS = 8192 };

struct Translation {
  /* warp instructions executed; the count at which the next step is due */
  _Atomic uint64_t counted, due;
  atomic_flag busy;    /* a worker is translating, and owns the fields that follow */
  uint64_t number;     /* number of the request; 0: none so far */
  atomic_bool settled; /* nothing remains to be done */
  _Atomic(NativeRun *) run;
};

Translation *translation_new(void) {
  Translation *t = calloc(1, sizeof *t);
  if (t) atomic_flag_clear(&t->busy);
  return t;
}

void translation_free(Translation *t) {
  if (!t) return;
  free(atomic_load(&t->run));
  free(t);
}

const NativeRun *translation_runs(const Program *p, bool all_lanes) {
  Translation *t = p->translation;
  const NativeRun *run = t ? atomic_load_explicit(&t->run, memory_order_acquire) : NULL;
  return run && !all_lanes ? run + p->count + 1 : run;
}

/* --- requesting and receiving --- */

/* Builds a table of functions by instruction: for all lanes active and, after it, for some. */
static NativeRun *table_of(const NativeEntry *entry, int instructions) {
  NativeRun *table = calloc(2 * ((size_t)instructions + 1), sizeof *table);
  for (; table && entry->run; entry++) {
    if (entry->pc < 0 || entry->pc >= instructions) continue;
    table[entry->pc] = entry->run;
    if (!entry->whole) table[instructions + 1 + entry->pc] = entry->run;
  }
  return table;
}

static uint64_t ask(const Program *p, const EmuTranslator *translator) {
  if (arith_most_vectors() < NEEDED_VECTORS || p->count > MOST_INSTRUCTIONS) return 0;
  Arena *a = arena_new();
  Text text = text_new(a);
  prelude_write(&text);
  const bool any = write_program(a, p, &text) > 0;
  const uint64_t number = any ? translator->ask(translator->context, text.s, text.len) : 0;
  arena_free(a);
  return number;
}

static void act(const Program *p, const EmuTranslator *translator) {
  Translation *t = p->translation;
  if (!t->number) t->number = ask(p, translator);
  bool never = !t->number;
  const NativeEntry *entry =
      never ? NULL : translator->take(translator->context, t->number, &never);
  if (entry) atomic_store_explicit(&t->run, table_of(entry, p->count), memory_order_release);
  if (entry || never) atomic_store(&t->settled, true);
}

void translation_count(const Program *p, const EmuTranslator *translator, uint64_t more) {
  Translation *t = p->translation;
  if (!t || atomic_load_explicit(&t->settled, memory_order_relaxed)) return;
  const uint64_t counted =
      atomic_fetch_add_explicit(&t->counted, more, memory_order_relaxed) + more;
  if (counted < translator->after || counted < atomic_load(&t->due)) return;
  if (atomic_flag_test_and_set(&t->busy)) return;
  if (!atomic_load(&t->settled)) act(p, translator);
  atomic_store(&t->due, counted + translator->again);
  atomic_flag_clear(&t->busy);
}
