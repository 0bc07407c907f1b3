#include "judge/family.h"

#include <string.h>

#include "judge/reference/reference.h"

static const char *const banks_needs[] = {"stride", "in", "out", NULL};
static const char *const colsum_needs[] = {"rows", "cols", "by", "chunk", "in", "out", NULL};
static const char *const conv2d_needs[] = {"rows", "cols", "radius", "in", "filter", "out", NULL};
static const char *const copy_needs[] = {"in", "out", NULL};
static const char *const fft_needs[] = {"points", "inverse", "batch", "in", "out", NULL};
static const char *const gemm_needs[] = {"m",       "n",       "k", "a_pad", "b_pad", "c_pad",
                                         "trans_a", "trans_b", "a", "b",     "c",     NULL};
static const char *const member_needs[] = {"fields", "field", "in", "out", NULL};
static const char *const reduce_needs[] = {"threads", "vector", "unroll", "operation",
                                           "in",      "out",    NULL};
static const char *const rowsum_needs[] = {"rows", "cols", "vector", "unroll", "in", "out", NULL};
static const char *const scan_needs[] = {"vector", "unroll", "exclusive", "in", "out", NULL};
static const char *const scan_rows_needs[] = {"rows", "cols", "exclusive", "threads",
                                              "in",   "out",  NULL};
static const char *const structs_needs[] = {"count", "fields", "pad", "in", "out", NULL};
static const char *const transpose_needs[] = {"rows",    "cols", "batch", "in_pad",
                                              "out_pad", "in",   "out",   NULL};
static const char *const vector_read_needs[] = {"d1", "in", "out", NULL};

static const Family families[] = {
    {"aos_to_soa", reference_aos_to_soa, true, structs_needs},
    {"banks", reference_banks, true, banks_needs},
    {"colsum", reference_colsum, false, colsum_needs},
    {"conv2d", reference_conv2d, false, conv2d_needs},
    {"copy", reference_copy, true, copy_needs},
    {"fft", reference_fft, false, fft_needs},
    {"gemm", reference_gemm, false, gemm_needs},
    {"gemm_f32", reference_gemm, false, gemm_needs},
    {"member", reference_member, true, member_needs},
    {"reduce", reference_reduce, false, reduce_needs},
    {"rowsum", reference_rowsum, false, rowsum_needs},
    {"scan", reference_scan, false, scan_needs},
    {"scan_rows", reference_scan_rows, false, scan_rows_needs},
    {"soa_to_aos", reference_soa_to_aos, true, structs_needs},
    {"transpose", reference_transpose, true, transpose_needs},
    {"vector_read", reference_vector_read, false, vector_read_needs},
};

const Family *family_find(const char *name) {
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (strcmp(families[i].name, name) == 0) return &families[i];
  return NULL;
}

static bool has_name(const ProblemSpec *p, const char *name) {
  if (names_find(&p->names, name) >= 0) return true;
  for (int i = 0; i < p->buffers; i++)
    if (strcmp(p->buffer[i].name, name) == 0) return true;
  return false;
}

bool family_check(const Family *f, Diag *d, const Spec *spec) {
  bool all = true;
  for (const char *const *need = f->needs; *need; need++) {
    if (has_name(spec->problem, *need)) continue;
    const Loc loc = {.source = spec->source, .line = 1, .col = 1, .width = 1};
    diag_error(d, loc, "the reference of family '%s' needs the name '%s' in its problem", f->name,
               *need);
    all = false;
  }
  return all;
}
