/* SPDX-License-Identifier: MIT */
/* spec_block.h: a spec's `block`: the number of threads. */
#ifndef KGEN_SPEC_SPEC_BLOCK_H
#define KGEN_SPEC_SPEC_BLOCK_H

#include "spec/spec_reader.h"

/* declare_block() declares the names bx, by, bz, threads and warps; define_block(), called once the
 * tiles are declared, gives them values. */
void declare_block(SpecReader *r);
void define_block(SpecReader *r);
bool block_is_known(SpecReader *r);
/* Sets unknown extents to 0. */
void read_block(SpecReader *r, int block[3]);

#endif
