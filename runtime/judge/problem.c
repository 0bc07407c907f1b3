#include "judge/problem.h"

#include <inttypes.h>
#include <string.h>

#include "judge/value.h"
#include "spec/expr_eval.h"

enum { MAX_GRID_X = INT32_MAX, MAX_GRID_YZ = 65535 };
static const int64_t max_bytes = (int64_t)1 << 40; /* of one buffer */

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
  for (int i = 0; i < spec->args; i++)
    if (!make_arg(d, p, &spec->arg[i], &p->arg[i])) return false;
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

bool problem_make(Arena *a, Diag *d, const Spec *spec, const int64_t *extents, Problem *out) {
  const ProblemSpec *s = spec->problem;
  *out = (Problem){.spec = spec};
  memcpy(out->value, s->value, sizeof out->value);
  memcpy(out->value, extents, (size_t)s->extents * sizeof *extents);
  return make_buffers(a, d, out) && make_args(a, d, out) && make_grid(d, out) &&
         eval(d, out, s->bytes, 0, INT64_MAX, &out->bytes);
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

bool problem_only_asks(const Problem *p) { return p->missing != NULL; }

static void miss(const Problem *p, const char *name) {
  if (!p->missing) die("the problem has no %s", name);
  text_printf(p->missing, "%s\n", name);
}

int64_t problem_value(const Problem *p, const char *name) {
  const int slot = names_find(&p->spec->problem->names, name);
  if (slot < 0) miss(p, name);
  return problem_only_asks(p) ? 1 : p->value[slot];
}

Buffer *problem_buffer(const Problem *p, const char *name) {
  for (int i = 0; i < p->spec->problem->buffers; i++)
    if (strcmp(p->spec->problem->buffer[i].name, name) == 0)
      return problem_only_asks(p) ? NULL : &p->buffer[i];
  miss(p, name);
  return NULL;
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
