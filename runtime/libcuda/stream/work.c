/* SPDX-License-Identifier: MIT */
#include "libcuda/stream/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "libcuda/state/allocation.h"
#include "libcuda/state/call.h"
#include "libcuda/state/context.h"

/* Calls a host function without the lock, because it may wait for other threads that call CUDA. */
static CUresult call_host(const Work *w) {
  const CUresult status = context_current()->error;
  api_pause();
  if (w->host.callback)
    w->host.callback(w->host.stream, status, w->host.data);
  else
    w->host.call(w->host.data);
  api_resume();
  return CUDA_SUCCESS;
}

/* An allocation node always allocates the same address. */
static CUresult alloc(const Work *w) {
  return allocation_at(w->memory.address) ? CUDA_SUCCESS
                                          : allocation_new_at(w->memory.address, w->memory.bytes);
}

static CUresult record(Event *e) {
  event_pass(e);
  return CUDA_SUCCESS;
}

/* --- words --- */

/* CUstreamWaitValue_flags. */
enum { WAIT_AT_LEAST, WAIT_EQUAL, WAIT_AND, WAIT_NOR, WAIT_FLAGS = 3 };

/* Tests the condition of a wait. Differences of 32-bit words wrap at 32 bits. */
static bool is_there(uint64_t found, uint64_t want, unsigned flags, bool wide) {
  switch (flags & WAIT_FLAGS) {
  case WAIT_AT_LEAST:
    return wide ? (int64_t)(found - want) >= 0 : (int32_t)((uint32_t)found - (uint32_t)want) >= 0;
  case WAIT_EQUAL: return found == want;
  case WAIT_AND: return (found & want) != 0;
  default: return wide ? ~(found | want) != 0 : (uint32_t) ~(found | want) != 0;
  }
}

static CUresult run_word(const WordOp *op, bool *waits) {
  const bool wide = op->operation == WORD_WAIT_64 || op->operation == WORD_WRITE_64;
  const size_t bytes = wide ? sizeof(uint64_t) : sizeof(uint32_t);
  void *word = allocation_view(op->word.address, bytes);
  uint64_t found = 0;
  if (op->operation == WORD_FLUSH || op->operation == WORD_BARRIER) return CUDA_SUCCESS;
  if (!word || op->operation > WORD_BARRIER || op->operation < WORD_WAIT_32)
    return CUDA_ERROR_INVALID_VALUE;
  if (op->operation == WORD_WRITE_32 || op->operation == WORD_WRITE_64) {
    memcpy(word, &op->word.value, bytes);
    return CUDA_SUCCESS;
  }
  memcpy(&found, word, bytes);
  const uint64_t want = wide ? op->word.value : (uint32_t)op->word.value;
  *waits = !is_there(found, want, op->word.flags, wide);
  return CUDA_SUCCESS;
}

CUresult work_words(const Work *w, unsigned *done) {
  CUresult result = CUDA_SUCCESS;
  bool waits = false;
  while (!result && !waits && *done < w->words.count) {
    result = run_word(&w->words.op[*done], &waits);
    *done += !result && !waits;
  }
  return result;
}

/* Fails if a word does not have its value yet: a graph's nodes run within one call, so that a later
 * write would never happen. */
static CUresult run_words(const Work *w) {
  unsigned done = 0;
  const CUresult result = work_words(w, &done);
  if (result || done == w->words.count) return result;
  return api_missing("waiting in a graph for a value that is written later");
}

CUresult work_run(const Work *w) {
  switch (w->kind) {
  case WORK_KERNEL: return launch_run(&w->kernel);
  case WORK_COPY: return copy_run(&w->copy);
  case WORK_FILL: return fill_run(&w->fill);
  case WORK_HOST: return call_host(w);
  case WORK_RECORD: return record(w->event);
  case WORK_WORDS: return run_words(w);
  case WORK_ALLOC: return alloc(w);
  case WORK_FREE: return allocation_drop(w->memory.address);
  case WORK_GRAPH:
  case WORK_CONDITION:
  case WORK_EMPTY:
  case WORK_WAIT: break;
  }
  return CUDA_SUCCESS;
}

/* Copies the arguments and the array of pointers to them into one block. */
static void **keep_params(const EmuKernel *k, void **params) {
  const size_t pointers = ((size_t)k->params + 1) * sizeof *params;
  size_t bytes = pointers;
  for (int i = 0; i < k->params; i++) bytes += number_up_bytes(k->param[i].bytes, 16);
  void **kept = malloc(bytes);
  char *at = kept ? (char *)kept + pointers : NULL;
  for (int i = 0; kept && i < k->params; i++) {
    kept[i] = memcpy(at, params[i], k->param[i].bytes);
    at += number_up_bytes(k->param[i].bytes, 16);
  }
  return kept;
}

static bool keep_words(Work *out, const Work *w) {
  WordOp *op = calloc((size_t)w->words.count + 1, sizeof *op);
  if (op) memcpy(op, w->words.op, w->words.count * sizeof *op);
  out->words.op = op;
  return op != NULL;
}

bool work_keep(Work *out, const Work *w) {
  *out = *w;
  if (w->kind == WORK_WORDS) return keep_words(out, w);
  if (w->kind != WORK_KERNEL) return true;
  out->kernel.kept = w->kernel.function->id;
  out->kernel.params = keep_params(w->kernel.function->kernel, w->kernel.params);
  return out->kernel.params != NULL;
}

void work_drop(Work *w) {
  if (w->kind == WORK_KERNEL) free(w->kernel.params);
  if (w->kind == WORK_WORDS) free((WordOp *)(uintptr_t)w->words.op);
  w->kind = WORK_EMPTY;
}
