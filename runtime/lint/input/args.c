/* SPDX-License-Identifier: MIT */
#include "lint/input/args.h"

#include <string.h>

#include "lint/input/signature.h"

/* A larger grid would take minutes; a small one has the same conflicts per line. */
enum { MAX_THREADS = 1 << 24 };

/* --- extents --- */

/* Parses "X", "X,Y" or "X,Y,Z"; missing extents are 1. */
static bool read_size(const char *name, const char *s, uint32_t out[3], Diag *why) {
  out[0] = out[1] = out[2] = 1;
  if (!s) {
    diag_say(why, DIAG_ARGUMENT, "--%s X,Y,Z is missing", name);
    return false;
  }
  const char *at = s;
  for (int d = 0; d < 3; d++) {
    uint64_t v;
    if (!lint_number_count(at, &v, &at) || v == 0 || v > INT32_MAX) break;
    out[d] = (uint32_t)v;
    if (!*at) return true;
    if (*at++ != ',') break;
  }
  diag_say(why, DIAG_ARGUMENT, "--%s %s: not X,Y,Z with numbers from 1 to %d", name, s, INT32_MAX);
  return false;
}

/* --- arguments and variables --- */

static bool read_args(Arena *a, const OptionList *given, LintLaunch *out, Diag *why) {
  LintValue *arg = ARENA_ARRAY(a, LintValue, (size_t)given->count + 1);
  bool ok = true;
  for (int i = 0; i < given->count; i++)
    ok = lint_value_read(a, "arg", given->item[i], given->item[i], &arg[i], why) && ok;
  out->args = given->count;
  out->arg = arg;
  return ok;
}

static bool read_variable(Arena *a, const char *text, LintVariable *out, Diag *why) {
  const char *equals = strchr(text, '=');
  *out = (LintVariable){.value = {.text = text}};
  if (!equals || equals == text) {
    diag_say(why, DIAG_ARGUMENT, "--variable %s: not NAME=VALUE", text);
    return false;
  }
  out->name = arena_strndup(a, text, (size_t)(equals - text));
  if (strncmp(equals + 1, "data:", 5) != 0 || !equals[6])
    return lint_value_read(a, "variable", text, equals + 1, &out->value, why);
  const bool random = strcmp(equals + 6, "random") == 0;
  out->filled = true;
  out->value.fill.kind = random ? FILL_RANDOM : FILL_FILE;
  out->value.fill.file = random ? NULL : equals + 6;
  return true;
}

static bool read_variables(Arena *a, const OptionList *given, LintLaunch *out, Diag *why) {
  LintVariable *variable = ARENA_ARRAY(a, LintVariable, (size_t)given->count + 1);
  bool ok = true;
  for (int i = 0; i < given->count; i++)
    ok = read_variable(a, given->item[i], &variable[i], why) && ok;
  out->variables = given->count;
  out->variable = variable;
  return ok;
}

/* The option's setter has already checked the form. */
void lint_args_dumps(Arena *a, const Options *o, LintLaunch *out) {
  const OptionList *given = &o->lint.dump;
  LintDump *dump = ARENA_ARRAY(a, LintDump, (size_t)given->count + 1);
  for (int i = 0; i < given->count; i++) {
    const char *text = given->item[i], *equals = strchr(text, '=');
    dump[i] = (LintDump){text, arena_strndup(a, text, (size_t)(equals - text)), equals + 1};
  }
  out->dumps = given->count;
  out->dump = dump;
}

/* --- the whole launch --- */

const char *lint_args_refusal(Arena *a, const LintLaunch *l) {
  uint64_t threads = 1;
  for (int d = 0; d < 3; d++) {
    threads *= l->block[d];
    if (threads > MAX_THREADS) break;
    threads *= l->grid[d];
    if (threads > MAX_THREADS) break;
  }
  if (threads <= MAX_THREADS) return NULL;
  return arena_printf(a,
                      "more than %d threads in all: give a smaller grid, conflicts by line show in "
                      "a few blocks",
                      MAX_THREADS);
}

static bool fits(Arena *a, const LintLaunch *l, Diag *why) {
  const char *refusal = lint_args_refusal(a, l);
  if (refusal) diag_say(why, DIAG_ARGUMENT, "%s", refusal);
  return !refusal;
}

static bool read_sizes(Arena *a, const Options *o, LintLaunch *out, Diag *why) {
  bool ok = read_size("grid", o->lint.grid, out->grid, why);
  if (o->lint.cluster) ok = read_size("cluster", o->lint.cluster, out->cluster, why) && ok;
  ok = read_size("block", o->lint.block, out->block, why) && ok;
  return ok && fits(a, out, why);
}

bool lint_args_read(Arena *a, const Options *o, LintLaunch *out, Diag *why) {
  *out = (LintLaunch){.smem = (uint32_t)o->lint.smem,
                      .max_steps = o->lint.max_steps,
                      .max_conflicts = o->lint.max_conflicts,
                      .seed = o->seed};
  bool ok = read_sizes(a, o, out, why);
  lint_args_dumps(a, o, out);
  ok = read_args(a, &o->lint.arg, out, why) && ok;
  return read_variables(a, &o->lint.variable, out, why) && ok;
}

/* The type of a number for a parameter; NULL for a structure. */
static const Dtype *number_type(const EmuParam *p) {
  static const char *const integer[] = {[1] = "i8", [2] = "i16", [4] = "i32", [8] = "i64"};
  if (p->type[0] == 'b' || p->bytes > 8) return NULL;
  if (p->type[0] == 'f') return dtype_find(p->bytes == 4 ? "f32" : "f64");
  return integer[p->bytes] ? dtype_find(integer[p->bytes]) : NULL;
}

/* The kinds of values that may be given for an untyped argument; NULL: a number of the parameter's
 * type. PTX often has one type for pointers and 8-byte integers, so the C++ signature decides. */
static const char *instead_of_number(Arena *a, const EmuKernel *kernel, int i, const char *text) {
  const EmuParam *p = &kernel->param[i];
  const char *signature = lint_signature_of(a, kernel->name);
  const char *type = signature ? lint_signature_param(a, signature, i) : "";
  if (p->pointer || text_ends_with(type, "*"))
    return arena_printf(a, "is a pointer: give buf:%s, a buffer of that many bytes", text);
  if (p->type[0] == 'u' && p->bytes == 8 && !*type)
    return arena_printf(a, "has 8 bytes: give buf:%s for a pointer, i64:%s for a number", text,
                        text);
  if (number_type(p)) return NULL;
  return arena_printf(a, "is a structure of %u bytes: give {MEMBER,...}, raw:%u, or f16:%s",
                      p->bytes, p->bytes, text);
}

/* An argument without a parameter may be a number of any type, because lint_bind_arguments()
 * compares the counts. */
static bool read_untyped(Arena *a, const EmuKernel *kernel, int i, LintValue *v, Diag *why) {
  const char *text = v->text;
  if (i >= kernel->params) return lint_value_number(dtype_find("f64"), text, v);
  const char *instead = instead_of_number(a, kernel, i, text);
  const Dtype *dtype = number_type(&kernel->param[i]);
  if (!instead && lint_value_number(dtype, text, v)) return true;
  if (!instead) instead = arena_printf(a, "is a number of type %s", dtype->name);
  diag_say(why, DIAG_ARGUMENT, "--arg %s: parameter %d %s", text, i + 1, instead);
  return false;
}

bool lint_args_type(Arena *a, const EmuKernel *kernel, LintLaunch *launch, Diag *why) {
  bool ok = true;
  LintValue *arg = ARENA_ARRAY(a, LintValue, (size_t)launch->args + 1);
  for (int i = 0; i < launch->args; i++) {
    arg[i] = launch->arg[i];
    if (arg[i].kind == LINT_NUMBER && !arg[i].dtype)
      ok = read_untyped(a, kernel, i, &arg[i], why) && ok;
  }
  launch->arg = arg;
  return ok;
}

/* Dynamic arrays begin after the static ones, at an aligned offset. */
uint32_t lint_args_shared(const EmuKernel *kernel, uint32_t smem) {
  uint32_t end = kernel->static_shared;
  for (int i = 0; i < kernel->shared_vars; i++) {
    const EmuSharedVar *v = &kernel->shared_var[i];
    if (!v->bytes && v->offset > end) end = v->offset;
  }
  return end + smem;
}
