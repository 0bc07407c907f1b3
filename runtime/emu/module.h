/* module.h: a loaded PTX module. */
#ifndef KGEN_EMU_MODULE_H
#define KGEN_EMU_MODULE_H

#include "emu/code/code.h"
#include "emu/memory/heap.h"
#include "emu/memory/memory.h"

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
  Heap *heap; /* NULL: not used */
};

#endif
