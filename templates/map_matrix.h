/* map_matrix.h: encodes tensor maps for the TMA on the host, without linking to libcuda. */
#ifndef KGEN_MAP_MATRIX_H
#define KGEN_MAP_MATRIX_H

#include <cuda.h>

namespace {

/* cuTensorMapEncodeTiled in the driver that is loaded. cudaErrorNotSupported: that is older than
 * CUDA 12.0. */
struct TensorMapEncoder {
  decltype(&cuTensorMapEncodeTiled) encode;
  cudaError_t error;
};

inline TensorMapEncoder find_tensor_map_encoder() {
  void *entry = nullptr;
  cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry,
                                                             12000, cudaEnableDefault, &result);
#else
  const cudaError_t error =
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &result);
#endif
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);
  if (error != cudaSuccess) return {encode, error};
  return {encode, result == cudaDriverEntryPointSuccess ? cudaSuccess : cudaErrorNotSupported};
}

/* Encodes the tensor map of a row-major matrix of rows x cols elements of `bytes` bytes, with rows
 * `pitch` elements apart, that is copied in boxes of box_rows x box_cols with the 128-byte
 * swizzle. `at` and the pitch in bytes must be multiples of 16; a row of a box has at most 128
 * bytes. */
inline cudaError_t describe_matrix(TensorMap *map, CUtensorMapDataType type, int bytes,
                                   const void *at, long long rows, long long cols, long long pitch,
                                   int box_rows, int box_cols) {
  static_assert(sizeof(TensorMap) == sizeof(CUtensorMap), "TensorMap stands for CUtensorMap");
  static const TensorMapEncoder encoder = find_tensor_map_encoder();
  if (encoder.error != cudaSuccess) return encoder.error;
  const cuuint64_t extent[] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows)};
  const cuuint64_t stride[] = {static_cast<cuuint64_t>(pitch * bytes)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_cols), static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t step[] = {1, 1};
  const CUresult result =
      encoder.encode(reinterpret_cast<CUtensorMap *>(map), type, 2, const_cast<void *>(at), extent,
                     stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                     CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

} // namespace

#endif
