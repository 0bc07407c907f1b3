/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_level.h"

#include "emu/arith/arith_bits.h"
#include "emu/arith/arith_compare.h"
#include "emu/arith/arith_cvt.h"
#include "emu/arith/arith_float.h"
#include "emu/arith/arith_int.h"
#include "emu/arith/arith_mul.h"

ArithLevel arith_level(void) {
  return (ArithLevel){{arith_int_table(), arith_mul_table(), arith_bits_table(),
                       arith_float_table(), arith_compare_table(), arith_cvt_table()}};
}
