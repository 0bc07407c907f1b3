/* SPDX-License-Identifier: MIT */
#include "libcuda/error.h"

static const struct {
  CUresult result;
  const char *name, *text;
} table[] = {
#define ERROR(name, number, text) {name, #name, text},
#include "libcuda/error.def"
#undef ERROR
};

const char *error_name(CUresult result) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].result == result) return table[i].name;
  return NULL;
}

CU_API CUresult cuGetErrorName(CUresult result, const char **out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = error_name(result);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuGetErrorString(CUresult result, const char **out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = NULL;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].result == result) *out = table[i].text;
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
