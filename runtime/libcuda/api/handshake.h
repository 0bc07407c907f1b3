/* SPDX-License-Identifier: MIT */
/* handshake.h: computes the digest that CUDA's runtime requires from the driver before it
 * continues. */
#ifndef KGEN_LIBCUDA_API_HANDSHAKE_H
#define KGEN_LIBCUDA_API_HANDSHAKE_H

#include <stdint.h>

/* version: of the runtime. The addresses are of two tables and of the called function. */
void handshake_answer(unsigned version, uint64_t seconds, const void *runtime_table,
                      const void *handshake_table, uintptr_t function, uint64_t out[2]);

#endif
