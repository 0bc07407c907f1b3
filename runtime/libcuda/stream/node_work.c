/* SPDX-License-Identifier: MIT */
/* node_work.c: converts the parameters of graph nodes to work, and back. */
#include "libcuda/stream/node_work.h"

#include <string.h>

#include "libcuda/state/call.h"
#include "libcuda/state/context.h"
#include "libcuda/state/handle.h"

static NodeWork refused(CUresult error) { return (NodeWork){.error = error}; }

static NodeWork invalid(void) { return refused(CUDA_ERROR_INVALID_VALUE); }

static NodeWork accepted(Work w) { return (NodeWork){.work = w}; }

NodeWork node_work_kernel(const KernelParams *p) {
  if (!p) return invalid();
  Function *f = p->function ? p->function : p->kernel;
  KernelLaunch l = {
      .function = module_knows(f) ? f : NULL, .shared_bytes = p->shared_bytes, .params = p->params};
  memcpy(l.grid, p->grid, sizeof l.grid);
  memcpy(l.block, p->block, sizeof l.block);
  void **unpacked = p->params ? NULL : launch_unpack(l.function, p->extra);
  if (unpacked) l.params = unpacked;
  return (NodeWork){launch_check(&l), {.kind = WORK_KERNEL, .kernel = l}, unpacked};
}

NodeWork node_work_copy(const Box3D *box) {
  if (!box) return invalid();
  const Copy c = copy_of_box(box);
  return copy_check(&c) ? invalid() : accepted((Work){.kind = WORK_COPY, .copy = c});
}

NodeWork node_work_fill(const Fill *fill) {
  return fill && !fill_check(fill) ? accepted((Work){.kind = WORK_FILL, .fill = *fill}) : invalid();
}

NodeWork node_work_host(const HostParams *p) {
  if (!p || !p->call) return invalid();
  return accepted((Work){.kind = WORK_HOST, .host = {.call = p->call, .data = p->data}});
}

NodeWork node_work_graph(Graph *graph) {
  if (!handle_is(graph, HANDLE_GRAPH)) return invalid();
  return graph_allocates(graph) ? refused(CUDA_ERROR_NOT_SUPPORTED)
                                : accepted((Work){.kind = WORK_GRAPH, .graph = graph});
}

NodeWork node_work_event(WorkKind kind, CUevent event) {
  if (!handle_is(event, HANDLE_EVENT)) return invalid();
  return accepted((Work){.kind = kind, .event = event});
}

NodeWork node_work_free(CUdeviceptr address) {
  return accepted((Work){.kind = WORK_FREE, .memory = {address, 0}});
}

NodeWork node_work_any(const NodeParams *p) {
  if (!p) return invalid();
  switch (p->type) {
  case WORK_KERNEL: return node_work_kernel(&p->kernel);
  case WORK_COPY: return node_work_copy(&p->copy.box);
  case WORK_FILL: return node_work_fill(&p->fill);
  case WORK_HOST: return node_work_host(&p->host);
  case WORK_GRAPH: return node_work_graph(p->graph);
  case WORK_EMPTY: return accepted((Work){.kind = WORK_EMPTY});
  case WORK_WAIT:
  case WORK_RECORD: return node_work_event((WorkKind)p->type, p->event);
  case WORK_FREE: return node_work_free(p->address);
  default: return refused(api_missing("a graph node of that kind"));
  }
}

/* --- back --- */

KernelParams node_params_kernel(const Work *w) {
  Function *f = w->kernel.function;
  KernelParams out = {.function = f,
                      .kernel = f->module->library ? f : NULL,
                      .context = context_current(),
                      .shared_bytes = w->kernel.shared_bytes,
                      .params = w->kernel.params};
  memcpy(out.grid, w->kernel.grid, sizeof out.grid);
  memcpy(out.block, w->kernel.block, sizeof out.block);
  return out;
}

static Side3D side_of(const CopySide *s) {
  const CUmemorytype type = s->array ? MEMORY_ARRAY : MEMORY_UNIFIED;
  return (Side3D){.x = s->x,
                  .y = s->y,
                  .z = s->z,
                  .type = type,
                  .device = s->address,
                  .array = s->array,
                  .pitch = s->pitch,
                  .height = s->height};
}

Box3D node_params_copy(const Work *w) {
  return (Box3D){side_of(&w->copy.from), side_of(&w->copy.to), w->copy.width, w->copy.height,
                 w->copy.depth};
}
