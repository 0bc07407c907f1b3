/* error.h: what results are called. */
#ifndef KGEN_LIBCUDA_ERROR_H
#define KGEN_LIBCUDA_ERROR_H

#include "libcuda/abi.h"

/* "CUDA_ERROR_INVALID_VALUE"; NULL: none is called so. */
const char *error_name(CUresult result);

#endif
