/* SPDX-License-Identifier: MIT */
#include "emu/op/tcgen05.h"

Tcgen05Address tcgen05_decode_address(Decoder *d, int index) {
  const Operand *operand = decode_operand(d, index);
  if (operand->kind != OPERAND_MEMORY || operand->items > 1) {
    decode_fail(d, "operand %d is not an address", index + 1);
    return (Tcgen05Address){0, 0};
  }
  return (Tcgen05Address){decode_source(d, &operand->item[0], ARITH_U32), (uint32_t)operand->value};
}

uint8_t tcgen05_take_group(Decoder *d) {
  static const char *const groups[] = {"cta_group::1", "cta_group::2", NULL};
  const int found = decode_take_one(d, groups);
  if (found < 0) decode_fail(d, "expected .cta_group::1 or .cta_group::2");
  return (uint8_t)(found + 1);
}
