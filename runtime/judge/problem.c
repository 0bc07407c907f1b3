/* SPDX-License-Identifier: MIT */
#include "judge/problem.h"

#include <inttypes.h>
#include <string.h>

#include "judge/value.h"
#include "spec/expr_eval.h"

enum { MAX_GRID_X = INT32_MAX, MAX_GRID_YZ = 65535 };
static const int64_t max_bytes = (int64_t)1 << 40; /* per buffer */

static bool eval(Diag *d, const Problem *p, const Expr *e, int64_t low, int64_t high,
                 int64_t *out) {
  if (!expr_eval(e, p->value, d, out)) return false;
  if (*out >= low && *out <= high) return true;
  diag_error(d, e->loc, "%s is %" PRId64 ", outside of %" PRId64 " to %" PRId64, e->text, *out, low,
             high);
  return false;
}

static bool make_buffers(Arena *a, Diag *d, Problem *p) {
  const ProblemSpec *spec = p->spec->problem;
  p->buffer = ARENA_ARRAY(a, Buffer, (size_t)spec->buffers);
  for (int i = 0; i < spec->buffers; i++) {
    Buffer *b = &p->buffer[i];
    b->spec = &spec->buffer[i];
    const int bytes = b->spec->dtype->bytes;
    if (!eval(d, p, b->spec->count, 0, max_bytes / bytes, &b->count)) return false;
    b->bytes = b->count ? (size_t)b->count * (size_t)bytes : 1;
  }
  return true;
}

static bool eval_or(Diag *d, const Problem *p, const Expr *e, int64_t otherwise, int64_t *out) {
  *out = otherwise;
  return !e || eval(d, p, e, 0, INT64_MAX, out);
}

static bool make_map_dimension(Diag *d, const Problem *p, const MapSpec *spec, int i,
                               TensorMap *out) {
  int64_t dim, stride, box, step;
  if (!eval_or(d, p, spec->dim[i], 0, &dim) || !eval_or(d, p, spec->stride[i], 0, &stride) ||
      !eval_or(d, p, spec->box[i], 0, &box) || !eval_or(d, p, spec->step[i], 1, &step))
    return false;
  out->dim[i] = (uint64_t)dim;
  out->stride[i] = (uint64_t)stride;
  out->box[i] = box > UINT32_MAX ? UINT32_MAX : (uint32_t)box;
  out->step[i] = step > UINT32_MAX ? UINT32_MAX : (uint32_t)step;
  return true;
}

/* The address is set when the buffer has been allocated. */
static bool make_map(Diag *d, const Problem *p, const MapSpec *spec, TensorMap *out) {
  const Dtype *dtype = p->spec->problem->buffer[spec->buffer].dtype;
  int64_t swizzle;
  *out = (TensorMap){.rank = spec->rank, .fill_nan = spec->fill_nan};
  if (!tensor_type_of(dtype, &out->type)) {
    diag_error(d, spec->loc, "a tensor map of %s: elements have at most 8 bytes", dtype->name);
    return false;
  }
  if (!eval_or(d, p, spec->swizzle, 0, &swizzle)) return false;
  out->swizzle = swizzle > INT32_MAX ? INT32_MAX : (int)swizzle;
  for (int i = 0; i < spec->rank; i++)
    if (!make_map_dimension(d, p, spec, i, out)) return false;
  const char *why = tensor_map_refusal(out);
  if (why) diag_error(d, spec->loc, "TMA does not take this tensor map: %s", why);
  return !why;
}

static bool make_arg(Diag *d, const Problem *p, const ArgSpec *spec, ArgValue *out) {
  *out = (ArgValue){0};
  if (spec->buffer >= 0) return true;
  const bool narrow = strcmp(spec->type, "i32") == 0;
  int64_t v;
  if (!eval(d, p, spec->value, narrow ? INT32_MIN : INT64_MIN, narrow ? INT32_MAX : INT64_MAX, &v))
    return false;
  if (strcmp(spec->type, "f32") == 0)
    out->f32 = (float)v;
  else if (narrow)
    out->i32 = (int32_t)v;
  else
    out->i64 = v;
  return true;
}

static bool make_args(Arena *a, Diag *d, Problem *p) {
  const ProblemSpec *spec = p->spec->problem;
  p->arg = ARENA_ARRAY(a, ArgValue, (size_t)spec->args);
  p->map = ARENA_ARRAY(a, TensorMap, (size_t)spec->args);
  for (int i = 0; i < spec->args; i++) {
    const ArgSpec *arg = &spec->arg[i];
    if (!(arg->map ? make_map(d, p, arg->map, &p->map[i]) : make_arg(d, p, arg, &p->arg[i])))
      return false;
  }
  return true;
}

/* The cluster's dimensions must divide the grid's. */
static bool make_cluster(Diag *d, Problem *p) {
  enum { MAX_BLOCKS = 16 };
  for (int i = 0; i < 3 && p->spec->problem->cluster[i]; i++) {
    const Expr *e = p->spec->problem->cluster[i];
    int64_t n;
    if (!eval(d, p, e, 1, MAX_BLOCKS, &n)) return false;
    p->cluster[i] = (unsigned)n;
    if (p->grid[i] % n == 0) continue;
    diag_error(d, e->loc, "a cluster of %" PRId64 " blocks does not divide the grid of %u", n,
               p->grid[i]);
    return false;
  }
  return true;
}

static bool make_grid(Diag *d, Problem *p) {
  p->blocks = 1;
  for (int i = 0; i < 3; i++) {
    int64_t n;
    if (!eval(d, p, p->spec->problem->grid[i], 1, i ? MAX_GRID_YZ : MAX_GRID_X, &n)) return false;
    p->grid[i] = (unsigned)n;
    p->blocks *= n;
  }
  return true;
}

static bool choose_kernel(Arena *a, Diag *d, Problem *p) {
  const ProblemSpec *s = p->spec->problem;
  p->kernel = p->spec->symbol;
  for (int i = 0; i < s->entries; i++) {
    int64_t chosen;
    if (!eval(d, p, s->entry[i].when, 0, INT64_MAX, &chosen)) return false;
    if (!chosen) continue;
    p->kernel = arena_printf(a, "%s_%s", p->spec->symbol, s->entry[i].name);
    return true;
  }
  return true;
}

bool problem_shared_bytes(Diag *d, const Problem *p, int64_t tiles, unsigned *out) {
  const ProblemSpec *s = p->spec->problem;
  Problem of_tiles = *p;
  int64_t bytes = tiles;
  of_tiles.value[s->shared_slot] = tiles;
  if (s->shared && !eval(d, &of_tiles, s->shared, 0, tiles, &bytes)) return false;
  *out = (unsigned)bytes;
  return true;
}

bool problem_make(Arena *a, Diag *d, const Spec *spec, const int64_t *extents, Problem *out) {
  const ProblemSpec *s = spec->problem;
  *out = (Problem){.spec = spec};
  memcpy(out->value, s->value, sizeof out->value);
  memcpy(out->value, extents, (size_t)s->extents * sizeof *extents);
  return make_buffers(a, d, out) && make_args(a, d, out) && make_grid(d, out) &&
         make_cluster(d, out) && choose_kernel(a, d, out) &&
         eval(d, out, s->bytes, 0, INT64_MAX, &out->bytes) &&
         eval_or(d, out, s->flops, 0, &out->flops);
}

void problem_fill(Arena *a, Problem *p, bool any_bits, uint64_t seed) {
  for (int i = 0; i < p->spec->problem->buffers; i++) {
    Buffer *b = &p->buffer[i];
    unsigned char *contents = arena_alloc(a, b->bytes);
    *(b->spec->output ? &b->want : &b->in) = contents;
    if (b->spec->output || b->spec->workspace)
      memset(contents, b->spec->output ? PROBLEM_POISON : 0, b->bytes);
    else
      value_fill(b->spec->dtype, any_bits, seed + (uint64_t)i, contents, b->count);
  }
}

/* --- for references --- */

bool problem_is_dry_run(const Problem *p) { return p->asks != NULL; }

static void miss(const Problem *p, const char *name) {
  const Loc loc = {.source = p->spec->source, .line = 1, .col = 1, .width = 1};
  if (!p->asks) die("the problem has no %s", name);
  diag_error(p->asks, loc, "the reference of family '%s' needs the name '%s' in its problem",
             p->spec->kernel, name);
}

int64_t problem_value(const Problem *p, const char *name) {
  const int slot = names_find(&p->spec->problem->names, name);
  if (slot < 0) miss(p, name);
  return slot < 0 || !p->buffer ? 1 : p->value[slot];
}

static int find_buffer(const Problem *p, const char *name) {
  for (int i = 0; i < p->spec->problem->buffers; i++)
    if (strcmp(p->spec->problem->buffer[i].name, name) == 0) return i;
  miss(p, name);
  return -1;
}

Buffer *problem_buffer(const Problem *p, const char *name) {
  const int i = find_buffer(p, name);
  return problem_is_dry_run(p) ? NULL : &p->buffer[i];
}

int64_t problem_count(const Problem *p, const char *name) {
  const int i = find_buffer(p, name);
  return i < 0 || !p->buffer ? 1 : p->buffer[i].count;
}

void problem_reaches(const Problem *p, const char *name, int64_t elements, const char *of) {
  const int at = find_buffer(p, name), typed = find_buffer(p, of);
  if (!problem_is_dry_run(p) || !p->buffer || at < 0 || typed < 0) return;
  const Buffer *b = &p->buffer[at];
  const Dtype *t = p->buffer[typed].spec->dtype;
  if (elements <= b->count && elements <= (int64_t)b->bytes / t->bytes) return;
  Arena *a = arena_new();
  Text sizes = text_new(a);
  problem_print(&sizes, p);
  diag_error(p->asks, b->spec->count->loc,
             "the reference of family '%s' uses %" PRId64 " elements of %s in '%s', which has "
             "%" PRId64 " of %s at %s",
             p->spec->kernel, elements, t->name, name, b->count, b->spec->dtype->name, sizes.s);
  arena_free(a);
}

void problem_print(Text *out, const Problem *p) {
  const ProblemSpec *s = p->spec->problem;
  for (int i = 0; i < s->extents; i++)
    text_printf(out, "%s%s=%" PRId64, i ? " " : "", s->names.name[i], p->value[i]);
}

const int64_t *problem_times(Arena *a, Diag *d, const Problem *p, const TileSpec *t) {
  int64_t *times = ARENA_ARRAY(a, int64_t, (size_t)t->accesses);
  for (int i = 0; i < t->accesses; i++) {
    times[i] = 1;
    const Expr *e = t->access[i].times;
    if (e && !eval(d, p, e, 0, (int64_t)1 << 40, &times[i])) return NULL;
  }
  return times;
}
