/* SPDX-License-Identifier: MIT */
#include "libcuda/watch/host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "libcuda/driver.h"
#include "libcuda/watch/session.h"
#include "libcuda/watch/stack.h"
#include "lint/input/name.h"
#include "lint/report/host.h"

/* An allocation, and the call stack that made it. Device addresses are never reused; host addresses
 * may be. */
typedef struct {
  uint64_t base, bytes;
  const char *what;
  const LintStack *from;
  bool freed;
} Block;

/* A call stack; equal ones are stored once, in one list per hash. */
typedef struct StackNode {
  struct StackNode *next;
  LintStack stack;
} StackNode;

enum { STACK_LISTS = 1024 };

/* A launch that failed. */
typedef struct {
  const char *kernel, *error;
  LintStack from;
  int64_t more; /* number of later launches and copies; -1 until the failed call itself returns */
} Failure;

/* A kernel with checked launches that wait for the host. */
typedef struct {
  const char *kernel;
  int launches; /* number of waiting launches */
} Waits;

typedef struct {
  Arena *arena;
  int blocks, block_room;
  Block *block; /* in order of creation */
  size_t slots; /* hash table by address with a power of two slots; `slot` holds 1 + the index of
                   the newest block at an address, or 0 */
  int *slot;
  StackNode *stack[STACK_LISTS];
  int findings, finding_room;
  LintHostFinding *finding;
  int failures, failure_room;
  Failure *failure;
  int missed, missed_room;
  const char **miss;
  int waits, waits_room;
  Waits *wait;
  bool context_failed;
  const char *refused; /* contents of the first module that could not be loaded, or NULL */
  int unchecked, unchecked_room;
  const char **name; /* names of kernels that ran unchecked */
} Watch;

/* Returns the state of the process, or NULL without a session. */
static Watch *watch(void) {
  static Watch one;
  static pid_t process;
  const Session *s = session();
  if (!s) return NULL;
  if (process != s->process)
    one = (Watch){.arena = s->arena}; /* a forked process starts with an empty state */
  process = s->process;
  return &one;
}

/* Copies a kernel's name, because its module may be unloaded before the report is written. */
static const char *copy_of(const Watch *w, const char *s) {
  return arena_strndup(w->arena, s, strlen(s));
}

/* --- findings --- */

static void found(Watch *w, LintHostFinding new) {
  for (int i = 0; i < w->findings; i++) {
    LintHostFinding *known = &w->finding[i];
    if (!lint_host_same(known, &new)) continue;
    known->count += new.count;
    known->bytes += new.bytes;
    return;
  }
  w->finding = arena_grow(w->arena, w->finding, w->findings, &w->finding_room, sizeof new);
  w->finding[w->findings++] = new;
}

/* The location in the source, or in the PTX if that is unknown. */
static const char *place_of(Arena *a, const char *file, int line, int ptx_line) {
  return file ? arena_printf(a, "%s:%d", file, line) : arena_printf(a, "PTX line %d", ptx_line);
}

/* --- the process's file --- */

static Text text_of(const Watch *w, const Session *s, Arena *a) {
  Text out = text_new(a);
  Json json = json_new(&out), *j = &json;
  json_object(j, NULL);
  json_int(j, "version", 1);
  json_string(j, "identity", s->identity);
  json_int(j, "began", (int64_t)s->began);
  json_string(j, "refused", w->refused);
  json_array(j, "unchecked");
  for (int i = 0; i < w->unchecked; i++) json_string(j, NULL, lint_name_plain(a, w->name[i]));
  json_end(j);
  json_array(j, "host");
  for (int i = 0; i < w->findings; i++) lint_host_put(j, &w->finding[i]);
  json_end(j);
  json_array(j, "missing");
  for (int i = 0; i < w->missed; i++) json_string(j, NULL, w->miss[i]);
  json_end(j);
  json_array(j, "waiting");
  for (int i = 0; i < w->waits; i++)
    if (w->wait[i].launches) json_string(j, NULL, w->wait[i].kernel);
  json_end(j);
  json_end(j);
  return out;
}

static void write_down(const Watch *w) {
  Arena *a = arena_new();
  const Text text = text_of(w, session(), a);
  session_write(session(), -1, &text);
  arena_free(a);
}

/* --- memory --- */

static const LintStack *stack_here(Watch *w) {
  Arena *a = arena_new();
  const LintStack here = host_stack(a);
  uint64_t hash = HASH_START;
  for (int i = 0; i < here.count; i++)
    hash = hash_bytes(hash, &here.frame[i].offset, sizeof here.frame[i].offset);
  StackNode **list = &w->stack[hash % STACK_LISTS], *n = *list;
  while (n && !lint_stack_same(&n->stack, &here)) n = n->next;
  if (!n) {
    n = ARENA_NEW(w->arena, StackNode);
    *n = (StackNode){*list, host_stack(w->arena)};
    *list = n;
  }
  arena_free(a);
  return &n->stack;
}

/* The slot of the address, or a free one. */
static size_t slot_of(const Watch *w, uint64_t base) {
  size_t i = (size_t)(base * UINT64_C(0x9e3779b97f4a7c15) >> 32);
  while (w->slot[i & (w->slots - 1)] && w->block[w->slot[i & (w->slots - 1)] - 1].base != base) i++;
  return i & (w->slots - 1);
}

static void grow_slots(Watch *w) {
  enum { FIRST = 256 };
  if (w->slots > 2 * (size_t)w->blocks) return;
  w->slots = w->slots ? 4 * w->slots : FIRST;
  w->slot = ARENA_ARRAY(w->arena, int, w->slots);
  for (int i = 0; i < w->blocks; i++) w->slot[slot_of(w, w->block[i].base)] = i + 1;
}

static Block *block_at(const Watch *w, uint64_t base) {
  const int i = w->slots ? w->slot[slot_of(w, base)] : 0;
  return i ? &w->block[i - 1] : NULL;
}

void host_allocated(uint64_t base, uint64_t bytes, const char *what) {
  Watch *w = watch();
  if (!w) return;
  grow_slots(w);
  const Block new = {base, bytes, what, stack_here(w), false};
  Block *known = block_at(w, base);
  if (known && known->freed) {
    *known = new;
    return;
  }
  w->block = arena_grow(w->arena, w->block, w->blocks, &w->block_room, sizeof new);
  w->block[w->blocks++] = new;
  w->slot[slot_of(w, base)] = w->blocks;
}

void host_freed(uint64_t base) {
  const Watch *w = watch();
  Block *b = w ? block_at(w, base) : NULL;
  if (b) b->freed = true;
}

static const char *why_not(const Watch *w, uint64_t address, LintHostKind *kind) {
  const Block *b = block_at(w, address);
  *kind = LINT_DOUBLE_FREE;
  if (b && b->freed)
    return arena_printf(w->arena, "%" PRIu64 " bytes of %s are freed a second time", b->bytes,
                        b->what);
  *kind = LINT_INVALID_FREE;
  for (int i = 0; i < w->blocks; i++) {
    b = &w->block[i];
    if (!b->freed && address - b->base < b->bytes)
      return arena_printf(w->arena, "an address %" PRIu64 " bytes into %s is freed",
                          address - b->base, b->what);
  }
  return "an address is freed that was not allocated";
}

void host_cannot_free(uint64_t address) {
  Watch *w = watch();
  LintHostKind kind;
  if (!w) return;
  const char *message = why_not(w, address, &kind);
  found(w, (LintHostFinding){
               .kind = kind, .message = message, .count = 1, .from = host_stack(w->arena)});
  write_down(w);
}

void host_context_failed(void) {
  Watch *w = watch();
  if (w) w->context_failed = true;
}

/* Finds device heap blocks that are never freed. The heap lives until its context is destroyed. A
 * program that links the driver may never have created one. */
static void find_heap_leaks(Watch *w) {
  enum { MOST = 64 };
  EmuHeapUse use[MOST];
  const EmuMemory *memory = driver()->memory;
  const int count = memory ? emu_heap_uses(memory, use, MOST) : 0;
  for (int i = 0; i < count; i++) {
    const char *at = place_of(w->arena, use[i].file, use[i].line, use[i].ptx_line);
    const char *message =
        arena_printf(w->arena, "a block that %s takes by malloc at %s is never freed",
                     lint_name_plain(w->arena, use[i].kernel), at);
    found(w, (LintHostFinding){.kind = LINT_LEAK,
                               .message = message,
                               .count = use[i].blocks,
                               .bytes = use[i].bytes});
  }
}

/* Finds memory that is never freed. Skipped if the program called an unsupported function or a
 * module was not loaded, because it may have exited early; also after a context error, because
 * later calls cannot free memory. */
static void find_leaks(Watch *w) {
  if (w->missed || w->refused || w->context_failed) return;
  for (int i = 0; i < w->blocks; i++) {
    const Block *l = &w->block[i];
    if (l->freed) continue;
    found(w, (LintHostFinding){.kind = LINT_LEAK,
                               .message = arena_printf(w->arena,
                                                       "%" PRIu64 " bytes of %s are "
                                                       "never freed",
                                                       l->bytes, l->what),
                               .count = 1,
                               .bytes = l->bytes,
                               .from = *l->from});
  }
  find_heap_leaks(w);
}

/* --- unchecked errors of launches --- */

void host_launch_failed(const char *kernel, const char *error) {
  Watch *w = watch();
  if (!w) return;
  const LintStack from = host_stack(w->arena);
  for (int i = 0; i < w->failures; i++)
    if (lint_stack_same(&w->failure[i].from, &from)) return;
  w->failure = arena_grow(w->arena, w->failure, w->failures, &w->failure_room, sizeof *w->failure);
  w->failure[w->failures++] = (Failure){copy_of(w, kernel), error, from, -1};
}

void host_launch_stopped(const char *kernel, const EmuResult *result) {
  Watch *w = watch();
  for (int i = 0; w && i < result->findings; i++) {
    const EmuFinding *f = &result->finding[i];
    const char *message =
        arena_printf(w->arena, "%s ended at %s, unchecked: %s", lint_name_plain(w->arena, kernel),
                     place_of(w->arena, f->file, f->line, f->ptx_line), f->message);
    found(w, (LintHostFinding){
                 .kind = LINT_FAULT, .message = message, .count = 1, .from = host_stack(w->arena)});
  }
  if (w) write_down(w);
}

/* A later launch of the kernel drops the failure. The driver cannot see cudaGetLastError; a program
 * that checks for errors either exits or repeats the launch with other sizes. */
void host_launched(const char *kernel) {
  Watch *w = watch();
  for (int i = 0; w && i < w->failures; i++)
    if (strcmp(w->failure[i].kernel, kernel) == 0) w->failure[i--] = w->failure[--w->failures];
}

void host_called(const char *function) {
  static const char *const works[] = {"cuLaunch", "cuMemcpy", "cuMemset", "cuGraphLaunch"};
  Watch *w = watch();
  if (!w || !w->failures) return;
  for (size_t k = 0; k < sizeof works / sizeof *works; k++)
    if (text_begins_with(function, works[k]))
      for (int i = 0; i < w->failures; i++) w->failure[i].more++;
}

static void find_ignored(Watch *w) {
  for (int i = 0; i < w->failures; i++) {
    const Failure *f = &w->failure[i];
    if (f->more <= 0) continue;
    found(w, (LintHostFinding){
                 .kind = LINT_IGNORED_ERROR,
                 .message = arena_printf(w->arena,
                                         "the launch of %s failed with %s; "
                                         "launches and copies that followed: %" PRId64,
                                         lint_name_plain(w->arena, f->kernel), f->error, f->more),
                 .count = 1,
                 .from = f->from});
  }
}

void host_missed(const char *what) {
  Watch *w = watch();
  if (!w) return;
  for (int i = 0; i < w->missed; i++)
    if (strcmp(w->miss[i], what) == 0) return;
  w->miss = arena_grow(w->arena, w->miss, w->missed, &w->missed_room, sizeof *w->miss);
  w->miss[w->missed++] = copy_of(w, what);
}

void host_module_refused(const char *why) {
  Watch *w = watch();
  if (w && !w->refused) w->refused = copy_of(w, why);
}

void host_unchecked(const char *kernel) {
  enum { MOST = 8 };
  Watch *w = watch();
  if (!w || w->unchecked == MOST) return;
  for (int i = 0; i < w->unchecked; i++)
    if (strcmp(w->name[i], kernel) == 0) return;
  w->name = arena_grow(w->arena, w->name, w->unchecked, &w->unchecked_room, sizeof *w->name);
  w->name[w->unchecked++] = copy_of(w, kernel);
}

/* --- launches that wait --- */

static Waits *waits_of(Watch *w, const char *kernel) {
  const char *name = lint_name_plain(w->arena, kernel);
  for (int i = 0; i < w->waits; i++)
    if (strcmp(w->wait[i].kernel, name) == 0) return &w->wait[i];
  w->wait = arena_grow(w->arena, w->wait, w->waits, &w->waits_room, sizeof *w->wait);
  w->wait[w->waits] = (Waits){copy_of(w, name), 0};
  return &w->wait[w->waits++];
}

/* The file lists the waiting kernels at any time, because the process may end without notice. */
void host_waits(const char *kernel, bool now) {
  Watch *w = watch();
  if (!w) return;
  waits_of(w, kernel)->launches += now ? 1 : -1;
  write_down(w);
}

/* --- the whole --- */

void host_begin(void) {
  const Watch *w = watch();
  if (w) write_down(w);
}

void host_close(bool at_end) {
  Watch *w = watch();
  if (!w) return;
  if (!at_end) {
    write_down(w);
    return;
  }
  find_leaks(w);
  find_ignored(w);
  write_down(w);
}
