/* SPDX-License-Identifier: MIT */
#include "model/tile.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

const Dtype dtype_table[] = {
    {"u8", 1, "unsigned char"},   {"i8", 1, "signed char"},
    {"e4m3", 1, "unsigned char"}, {"e5m2", 1, "unsigned char"},
    {"u16", 2, "unsigned short"}, {"i16", 2, "short"},
    {"f16", 2, "unsigned short"}, {"bf16", 2, "unsigned short"},
    {"u32", 4, "unsigned int"},   {"i32", 4, "int"},
    {"f32", 4, "float"},          {"u64", 8, "unsigned long long"},
    {"i64", 8, "long long"},      {"f64", 8, "double"},
    {"c64", 8, "float2"},         {"c128", 16, "double2"},
    {"b8", 1, "unsigned char"},   {"b16", 2, "unsigned short"},
    {"b32", 4, "unsigned int"},   {"b64", 8, "unsigned long long"},
    {"b128", 16, "uint4"},
};
const int dtype_count = sizeof(dtype_table) / sizeof(*dtype_table);

const BankGeometry banks_nvidia = {.count = 32, .bytes = 4};

const Dtype *dtype_find(const char *name) {
  for (int i = 0; i < dtype_count; i++)
    if (strcmp(dtype_table[i].name, name) == 0) return &dtype_table[i];
  return NULL;
}

const char *dtype_choice(int i) { return i < dtype_count ? dtype_table[i].name : NULL; }

enum { KIB = 1024 };

/* Source: CUDA C++ Programming Guide 13.0, technical specifications per compute capability. Suffix
 * `a`: the same chip with its architecture-specific instructions; suffix `f`: with the instructions
 * of its architecture family. */
#define CC90(name)                                                                                 \
  { name, 227 * KIB, 228 * KIB, 64, 32 }
#define CC110(name)                                                                                \
  { name, 227 * KIB, 228 * KIB, 48, 24 }
#define CC120(name)                                                                                \
  { name, 99 * KIB, 100 * KIB, 48, 24 }
const Arch arch_table[] = {
    {"sm_75", 64 * KIB, 64 * KIB, 32, 16},
    {"sm_80", 163 * KIB, 164 * KIB, 64, 32},
    {"sm_86", 99 * KIB, 100 * KIB, 48, 16},
    {"sm_87", 163 * KIB, 164 * KIB, 48, 16},
    {"sm_89", 99 * KIB, 100 * KIB, 48, 24},
    CC90("sm_90"),
    CC90("sm_90a"),
    CC90("sm_100"),
    CC90("sm_100f"),
    CC90("sm_100a"),
    CC90("sm_103"),
    CC90("sm_103f"),
    CC90("sm_103a"),
    CC110("sm_110"),
    CC110("sm_110f"),
    CC110("sm_110a"),
    CC120("sm_120"),
    CC120("sm_120f"),
    CC120("sm_120a"),
    CC120("sm_121"),
    CC120("sm_121f"),
    CC120("sm_121a"),
};
const int arch_count = sizeof(arch_table) / sizeof(*arch_table);

const Arch *arch_find(const char *name) {
  for (int i = 0; i < arch_count; i++)
    if (strcmp(arch_table[i].name, name) == 0) return &arch_table[i];
  return NULL;
}

const char *arch_choice(int i) { return i < arch_count ? arch_table[i].name : NULL; }

int arch_number(const Arch *arch) { return atoi(arch->name + 3); }

bool arch_is_variant(const Arch *arch, const Arch *of) {
  const size_t length = strlen(of->name);
  const char *suffix = arch->name + length;
  return strncmp(arch->name, of->name, length) == 0 &&
         (strcmp(suffix, "a") == 0 || strcmp(suffix, "f") == 0);
}

const char *const op_name[OP_SPELLINGS] = {
    "load",     "store",     "atomic",  "ldmatrix", "stmatrix",       "cp_async",
    "tma_load", "tma_store", "wgmma_a", "wgmma_b",  "ldmatrix.trans", "stmatrix.trans"};

Op op_of_spelling(int i) { return i < OP_COUNT ? (Op)i : (Op)(OP_LDMATRIX + i - OP_COUNT); }

int op_find(const char *name) {
  for (int i = 0; i < OP_SPELLINGS; i++)
    if (strcmp(op_name[i], name) == 0) return (int)op_of_spelling(i);
  return -1;
}

int op_sm(Op op) {
  static const int sm[OP_COUNT] = {[OP_STMATRIX] = 90,  [OP_CP_ASYNC] = 80, [OP_TMA_LOAD] = 90,
                                   [OP_TMA_STORE] = 90, [OP_WGMMA_A] = 90,  [OP_WGMMA_B] = 90};
  return sm[op];
}

bool op_runs_on(Op op, const Arch *arch) {
  const int sm = arch_number(arch);
  return op_is_wgmma(op) ? sm == op_sm(op) : sm >= op_sm(op);
}

const char *const copy_cache_name[] = {"ca", "cg"};
const char *const want_name[WANT_COUNT] = {"auto", "none", "pad", "xor", "tma"};

const char *want_choice(int i) { return i < WANT_COUNT ? want_name[i] : NULL; }
const char *const major_name[] = {"k", "mn"};

bool op_moves_boxes(Op op) { return op >= OP_TMA_LOAD && op <= OP_WGMMA_B; }

bool op_is_wgmma(Op op) { return op == OP_WGMMA_A || op == OP_WGMMA_B; }

bool op_moves_matrices(Op op) { return op == OP_LDMATRIX || op == OP_STMATRIX; }

int64_t tile_align(int64_t bytes) { return number_up(bytes, TILE_ALIGN); }

const char *tile_default_dim(int rank, int dim) {
  static const char *const name[KGEN_MAX_RANK] = {"c0", "c1", "c2", "c3"};
  return rank == 1 ? "i" : name[dim];
}

int tile_elements(const Tile *t) {
  int64_t n = t->rank > 0;
  for (int d = 0; d < t->rank; d++) n = n * t->extent[d] < INT32_MAX ? n * t->extent[d] : INT32_MAX;
  return (int)n;
}

void tile_coord(const Tile *t, int64_t index, int coord[KGEN_MAX_RANK]) {
  memset(coord, 0, KGEN_MAX_RANK * sizeof *coord);
  for (int d = t->rank - 1; d >= 0; d--) {
    coord[d] = (int)(index % t->extent[d]);
    index /= t->extent[d];
  }
}

void tile_place_lane(const Tile *t, int64_t index, WarpAccess *w, int lane) {
  int coord[KGEN_MAX_RANK];
  tile_coord(t, index, coord);
  for (int d = 0; d < t->rank; d++) w->coord[d][lane] = coord[d];
}

const char *tile_spell_element(Arena *a, const Tile *t, int64_t index) {
  int coord[KGEN_MAX_RANK];
  Text out = text_new(a);
  tile_coord(t, index, coord);
  for (int d = 0; d < t->rank; d++) text_printf(&out, d ? ", %d" : "(%d", coord[d]);
  text_puts(&out, ")");
  return out.s;
}

int64_t tile_box_bytes(const Tile *t, const int box[KGEN_MAX_RANK]) {
  int64_t bytes = t->dtype->bytes;
  for (int d = 0; d < t->rank; d++) bytes *= box[d];
  return bytes;
}
