/* SPDX-License-Identifier: MIT */
#include "judge/binding.h"

#include <stdlib.h>
#include <string.h>

#include "judge/value.h"

static int buffer_count(const Bound *b) { return b->problem->spec->problem->buffers; }

static size_t image_bytes(const Device *d, const Buffer *buffer) {
  return buffer->bytes + 2 * d->backend->guard;
}

static uint64_t contents_of(const Device *d, const Bound *b, int buffer) {
  return b->memory[buffer] + d->backend->guard;
}

static bool encode_map(Device *d, Bound *b, int i) {
  TensorMap map = b->problem->map[i];
  unsigned char *out = b->map + (size_t)i * TENSOR_MAP_BYTES;
  map.address = contents_of(d, b, b->problem->spec->problem->arg[i].map->buffer);
  b->arg[i] = out;
  return d->backend->tensor_map_encode(d, &map, out);
}

static size_t arg_bytes(const ArgSpec *arg) {
  if (arg->map) return TENSOR_MAP_BYTES;
  return strcmp(arg->type, "i32") == 0 || strcmp(arg->type, "f32") == 0 ? 4 : 8;
}

static bool point_args(Device *d, Bound *b) {
  const ProblemSpec *spec = b->problem->spec->problem;
  for (int i = 0; i < spec->args; i++) {
    const int buffer = spec->arg[i].buffer;
    b->value[i] = b->problem->arg[i];
    if (buffer >= 0) b->value[i].pointer = contents_of(d, b, buffer);
    b->arg[i] = &b->value[i];
    b->arg_bytes[i] = arg_bytes(&spec->arg[i]);
    if (spec->arg[i].map && !encode_map(d, b, i)) return false;
  }
  return true;
}

/* Storage for one tensor map per argument, aligned as the driver requires. */
static unsigned char *new_maps(Arena *a, int count) {
  const size_t bytes = (size_t)count * TENSOR_MAP_BYTES + TENSOR_MAP_ALIGN;
  const uintptr_t at = (uintptr_t)arena_alloc(a, bytes) + TENSOR_MAP_ALIGN - 1;
  return (unsigned char *)(at - at % TENSOR_MAP_ALIGN);
}

static void start_bound(Arena *a, const Problem *p, Bound *out) {
  const ProblemSpec *spec = p->spec->problem;
  *out = (Bound){.problem = p,
                 .memory = ARENA_ARRAY(a, uint64_t, (size_t)spec->buffers),
                 .borrowed = ARENA_ARRAY(a, bool, (size_t)spec->buffers),
                 .value = ARENA_ARRAY(a, ArgValue, (size_t)spec->args),
                 .arg = ARENA_ARRAY(a, const void *, (size_t)spec->args),
                 .arg_bytes = ARENA_ARRAY(a, size_t, (size_t)spec->args),
                 .map = new_maps(a, spec->args)};
}

static bool allocate(Device *d, Bound *b) {
  for (int i = 0; i < buffer_count(b); i++) {
    if (b->memory[i]) continue;
    const Buffer *buffer = &b->problem->buffer[i];
    b->memory[i] = d->backend->alloc(d, image_bytes(d, buffer), buffer->spec->name);
    if (!b->memory[i]) return false;
  }
  return true;
}

bool bound_shared_bytes(Device *d, const Problem *p, int64_t tiles, unsigned *out) {
  Diag *diag = diag_new(d->arena);
  const bool ok = problem_shared_bytes(diag, p, tiles, out);
  if (!ok) text_puts(&d->error, diag_first(diag));
  return ok;
}

/* Prepares its launch; frees everything on failure. */
static bool finish_bound(Device *d, void *module, unsigned shared_bytes, Bound *b) {
  const Problem *p = b->problem;
  unsigned bytes;
  if (!bound_shared_bytes(d, p, shared_bytes, &bytes) || !allocate(d, b) || !point_args(d, b)) {
    bound_free(d, b);
    return false;
  }
  b->launch = (Launch){.module = module,
                       .kernel = p->kernel,
                       .shared_bytes = bytes,
                       .args = b->arg,
                       .arg_count = p->spec->problem->args,
                       .arg_bytes = b->arg_bytes,
                       .programmatic = p->spec->problem->programmatic};
  for (int i = 0; i < 3; i++) {
    b->launch.grid[i] = p->grid[i];
    b->launch.cluster[i] = p->cluster[i];
    b->launch.block[i] = (unsigned)p->spec->block[i];
  }
  return true;
}

bool bound_make(Arena *a, Device *d, const Problem *p, void *module, unsigned shared_bytes,
                Bound *out) {
  start_bound(a, p, out);
  return finish_bound(d, module, shared_bytes, out);
}

/* Clears the workspaces of a borrower, as the first launch requires. */
static bool clear_workspaces(Device *d, const Bound *b) {
  bool ok = true;
  for (int i = 0; ok && i < buffer_count(b); i++) {
    const Buffer *buffer = &b->problem->buffer[i];
    if (!buffer->spec->workspace) continue;
    unsigned char *zero = calloc(1, buffer->bytes);
    if (!zero) die("out of memory");
    ok = d->backend->upload(d, contents_of(d, b, i), zero, buffer->bytes);
    free(zero);
  }
  return ok;
}

bool bound_borrow(Arena *a, Device *d, const Problem *p, const Bound *owner, void *module,
                  unsigned shared_bytes, Bound *out) {
  start_bound(a, p, out);
  for (int i = 0; i < buffer_count(out); i++) {
    if (p->buffer[i].spec->workspace) continue;
    if (p->buffer[i].bytes > owner->problem->buffer[i].bytes) return false;
    out->memory[i] = owner->memory[i];
    out->borrowed[i] = true;
  }
  if (!finish_bound(d, module, shared_bytes, out)) return false;
  if (clear_workspaces(d, out)) return true;
  bound_free(d, out);
  return false;
}

void bound_free(Device *d, Bound *b) {
  for (int i = 0; i < buffer_count(b); i++)
    if (b->memory[i] && !b->borrowed[i]) d->backend->release(d, b->memory[i]);
}

static unsigned char *new_image(size_t bytes) {
  unsigned char *image = malloc(bytes);
  if (!image) die("out of memory");
  return image;
}

bool bound_upload(Device *d, const Bound *b) {
  bool ok = true;
  for (int i = 0; ok && i < buffer_count(b); i++) {
    const Buffer *buffer = &b->problem->buffer[i];
    const size_t bytes = image_bytes(d, buffer);
    unsigned char *image = new_image(bytes);
    memset(image, PROBLEM_POISON, bytes);
    if (!buffer->spec->output) memcpy(image + d->backend->guard, buffer->in, buffer->bytes);
    ok = d->backend->upload(d, b->memory[i], image, bytes);
    free(image);
  }
  return ok;
}

bool bound_upload_random(Device *d, const Bound *b, uint64_t seed) {
  enum { PIECE = 32 << 20 };
  unsigned char *piece = new_image(PIECE);
  bool ok = true;
  for (int i = 0; ok && i < buffer_count(b); i++) {
    const Buffer *buffer = &b->problem->buffer[i];
    if (buffer->spec->output) continue;
    const Dtype *t = buffer->spec->dtype;
    if (buffer->spec->workspace)
      memset(piece, 0, PIECE);
    else
      value_fill(t, false, seed + (uint64_t)i, piece, PIECE / t->bytes);
    const uint64_t start = b->memory[i] + d->backend->guard;
    for (size_t at = 0; ok && at < buffer->bytes; at += PIECE) {
      const size_t rest = buffer->bytes - at;
      ok = d->backend->upload(d, start + at, piece, rest < PIECE ? rest : PIECE);
    }
  }
  free(piece);
  return ok;
}

static bool has_changed(Device *d, const Bound *b, int i, bool *changed) {
  const Buffer *buffer = &b->problem->buffer[i];
  unsigned char *now = new_image(buffer->bytes);
  const bool ok = d->backend->download(d, now, contents_of(d, b, i), buffer->bytes);
  *changed = ok && memcmp(now, buffer->in, buffer->bytes) != 0;
  free(now);
  return ok;
}

bool bound_workspace_used(Device *d, const Bound *b, bool *used) {
  bool ok = true;
  *used = false;
  for (int i = 0; ok && i < buffer_count(b) && !*used; i++) {
    if (!b->problem->buffer[i].spec->workspace) continue;
    if (d->backend->timed)
      *used = true;
    else
      ok = has_changed(d, b, i, used);
  }
  return ok;
}

bool bound_check(Device *d, const Bound *b, Check *out, Text *report) {
  *out = (Check){.correct = true};
  bool ok = true;
  for (int i = 0; ok && i < buffer_count(b); i++) {
    const Buffer *buffer = &b->problem->buffer[i];
    const size_t bytes = image_bytes(d, buffer);
    unsigned char *image = new_image(bytes);
    ok = d->backend->download(d, image, b->memory[i], bytes);
    if (ok) {
      const Check one = check_buffer(buffer, image, d->backend->guard, report);
      check_merge(out, &one);
    }
    free(image);
  }
  return ok;
}
