/* SPDX-License-Identifier: MIT */
/* tensor_map.h: the contents of a TMA tensor map in tile mode, and their limits. */
#ifndef KGEN_MODEL_TENSOR_MAP_H
#define KGEN_MODEL_TENSOR_MAP_H

#include "model/tile.h"

enum { TENSOR_MAX_RANK = 5, TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGN = 64 };
enum { TENSOR_MAX_BOX = 256 }; /* maximum number of elements per dimension that one copy spans */

/* In the order of CUtensorMapDataType, with its values; the integer types come first. */
typedef enum {
  TENSOR_U8,
  TENSOR_U16,
  TENSOR_U32,
  TENSOR_S32,
  TENSOR_U64,
  TENSOR_S64,
  TENSOR_F16,
  TENSOR_F32,
  TENSOR_F64,
  TENSOR_BF16,
  TENSOR_F32_FTZ,
  TENSOR_TF32,
  TENSOR_TF32_FTZ,
  TENSOR_TYPES
} TensorType;

/* Dimensions in the order of cuTensorMapEncodeTiled: the contiguous one first. */
typedef struct {
  TensorType type;
  int rank;
  int swizzle;                      /* 0 (none), 32, 64 or 128 bytes */
  bool atom32;                      /* 128 bytes: units of 32 bytes change places, not of 16 */
  bool fill_nan;                    /* elements outside of the tensor are read as NaN, not as 0 */
  uint64_t address;                 /* in device memory */
  uint64_t dim[TENSOR_MAX_RANK];    /* elements */
  uint64_t stride[TENSOR_MAX_RANK]; /* bytes from one element to the next; [0] is ignored */
  uint32_t box[TENSOR_MAX_RANK];    /* elements that a copy spans */
  uint32_t step[TENSOR_MAX_RANK];   /* the copy takes every step-th of these; [0] is ignored */
} TensorMap;

int tensor_type_bytes(TensorType type);
/* The type that TMA copies elements of this dtype as. False for 16-byte elements, which have
 * none. */
bool tensor_type_of(const Dtype *dtype, TensorType *out);
/* The reason why cuTensorMapEncodeTiled would reject it; NULL if it would accept it. */
const char *tensor_map_refusal(const TensorMap *m);
/* The number of elements along a dimension that a copy moves. */
uint32_t tensor_map_extent(const TensorMap *m, int dimension);
/* The number of bytes that a copy of the box moves, which is what it adds to its mbarrier's
 * completed transaction count. */
uint32_t tensor_map_box_bytes(const TensorMap *m);

#endif
