/* SPDX-License-Identifier: MIT */
/* error.h: the names of results. */
#ifndef KGEN_LIBCUDA_ERROR_H
#define KGEN_LIBCUDA_ERROR_H

#include "libcuda/abi.h"

/* Returns a name such as "CUDA_ERROR_INVALID_VALUE", or NULL for an unknown result. */
const char *error_name(CUresult result);

#endif
