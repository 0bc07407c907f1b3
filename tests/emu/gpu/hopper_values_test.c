/* SPDX-License-Identifier: MIT */
/* The probes of data/hopper.txt have the same results on the GPU and on the emulator. With argument
 * "list": also prints data/hopper.txt as measured here; with another argument: only the probes
 * whose names contain it. */
#include <stdlib.h>

#include "device/backend.h"
#include "emu/hopper_probes.h"

enum { SHOWN = 6 };

typedef struct {
  Device *gpu;
  bool prints;
  const char *part;
} Run;

static bool encode(Device *d, Probe *p, uint64_t base) {
  _Alignas(TENSOR_MAP_ALIGN) unsigned char bytes[TENSOR_MAP_BYTES];
  for (int i = 0; i < p->maps; i++) {
    TensorMap m = p->map[i];
    m.address += base;
    if (!d->backend->tensor_map_encode(d, &m, bytes)) return false;
    memcpy(p->in + TENSOR_MAP_BYTES * i, bytes, sizeof bytes);
  }
  return true;
}

/* p->out of the GPU. */
static bool launch(Device *d, Probe *p, unsigned char *result) {
  const Backend *on = d->backend;
  const Jit jit = {.image = p->ptx, .size = strlen(p->ptx) + 1};
  void *module = on->load(d, &jit, "k", 0);
  const uint64_t in = on->alloc(d, p->in_bytes, "in"), out = on->alloc(d, p->out_bytes, "out");
  const void *const args[] = {&in, &out};
  const Launch l = {.module = module,
                    .kernel = "k",
                    .grid = {p->blocks, 1, 1},
                    .block = {p->threads, 1, 1},
                    .cluster = {p->cluster, 1, 1},
                    .args = args};
  const bool ok = module && in && out && encode(d, p, p->maps_of_out ? out : in) &&
                  on->upload(d, in, p->in, p->in_bytes) &&
                  on->upload(d, out, p->out, p->out_bytes) && on->launch(d, &l) &&
                  on->download(d, result, out, p->out_bytes);
  CHECK(ok, "%s: %s", p->name, d->error.s);
  on->release(d, in);
  on->release(d, out);
  if (module) on->unload(d, module);
  return ok;
}

static void compare(Probe *p, const unsigned char *gpu) {
  uint64_t count = 0;
  for (uint64_t at = 0; at < p->out_bytes; at += 4) {
    uint32_t is, want;
    memcpy(&want, gpu + at, sizeof want);
    memcpy(&is, p->out + at, sizeof is);
    if (is == want || count++ >= SHOWN) continue;
    fprintf(stderr, "%s: byte %llu: GPU %08x, emulator %08x\n", p->name, (unsigned long long)at,
            want, is);
  }
  CHECK(count == 0, "%s: %llu of %llu words differ", p->name, (unsigned long long)count,
        (unsigned long long)p->out_bytes / 4);
}

static void visit(Probe *p, void *context) {
  const Run *run = context;
  if (run->part && !strstr(p->name, run->part)) return;
  unsigned char *gpu = calloc(1, p->out_bytes), *before = p->out;
  if (!launch(run->gpu, p, gpu)) exit(check_report("emu_hopper_values_gpu"));
  p->out = gpu;
  if (run->prints) printf("%08x %s\n", probe_sum(p), p->name);
  p->out = before;
  probe_emulate(p, false);
  compare(p, gpu);
  free(gpu);
}

/* --- maps that the driver rejects --- */

/* One member of a map is any number near one that matters. */
static void spoil(uint64_t *state, TensorMap *m) {
  static const uint64_t odd[] = {0,  1,  2,  3,  7,  8,   9,   15,  16,
                                 24, 32, 48, 64, 96, 128, 255, 256, 257};
  const uint64_t number = odd[isa_pick(state, sizeof odd / sizeof *odd)];
  const uint64_t large = (UINT64_C(1) << (30 + isa_pick(state, 12))) + number - 16;
  const int i = (int)isa_pick(state, TENSOR_MAX_RANK);
  switch (isa_pick(state, 9)) {
  case 0: m->dim[i] = isa_pick(state, 2) ? number : large; break;
  case 1: m->stride[i] = isa_pick(state, 2) ? number : large; break;
  case 2: m->box[i] = (uint32_t)number; break;
  case 3: m->step[i] = (uint32_t)number; break;
  case 4: m->address += number; break;
  case 5: m->fill_nan = !m->fill_nan; break;
  case 6: m->type = (TensorType)isa_pick(state, TENSOR_TYPES); break;
  case 7: m->rank = (int)isa_pick(state, 5) + 1; break;
  default: m->swizzle = isa_pick(state, 2) ? 128 : 0; break;
  }
}

static void show_map(const TensorMap *m) {
  fprintf(stderr, "  type %d rank %d swizzle %d nan %d address 0x%llx:", m->type, m->rank,
          m->swizzle, m->fill_nan, (unsigned long long)m->address);
  for (int i = 0; i < m->rank; i++)
    fprintf(stderr, " dim %llu stride %llu box %u step %u;", (unsigned long long)m->dim[i],
            (unsigned long long)m->stride[i], m->box[i], m->step[i]);
  fputc('\n', stderr);
}

static void compare_refusals(Device *d) {
  enum { MAPS = 20000 };
  _Alignas(TENSOR_MAP_ALIGN) unsigned char bytes[TENSOR_MAP_BYTES];
  uint64_t state = 99;
  const uint64_t memory = d->backend->alloc(d, TN_DATA, "maps");
  for (int i = 0; i < MAPS; i++) {
    const int op = (int)isa_pick(&state, 2), rank = (int)isa_pick(&state, TENSOR_MAX_RANK) + 1;
    const TnForm f = {&tn_ops[op], (TensorType)isa_pick(&state, TENSOR_TYPES), rank};
    TensorMap m;
    tn_choose(&state, &f, 0, &m);
    m.address += memory;
    for (uint64_t k = isa_pick(&state, 3); k > 0; k--) spoil(&state, &m);
    const char *why = tensor_map_refusal(&m);
    const bool takes = d->backend->tensor_map_encode(d, &m, bytes);
    CHECK(takes == !why, "the driver %s it; here: %s", takes ? "takes" : "refuses",
          why ? why : "taken");
    if (takes == !!why) show_map(&m);
  }
  d->backend->release(d, memory);
}

int main(int argc, char **argv) {
  Arena *a = arena_new();
  Text why = text_new(a);
  Run run = {.gpu = backend_open(a, "cuda", &why)};
  if (!run.gpu) return check_skip("emu_hopper_values_gpu", why.s);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "list") == 0)
      run.prints = true;
    else
      run.part = argv[i];
  }
  probes_visit(visit, &run);
  if (!run.part || strcmp(run.part, "maps") == 0) compare_refusals(run.gpu);
  backend_close(run.gpu);
  arena_free(a);
  return check_report("emu_hopper_values_gpu");
}
