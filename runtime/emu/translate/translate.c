#include "emu/translate/translate.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "emu/arith/arith_resolve.h"
#include "emu/translate/prelude.h"
#include "emu/translate/write.h"

enum { NEEDED_VECTORS = 2 };       /* AVX-512 */
enum { MOST_INSTRUCTIONS = 4096 }; /* of a program: compilers take seconds for more */

struct Translation {
  _Atomic uint64_t counted;
  atomic_bool begun;
  _Atomic(NativeRun *) run;
  atomic_int owners; /* the module, and the thread that compiles */
};

Translation *translation_new(void) {
  Translation *t = calloc(1, sizeof *t);
  if (t) atomic_init(&t->owners, 1);
  return t;
}

void translation_free(Translation *t) {
  if (!t || atomic_fetch_sub(&t->owners, 1) > 1) return;
  free(atomic_load(&t->run));
  free(t);
}

const NativeRun *translation_runs(const Translation *t) {
  return t ? atomic_load_explicit(&((Translation *)t)->run, memory_order_acquire) : NULL;
}

/* --- compiling --- */

typedef struct {
  Translation *translation;
  EmuTranslator translator;
  Arena *arena; /* holds this, too */
  Text text;
  int instructions;
} Job;

/* Entries as a table by instruction. */
static NativeRun *table_of(const NativeEntry *entry, int instructions) {
  NativeRun *table = calloc((size_t)instructions + 1, sizeof *table);
  for (; table && entry && entry->run; entry++)
    if (entry->pc >= 0 && entry->pc < instructions) table[entry->pc] = entry->run;
  return table;
}

static void *compile(void *argument) {
  Job *job = argument;
  Translation *t = job->translation;
  const NativeEntry *entry =
      job->translator.compile(job->translator.context, job->text.s, job->text.len);
  NativeRun *table = entry ? table_of(entry, job->instructions) : NULL;
  atomic_store_explicit(&t->run, table, memory_order_release);
  translation_free(t);
  arena_free(job->arena);
  return NULL;
}

/* No signal of the program's is handled by this thread. */
static bool start_thread(Job *job) {
  pthread_attr_t how;
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_init(&how);
  pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(&thread, &how, compile, job) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&how);
  return started;
}

static Job *new_job(const Program *p, const EmuTranslator *translator) {
  Arena *a = arena_new();
  Job *job = ARENA_NEW(a, Job);
  *job = (Job){p->translation, *translator, a, text_new(a), p->count};
  prelude_write(&job->text);
  if (write_program(a, p, &job->text)) return job;
  arena_free(a);
  return NULL;
}

static void begin(const Program *p, const EmuTranslator *translator) {
  Job *job = new_job(p, translator);
  if (!job) return;
  atomic_fetch_add(&p->translation->owners, 1);
  if (translator->waits || !start_thread(job)) compile(job);
}

void translation_count(const Program *p, const EmuTranslator *translator, uint64_t more) {
  Translation *t = p->translation;
  if (!t || atomic_load_explicit(&t->begun, memory_order_relaxed)) return;
  if (atomic_fetch_add_explicit(&t->counted, more, memory_order_relaxed) + more < translator->after)
    return;
  if (atomic_exchange(&t->begun, true)) return;
  if (arith_most_vectors() >= NEEDED_VECTORS && p->count <= MOST_INSTRUCTIONS) begin(p, translator);
}
