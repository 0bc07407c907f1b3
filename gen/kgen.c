#include "kgen.h"

#include <string.h>

#include "batch.h"
#include "model/bank.h"

struct Kgen {
  Arena *arena;
  const char *template_dir;
  Batch batch;
  Text write_error;
};

Kgen *kgen_open(const char *template_dir) {
  Arena *a = arena_new();
  Kgen *k = ARENA_NEW(a, Kgen);
  k->arena = a;
  k->template_dir = arena_strndup(a, template_dir, strlen(template_dir));
  k->batch = batch_new(a, diag_new(a));
  k->write_error = text_new(a);
  return k;
}

void kgen_free(Kgen *k) {
  if (k) arena_free(k->arena);
}

bool kgen_add(Kgen *k, const char *spec_path) {
  const SpecOptions options = {.template_dir = k->template_dir};
  return batch_add(&k->batch, spec_path, &options) != NULL;
}

const char *kgen_errors(Kgen *k) {
  Text text = text_new(k->arena);
  diag_print(k->batch.diag, &text, false);
  text_puts(&text, k->write_error.s);
  return text.s;
}

int kgen_count(const Kgen *k) { return k->batch.count; }

static const BatchItem *item_at(const Kgen *k, int i) {
  if (i < 0 || i >= k->batch.count) die("spec %d of %d", i, k->batch.count);
  return &k->batch.item[i];
}

const char *kgen_name(const Kgen *k, int i) { return item_at(k, i)->spec->name; }
const char *kgen_file(const Kgen *k, int i) { return item_at(k, i)->out.file; }
const char *kgen_source(const Kgen *k, int i) { return item_at(k, i)->out.text; }
bool kgen_conflict_free(const Kgen *k, int i) { return item_at(k, i)->plan->conflict_free; }

const char *kgen_json(Kgen *k) {
  Text text = text_new(k->arena);
  batch_json(&k->batch, &text, NULL, NULL, NULL);
  return text.s;
}

bool kgen_write(Kgen *k, const char *folder) {
  if (diag_count(k->batch.diag) > 0) return false;
  k->write_error = text_new(k->arena);
  if (batch_write(&k->batch, folder, &k->write_error)) return true;
  text_puts(&k->write_error, "\n");
  return false;
}

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
  const BankGeometry banks = {.count = 32, .bytes = 4};
  const BankCost cost = bank_cost(banks, op_of[op], bytes_per_lane, active, address);
  if (ideal) *ideal = cost.ideal;
  return cost.wavefronts;
}
