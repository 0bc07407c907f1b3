/* handshake.h: the digest that CUDA's runtime demands of the driver before it continues. */
#ifndef KGEN_LIBCUDA_HANDSHAKE_H
#define KGEN_LIBCUDA_HANDSHAKE_H

#include <stddef.h>
#include <stdint.h>

enum { MD2_BYTES = 16 };

/* RFC 1319. */
void md2(const uint8_t *data, size_t bytes, uint8_t digest[MD2_BYTES]);
/* HMAC [RFC 2104] with MD2 and a key of one block, for at most 1,024 bytes of data. */
void md2_hmac(const uint8_t key[MD2_BYTES], const uint8_t *data, size_t bytes,
              uint8_t digest[MD2_BYTES]);

/* version: the runtime's; the addresses are of the tables and of the function that is asked. */
void handshake_answer(unsigned version, uint64_t seconds, const void *runtime_table,
                      const void *handshake_table, uintptr_t function, uint64_t out[2]);

#endif
