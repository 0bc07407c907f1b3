#include "libcuda/work.h"

#include <stdlib.h>
#include <string.h>

#include "libcuda/api.h"
#include "libcuda/memory.h"

/* The program's own function may wait for other threads that call CUDA. */
static CUresult call_host(const Work *w) {
  api_pause();
  w->host.call(w->host.data);
  api_resume();
  return CUDA_SUCCESS;
}

/* A graph's memory has one address, whenever it is there. */
static CUresult alloc(const Work *w) {
  return memory_at(w->memory.address) ? CUDA_SUCCESS
                                      : memory_new_at(w->memory.address, w->memory.bytes);
}

static CUresult record(Event *e) {
  event_stamp(e);
  return CUDA_SUCCESS;
}

CUresult work_run(const Work *w) {
  switch (w->kind) {
  case WORK_KERNEL: return launch_run(&w->kernel);
  case WORK_COPY: return copy_run(&w->copy);
  case WORK_FILL: return fill_run(&w->fill);
  case WORK_HOST: return call_host(w);
  case WORK_RECORD: return record(w->event);
  case WORK_ALLOC: return alloc(w);
  case WORK_FREE: return memory_drop(w->memory.address);
  case WORK_GRAPH:
  case WORK_EMPTY:
  case WORK_WAIT: break;
  }
  return CUDA_SUCCESS;
}

/* Pointers and arguments in one block. */
static void **keep_params(const EmuKernel *k, void **params) {
  const size_t pointers = ((size_t)k->params + 1) * sizeof *params;
  size_t bytes = pointers;
  for (int i = 0; i < k->params; i++) bytes += (k->param[i].bytes + 15) & ~(size_t)15;
  void **kept = malloc(bytes);
  char *at = kept ? (char *)kept + pointers : NULL;
  for (int i = 0; kept && i < k->params; i++) {
    kept[i] = memcpy(at, params[i], k->param[i].bytes);
    at += (k->param[i].bytes + 15) & ~(size_t)15;
  }
  return kept;
}

bool work_keep(Work *out, const Work *w) {
  *out = *w;
  if (w->kind != WORK_KERNEL) return true;
  out->kernel.params = keep_params(w->kernel.function->kernel, w->kernel.params);
  return out->kernel.params != NULL;
}

void work_drop(Work *w) {
  if (w->kind == WORK_KERNEL) free(w->kernel.params);
  w->kind = WORK_EMPTY;
}
