/* SPDX-License-Identifier: MIT */
/* module.h: a loaded PTX module. Its arena holds the syntax tree, the programs and their names;
 * its variables are buffers of the memory. */
#ifndef KGEN_EMU_MODULE_H
#define KGEN_EMU_MODULE_H

#include "emu/code/code.h"
#include "emu/memory/memory.h"
#include "emu/run/state/block.h"

struct EmuModule {
  Arena *arena;
  Ast *ast;
  EmuMemory *memory;
  int kernels;
  Program **program;
  EmuKernel *kernel;
  int variables;
  EmuVariable *variable;
  uint8_t *const_bank;
  uint32_t const_bytes;
  uint64_t const_alias; /* its second address; 0 until requested */
  BlockPool *pool;
};

#endif
