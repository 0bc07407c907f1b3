/* SPDX-License-Identifier: MIT */
#include "lint/report/buffers.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"

#define MAX_EXPECTED ((size_t)4 << 30)

typedef struct {
  Arena *arena;
  const EmuMemory *memory;
  const LintLaunch *launch;
  const LintBoundArguments *placed;
  Diag *why;
} Outputs;

static const char *read_back(const Outputs *o, const LintBuffer *b) {
  char *bytes = arena_alloc(o->arena, b->value->value + 1);
  if (!emu_copy_out(o->memory, bytes, b->address, b->value->value)) die("a buffer that is gone");
  return bytes;
}

/* --- files --- */

static bool dump(const Outputs *o, const LintDump *d) {
  const LintBuffer *b = lint_bound_find(o->placed, d->buffer);
  if (!b) {
    diag_say(o->why, DIAG_ARGUMENT, "--dump %s: no buffer is called %s", d->text, d->buffer);
    return false;
  }
  if (file_write(d->file, read_back(o, b), b->value->value)) return true;
  diag_say(o->why, DIAG_ARGUMENT, "--dump %s: %s", d->text, strerror(errno));
  return false;
}

/* --- expected contents --- */

#define FAIL(o, e, ...) lint_value_fail((o)->arena, (o)->why, "expect", &(e)->want, __VA_ARGS__)

static const char *expected_file(const Outputs *o, const LintExpect *e, uint64_t bytes) {
  size_t size;
  const LintFill *f = &e->want.fill;
  const char *data = file_read(o->arena, f->file, MAX_EXPECTED, &size);
  if (!data)
    FAIL(o, e, "%s: %s", f->file, strerror(errno));
  else if (size < f->offset || size - f->offset < bytes)
    FAIL(o, e, "the file has only %zu bytes, the buffer %llu", size, (unsigned long long)bytes);
  else
    return data + f->offset;
  return NULL;
}

/* Reads `bytes` bytes of expected contents; NULL with the reason in *why. */
static const char *expected(const Outputs *o, const LintExpect *e, const LintFill *f,
                            uint64_t bytes) {
  const char *why = lint_fill_refusal(o->arena, f, bytes);
  if (!why && f->kind == FILL_CSR_COLUMNS) why = "'csr_columns' cannot be expected: give a file";
  if (!why && e->tolerance > 0 && !f->dtype) why = "a tolerance needs a dtype: f32, ...";
  if (why) FAIL(o, e, "%s", why);
  if (why) return NULL;
  if (f->kind == FILL_FILE) return expected_file(o, e, bytes);
  char *data = arena_alloc(o->arena, bytes + 1);
  lint_fill_write(o->arena, f, o->launch->seed, NULL, 0, data, bytes, &why);
  return data;
}

static bool check(const Outputs *o, const LintExpect *e, LintOutput *out) {
  const LintBuffer *b = lint_bound_find(o->placed, e->want.name);
  if (!b) {
    FAIL(o, e, "no buffer is called %s", e->want.name);
    return false;
  }
  LintFill fill = e->want.fill;
  if (!fill.dtype) fill.dtype = b->value->fill.dtype;
  const uint64_t bytes = b->value->value;
  const char *want = expected(o, e, &fill, bytes);
  if (!want) return false;
  *out = lint_output_compare(o->arena, fill.dtype, e->tolerance, read_back(o, b), want, bytes);
  out->name = e->want.name;
  return true;
}

int lint_outputs(Arena *a, const EmuMemory *memory, const LintLaunch *launch,
                 const LintBoundArguments *placed, LintReport *r, Diag *why) {
  const Outputs o = {a, memory, launch, placed, why};
  LintOutput *output = ARENA_ARRAY(a, LintOutput, (size_t)launch->expects + 1);
  int code = 0;
  for (int i = 0; i < launch->dumps; i++)
    if (!dump(&o, &launch->dump[i])) code = EXIT_USAGE;
  for (int i = 0; i < launch->expects; i++) {
    const int is = !check(&o, &launch->expect[i], &output[i]) ? EXIT_BAD_INPUT
                   : output[i].different                      ? EXIT_WRONG
                                                              : 0;
    if (is > code) code = is;
  }
  r->output_count = launch->expects;
  r->output = output;
  return code;
}
