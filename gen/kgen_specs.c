/* SPDX-License-Identifier: MIT */
/* kgen_specs.c: the handle, and the functions of kgen.h for specs and single instructions. */
#include "kgen.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "emit/explain.h"
#include "kgen_handle.h"
#include "model/bank.h"

static const char version[] = KGEN_VERSION;

const char *kgen_version(void) { return version; }

/* --- the handle --- */

/* Finds the templates relative to the library in PREFIX/lib or PREFIX/lib/x86_64-linux-gnu, or
 * relative to a command in PREFIX/bin that links the static library. */
static const char *beside_library(Arena *a) {
  static const char *const up[] = {"..", "../..", "."};
  Dl_info info;
  if (!dladdr(version, &info) || !info.dli_fname) return NULL;
  const char *own = path_folder(a, info.dli_fname);
  for (size_t i = 0; i < sizeof up / sizeof *up; i++) {
    const char *folder = arena_printf(a, "%s/%s/share/kgen/templates", own, up[i]);
    if (access(arena_printf(a, "%s/layout.h", folder), R_OK) == 0) return folder;
  }
  return NULL;
}

static const char *find_templates(Arena *a) {
  const char *env = getenv("KGEN_TEMPLATES"), *beside = beside_library(a);
  if (env && *env) return arena_strndup(a, env, strlen(env));
  return beside ? beside : "templates";
}

Kgen *kgen_open(const char *template_dir) {
  Arena *a = arena_new();
  Kgen *k = ARENA_NEW(a, Kgen);
  k->arena = a;
  k->templates = templates_open(a, template_dir ? template_dir : find_templates(a));
  k->batch = batch_new(a, diag_new(a));
  k->text = text_new(a);
  k->numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!k->numbers) die("the locale C is missing");
  return k;
}

void kgen_free(Kgen *k) {
  if (!k) return;
  freelocale(k->numbers);
  arena_free(k->arena);
}

int kgen_error_count(const Kgen *k) { return k->errors; }

const KgenError *kgen_error(const Kgen *k, int i) {
  return i >= 0 && i < k->errors ? &k->error[i] : NULL;
}

/* Returns a copy, because k->text moves as it grows. */
const char *kgen_errors(Kgen *k) { return arena_strndup(k->arena, k->text.s, k->text.len); }

/* --- specs --- */

static bool refuse_missing(Kgen *k, const char *what) {
  return handle_refuse(k, KGEN_BAD_ARGUMENT, "%s is not given", what);
}

static bool add(Kgen *k, const char *path, const Source *source) {
  const SpecOptions options = {.templates = k->templates, .source = source};
  k->batch.diag = diag_new(k->arena);
  const char *kept = arena_strndup(k->arena, path, strlen(path));
  const locale_t before = handle_enter(k);
  const bool added = batch_add(&k->batch, kept, &options) != NULL;
  handle_leave(before);
  if (!added) handle_take(k, KGEN_BAD_SPEC, k->batch.diag);
  return added;
}

bool kgen_add(Kgen *k, const char *spec_path) {
  return spec_path ? add(k, spec_path, NULL) : refuse_missing(k, "the spec's path");
}

bool kgen_add_text(Kgen *k, const char *name, const char *text) {
  if (!name) return refuse_missing(k, "the text's name");
  if (!text) return refuse_missing(k, "the text");
  Source *source = ARENA_NEW(k->arena, Source);
  source->path = arena_strndup(k->arena, name, strlen(name));
  source->len = strlen(text);
  source->text = arena_strndup(k->arena, text, source->len);
  return add(k, name, source);
}

int kgen_count(const Kgen *k) { return k->batch.count; }

static const BatchItem *item_at(const Kgen *k, int i) {
  return i >= 0 && i < k->batch.count ? &k->batch.item[i] : NULL;
}

const char *kgen_name(const Kgen *k, int i) {
  const BatchItem *item = item_at(k, i);
  return item ? item->spec->name : NULL;
}

const char *kgen_file(const Kgen *k, int i) {
  const BatchItem *item = item_at(k, i);
  return item ? item->out.file : NULL;
}

const char *kgen_source(const Kgen *k, int i) {
  const BatchItem *item = item_at(k, i);
  return item ? item->out.text : NULL;
}

bool kgen_conflict_free(const Kgen *k, int i) {
  const BatchItem *item = item_at(k, i);
  return item && item->plan->conflict_free;
}

const char *kgen_explain(Kgen *k, int i) {
  const BatchItem *item = item_at(k, i);
  Text text = text_new(k->arena);
  const locale_t before = handle_enter(k);
  if (item) explain_plan(&text, k->arena, item->plan, -1, false);
  handle_leave(before);
  return item ? text.s : NULL;
}

const char *kgen_svg(Kgen *k, int i) {
  const BatchItem *item = item_at(k, i);
  return item ? handle_draw(k, item->plan) : NULL;
}

const char *kgen_json(Kgen *k) {
  Text text = text_new(k->arena);
  const locale_t before = handle_enter(k);
  batch_json(&k->batch, &text, NULL, NULL, NULL);
  handle_leave(before);
  return text.s;
}

static bool has_bad_spec(const Kgen *k) {
  bool bad = false;
  for (int i = 0; i < k->errors; i++) bad = bad || k->error[i].kind == KGEN_BAD_SPEC;
  return bad;
}

bool kgen_write(Kgen *k, const char *folder) {
  Text why = text_new(k->arena);
  if (!folder) return refuse_missing(k, "the folder");
  if (has_bad_spec(k)) return false;
  const locale_t before = handle_enter(k);
  const bool written = batch_write(&k->batch, folder, &why);
  handle_leave(before);
  return written || handle_refuse(k, KGEN_NOT_WRITTEN, "%s", why.s);
}

/* --- one instruction --- */

static const Op op_of[] = {[KGEN_LOAD] = OP_LOAD,
                           [KGEN_STORE] = OP_STORE,
                           [KGEN_ATOMIC] = OP_ATOMIC,
                           [KGEN_LDMATRIX] = OP_LDMATRIX,
                           [KGEN_STMATRIX] = OP_STMATRIX};

static bool width_is_valid(Op op, int bytes) {
  if (op_moves_matrices(op)) return bytes == 16;
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

int kgen_wavefronts(KgenOp op, int bytes_per_lane, uint32_t active, const int64_t address[32],
                    int *ideal) {
  if ((unsigned)op > KGEN_STMATRIX || !width_is_valid(op_of[op], bytes_per_lane)) return -1;
  for (int i = 0; i < WARP; i++)
    if (active >> i & 1 && (address[i] < 0 || address[i] % bytes_per_lane != 0)) return -1;
  const BankCost cost = bank_cost(banks_nvidia, op_of[op], bytes_per_lane, active, address);
  if (ideal) *ideal = cost.ideal;
  return cost.wavefronts;
}
