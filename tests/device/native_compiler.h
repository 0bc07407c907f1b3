/* SPDX-License-Identifier: MIT */
/* native_compiler.h: translations compiled as kgen --exec does it, but waited for; for
 * bench, too. */
#ifndef KGEN_TESTS_DEVICE_NATIVE_COMPILER_H
#define KGEN_TESTS_DEVICE_NATIVE_COMPILER_H

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/orders.h"
#include "emu/arith/arith_resolve.h"
#include "exec/exec_compile.h"

typedef struct {
  Arena *arena;
  Scratch scratch;
  EmuTranslator orders;
  ExecCompile *compile;
  int compiled, failed;
  /* Counts for the last text: shuffles with named lanes, parts that branches skip, accesses. */
  int shuffles, parts, locals, shared;
} Compiler;

static inline int compiler_count(const char *text, const char *what) {
  int count = 0;
  for (; (text = strstr(text, what)) != NULL; text++) count++;
  return count;
}

static inline uint64_t compiler_ask(void *context, const char *text, size_t length) {
  Compiler *c = context;
  c->shuffles = compiler_count(text, "shuffle_32(r");
  c->parts = compiler_count(text, "const uint32_t m = h");
  c->shared = compiler_count(text, "= place_shared");
  c->locals = compiler_count(text, "= place_local(w, m, ");
  return c->orders.ask(c->orders.context, text, length);
}

static inline const void *compiler_take(void *context, uint64_t number, bool *never) {
  Compiler *c = context;
  const void *runs = NULL;
  while (!runs && !*never) {
    exec_compile_step(c->compile);
    runs = c->orders.take(c->orders.context, number, never);
    if (!runs && !*never) nanosleep(&(struct timespec){0, 2000000}, NULL);
  }
  c->compiled += runs != NULL;
  c->failed += runs == NULL;
  return runs;
}

static inline EmuTranslator compiler_translator(Compiler *c) {
  return (EmuTranslator){.ask = compiler_ask, .take = compiler_take, .context = c};
}

static inline void compiler_close(Compiler *c) {
  exec_compile_close(c->compile);
  scratch_close(&c->scratch);
  arena_free(c->arena);
}

/* For vectors of AVX2, 1, or AVX-512, 2; false where there are none, or no compiler. With a cache
 * of its own. */
static inline bool compiler_open(Compiler *c, unsigned vectors) {
  if (arith_most_vectors() < vectors) return false;
  *c = (Compiler){.arena = arena_new()};
  if (!scratch_open(c->arena, &c->scratch, "/tmp")) return false;
  setenv("KGEN_CACHE_DIR", scratch_file(c->arena, &c->scratch, "cache"), 1);
  c->compile = exec_compile_open(c->arena, &c->scratch, vectors);
  c->orders = orders_translator(exec_compile_folder(c->compile));
  if (!c->compile) compiler_close(c);
  return c->compile != NULL;
}

#endif
