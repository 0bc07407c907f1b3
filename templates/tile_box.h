/* tile_box.h: follows the header of a tile that TMA copies, with the box and a function that
 * encodes the tensor map. kgen replaces the defined names, as in header.h. */
// kgen:begin
// clang-format off
#define GUARD       NAME_BOX
#define WHOSE       fill
#define EXTENTS     NAME_box_rows = 64, NAME_box_cols = 64
#define SIZE        NAME_box_size
#define BOX_BYTES   8192
#define FILL_MAP    NAME_map
#define PARAMETERS  long long rows, long long cols, long long row_pitch
#define RANK        2
#define DIMS        cols, rows
#define PITCHES     row_pitch
#define BOX         NAME_box_cols, NAME_box_rows
#define TYPE        CU_TENSOR_MAP_DATA_TYPE_FLOAT16
#define SWIZZLE     CU_TENSOR_MAP_SWIZZLE_128B
#define TYPE_BYTES  2
// clang-format on
// kgen:end
#ifndef GUARD
#define GUARD
/* The box of access 'WHOSE': its extents in elements, and its bytes, which the mbarrier expects. */
enum { EXTENTS, SIZE = BOX_BYTES };
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <cuda.h>
/* Encodes, on the host and without linking to libcuda, the map of a tensor that is copied in such
 * boxes. Extents and pitches are in elements, the last dimension is contiguous; base and the
 * pitches in bytes are multiples of 16. Returns cudaErrorInvalidValue for a tensor that no map
 * describes, cudaErrorNotSupported if the driver is older than CUDA 12.0. */
inline cudaError_t FILL_MAP(CUtensorMap *map, const void *base, PARAMETERS) {
  const long long dims[] = {DIMS}, pitches[] = {PITCHES};
  const cuuint32_t box[] = {BOX};
  cuuint64_t extent[RANK], pitch[RANK];
  cuuint32_t step[RANK];
  for (int i = 0; i < RANK; i++) extent[i] = static_cast<cuuint64_t>(dims[i]), step[i] = 1;
  for (int i = 0; i < RANK - 1; i++) pitch[i] = static_cast<cuuint64_t>(pitches[i] * TYPE_BYTES);
  void *entry = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry,
                                                             12000, cudaEnableDefault, &found);
#else
  const cudaError_t error =
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found);
#endif
  if (error != cudaSuccess) return error;
  if (found != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry)(
      map, TYPE, RANK, const_cast<void *>(base), extent, pitch, box, step,
      CU_TENSOR_MAP_INTERLEAVE_NONE, SWIZZLE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
#endif
#endif
