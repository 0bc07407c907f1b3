/* SPDX-License-Identifier: MIT */
#include "emu/op/umma_shape.h"

#include <stdio.h>

/* Types of A and B by their code in the descriptor; NONE: no type has the code. */
enum { NONE = TCGEN05_TYPES, CODES = 8 };

typedef struct {
  const char *name;
  uint8_t type[CODES];
  uint8_t k;
  uint8_t results;         /* set of the codes of D: 0 f16, 1 f32, 2 s32 */
  uint16_t mn_major;       /* set of the types that may be MN-major */
  bool negates, saturates; /* the bits may be set */
  uint8_t scales;          /* set of the codes of scales: 0 ue4m3, 1 ue8m0; 0: no scales */
} Kind;

#define SET(type) (1u << TCGEN05_##type)

#define TYPES_8_6_4                                                                                \
  { TCGEN05_E4M3, TCGEN05_E5M2, NONE, TCGEN05_E2M3, TCGEN05_E3M2, TCGEN05_E2M1, NONE, NONE }
#define TYPES_4                                                                                    \
  { NONE, TCGEN05_E2M1, NONE, NONE, NONE, NONE, NONE, NONE }

static const Kind kinds[TCGEN05_KINDS] = {
    [TCGEN05_KIND_F16] = {.name = "f16",
                          .type = {TCGEN05_F16, TCGEN05_BF16, NONE, NONE, NONE, NONE, NONE, NONE},
                          .k = 16,
                          .results = 3,
                          .mn_major = SET(F16) | SET(BF16),
                          .negates = true},
    [TCGEN05_KIND_TF32] = {.name = "tf32",
                           .type = {NONE, NONE, TCGEN05_TF32, NONE, NONE, NONE, NONE, NONE},
                           .k = 8,
                           .results = 2,
                           .mn_major = SET(TF32),
                           .negates = true},
    [TCGEN05_KIND_F8F6F4] = {.name = "f8f6f4",
                             .type = TYPES_8_6_4,
                             .k = 32,
                             .results = 3,
                             .mn_major = SET(E4M3) | SET(E5M2),
                             .negates = true},
    [TCGEN05_KIND_I8] = {.name = "i8",
                         .type = {TCGEN05_U8, TCGEN05_S8, NONE, NONE, NONE, NONE, NONE, NONE},
                         .k = 32,
                         .results = 4,
                         .mn_major = SET(U8) | SET(S8),
                         .saturates = true},
    [TCGEN05_KIND_MXF8F6F4] = {.name = "mxf8f6f4",
                               .type = TYPES_8_6_4,
                               .k = 32,
                               .mn_major = SET(E4M3) | SET(E5M2),
                               .negates = true,
                               .scales = 2},
    [TCGEN05_KIND_MXF4] = {.name = "mxf4", .type = TYPES_4, .k = 64, .negates = true, .scales = 2},
    [TCGEN05_KIND_MXF4NVF4] =
        {.name = "mxf4nvf4", .type = TYPES_4, .k = 64, .negates = true, .scales = 3},
};

/* --- the instruction descriptor --- */

static unsigned bits_at(uint32_t d, unsigned at, unsigned width) {
  return d >> at & ((1u << width) - 1);
}

static const char *shape_fault(const Tcgen05Op *op, unsigned m, unsigned n) {
  const unsigned step = op->kind == TCGEN05_KIND_I8 && n > 24 ? 16 : 8;
  if (op->is_ws) {
    if (m != 32 && m != 64 && m != 128) return "M is 32, 64 or 128 with .ws";
    return n == 64 || n == 128 || n == 256 ? NULL : "N is 64, 128 or 256 with .ws";
  }
  if (kinds[op->kind].scales && op->group == 1 && m != 128) return "M is 128 with block scales";
  if (op->group == 1 && m != 64 && m != 128) return "M is 64 or 128 with .cta_group::1";
  if (op->group == 2 && m != 128 && m != 256) return "M is 128 or 256 with .cta_group::2";
  if (op->group == 1 && (n < 8 || n > 256 || n % step)) return "N is a multiple of 8 up to 256";
  if (op->group == 2 && (n < 16 || n > 256 || n % 16)) return "N is a multiple of 16 up to 256";
  return NULL;
}

/* Faults of bits that all kinds have. */
static const char *fault_of(const Tcgen05Op *op, const Kind *kind, const UmmaShape *s, uint32_t d) {
  const bool a_transposed = s->a_by_mn && !(kind->mn_major >> s->arith.a & 1);
  const bool b_transposed = s->b_by_mn && !(kind->mn_major >> s->arith.b & 1);
  if (s->arith.a == NONE || s->arith.b == NONE) return "it has no such types of A and B";
  if (op->kind == TCGEN05_KIND_F16 && s->arith.a != s->arith.b) return "A and B have one type";
  if (a_transposed || b_transposed) return "elements of this type are K-major";
  if (s->a_by_mn && op->a_in_tmem) return "A in tensor memory is K-major";
  if (bits_at(d, 2, 1) != op->is_sparse)
    return op->is_sparse ? "the sparsity bit is not set" : "the sparsity bit is set, without .sp";
  if (bits_at(d, 13, 2) && !kind->negates) return "it does not negate A or B";
  if (op->is_sparse && bits_at(d, 0, 2)) return "a sparsity selector is not executed yet";
  if (op->is_sparse && s->m != 128u * op->group) return "64 sparse rows are not executed yet";
  if (bits_at(d, 0, 2) || bits_at(d, 6, 1)) return "bits that must be 0 are not";
  return shape_fault(op, s->m, s->n);
}

static const char *unscaled_fault(const Tcgen05Op *op, const Kind *kind, const UmmaShape *s,
                                  uint32_t d) {
  if (!(kind->results >> bits_at(d, 4, 2) & 1)) return "it has no such type of D";
  if (s->arith.a == TCGEN05_BF16 && s->arith.d == ARITH_F16) return "bf16 has sums of f32";
  if (s->arith.saturates && !kind->saturates) return "it has no saturation";
  if (bits_at(d, 23, 1) || bits_at(d, 29, 1)) return "bits that must be 0 are not";
  return bits_at(d, 30, 2) && !op->is_ws ? "a maximum shift is for .ws alone" : NULL;
}

/* The byte of a word where scales begin: with two scales 0 or 2, with four 0. */
static const char *scaled_fault(const Tcgen05Op *op, const Kind *kind, const UmmaShape *s,
                                uint32_t d) {
  const unsigned scales = s->arith.k / op->scale_block, code = bits_at(d, 23, 1);
  const bool is_ue4m3 = code == 0;
  if (!(kind->scales >> code & 1) || (is_ue4m3 && op->scale_block != 16))
    return "it has no scales of this type";
  if (s->scale_a_byte % scales || s->scale_b_byte % scales)
    return "the scales do not begin at a byte that is possible";
  if (bits_at(d, 31, 1)) return "K of 96 is not executed yet";
  return bits_at(d, 3, 1) ? "bits that must be 0 are not" : NULL;
}

bool umma_shape(const Tcgen05Op *op, uint32_t d, UmmaShape *s, char *why, size_t size) {
  static const uint8_t results[] = {ARITH_F16, ARITH_F32, ARITH_S32, ARITH_NONE};
  const Kind *kind = &kinds[op->kind];
  const bool is_scaled = kind->scales;
  *s = (UmmaShape){.m = 16 * bits_at(d, 24, 5),
                   .n = 8 * bits_at(d, 17, 6),
                   .a_by_mn = bits_at(d, 15, 1),
                   .b_by_mn = bits_at(d, 16, 1),
                   .negative = bits_at(d, 13, 1) != bits_at(d, 14, 1),
                   .packed = op->kind >= TCGEN05_KIND_MXF4,
                   .scale_a_byte = (uint8_t)bits_at(d, 29, 2),
                   .scale_b_byte = (uint8_t)bits_at(d, 4, 2)};
  s->arith = (ArithTcgen05){.a = kind->type[bits_at(d, 7, 3)],
                            .b = kind->type[bits_at(d, 10, 3)],
                            .d = is_scaled ? ARITH_F32 : results[bits_at(d, 4, 2)],
                            .k = kind->k,
                            .scale = !is_scaled          ? TCGEN05_UNSCALED
                                     : bits_at(d, 23, 1) ? TCGEN05_UE8M0
                                                         : TCGEN05_UE4M3,
                            .scale_block = op->scale_block,
                            .is_mxf4 = s->packed,
                            .saturates = !is_scaled && bits_at(d, 3, 1)};
  const char *fault = fault_of(op, kind, s, d);
  if (!fault) fault = is_scaled ? scaled_fault(op, kind, s, d) : unscaled_fault(op, kind, s, d);
  if (fault)
    snprintf(why, size, "the instruction descriptor 0x%x contradicts .kind::%s: %s (M %u, N %u)", d,
             kind->name, fault, s->m, s->n);
  return !fault;
}

/* --- tensor memory --- */

UmmaPlace umma_place(const Tcgen05Op *op, const UmmaShape *shape, uint32_t address,
                     unsigned columns) {
  const unsigned rows = umma_rows(shape, op->group);
  const bool spread = op->is_ws || (op->group == 2 && rows == 64);
  return (UmmaPlace){.lane = tmem_lane(address),
                     .column = tmem_column(address),
                     .rows = rows,
                     .columns = columns,
                     .parts = spread ? TMEM_LANES / rows : 1,
                     .sparse = !spread && rows == 64};
}

int umma_boxes(const UmmaPlace *p, TmemBox box[UMMA_MAX_BOXES]) {
  const unsigned columns = p->columns / p->parts;
  if (!p->sparse) {
    box[0] = (TmemBox){p->lane, p->parts * p->rows, p->column, columns};
    return 1;
  }
  for (unsigned i = 0; i < UMMA_MAX_BOXES; i++)
    box[i] = (TmemBox){p->lane + 32 * i, 16, p->column, columns};
  return UMMA_MAX_BOXES;
}
