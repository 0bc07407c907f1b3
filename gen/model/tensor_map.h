/* tensor_map.h: what a tensor map of TMA describes, in tile mode, and what it may not be. */
#ifndef KGEN_MODEL_TENSOR_MAP_H
#define KGEN_MODEL_TENSOR_MAP_H

#include "model/tile.h"

enum { TENSOR_MAX_RANK = 5, TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGN = 64 };
enum { TENSOR_MAX_BOX = 256 }; /* elements of a dimension that one copy spans */

/* In the order of CUtensorMapDataType, whose values these are: integers precede the others. */
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

/* Dimensions as cuTensorMapEncodeTiled takes them: the innermost, which is contiguous, first. */
typedef struct {
  TensorType type;
  int rank;
  int swizzle;                      /* 0 (none), 32, 64 or 128 bytes */
  bool fill_nan;                    /* what is read outside of the tensor: NaN instead of 0 */
  uint64_t address;                 /* in device memory */
  uint64_t dim[TENSOR_MAX_RANK];    /* elements */
  uint64_t stride[TENSOR_MAX_RANK]; /* bytes from one to the next; [0] is not looked at */
  uint32_t box[TENSOR_MAX_RANK];    /* elements that a copy spans */
  uint32_t step[TENSOR_MAX_RANK];   /* of which it takes every step-th; [0] is not looked at */
} TensorMap;

int tensor_type_bytes(TensorType type);
/* The type that elements of a dtype are copied as: false for those of 16 bytes. */
bool tensor_type_of(const Dtype *dtype, TensorType *out);
/* Why cuTensorMapEncodeTiled would refuse it; NULL: it would not. */
const char *tensor_map_refusal(const TensorMap *m);
/* Elements along a dimension that a copy moves. */
uint32_t tensor_map_extent(const TensorMap *m, int dimension);
/* Bytes that a copy of the box moves, and that complete its mbarrier's transaction. */
uint32_t tensor_map_box_bytes(const TensorMap *m);

#endif
