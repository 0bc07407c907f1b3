/* spec_block.h: a spec's `block`: how many threads there are. */
#ifndef KGEN_SPEC_SPEC_BLOCK_H
#define KGEN_SPEC_SPEC_BLOCK_H

#include "spec/spec_reader.h"

/* The names bx, by, bz, threads and warps; define_block, once the tiles are declared, what they
 * are. */
void declare_block(SpecReader *r);
void define_block(SpecReader *r);
bool block_is_known(SpecReader *r);
/* 0 where unknown. */
void read_block(SpecReader *r, int block[3]);

#endif
