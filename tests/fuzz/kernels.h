/* SPDX-License-Identifier: MIT */
/* kernels.h: launches of whatever kernels a PTX text declares. */
#ifndef KGEN_TESTS_FUZZ_KERNELS_H
#define KGEN_TESTS_FUZZ_KERNELS_H

#include "emu/emu.h"

/* True if a parameter is taken for an address: every parameter of 8 bytes is. */
static inline bool is_address(const EmuParam *p) {
  return p->bytes == 8 && (p->type[0] == 'u' || p->type[0] == 'b');
}

enum { FUZZ_PARAMS = 16, FUZZ_BUFFER = 4096 };

#endif
