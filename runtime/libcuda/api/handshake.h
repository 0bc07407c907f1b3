/* handshake.h: the digest that CUDA's runtime demands of the driver before it continues. */
#ifndef KGEN_LIBCUDA_API_HANDSHAKE_H
#define KGEN_LIBCUDA_API_HANDSHAKE_H

#include <stdint.h>

/* version: the runtime's; the addresses are of the tables and of the function that is asked. */
void handshake_answer(unsigned version, uint64_t seconds, const void *runtime_table,
                      const void *handshake_table, uintptr_t function, uint64_t out[2]);

#endif
