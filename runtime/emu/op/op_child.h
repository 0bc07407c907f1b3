/* SPDX-License-Identifier: MIT */
/* op_child.h: functions of the device runtime by which kernels launch kernels [CUDA C++ Programming
 * Guide, "CUDA Dynamic Parallelism"]. */
#ifndef KGEN_EMU_OP_OP_CHILD_H
#define KGEN_EMU_OP_OP_CHILD_H

#include "emu/run/state/block.h"

/* __cudaCDP2GetParameterBufferV2(kernel, grid, block, shared bytes): returns where the arguments of
 * the launch go; 0 if there is no such kernel or no memory. */
Flow exec_child_buffer(Warp *w, const Insn *insn, uint32_t active);
/* __cudaCDP2LaunchDeviceV2(buffer, stream): the child runs after its parent in any stream. */
Flow exec_child_launch(Warp *w, const Insn *insn, uint32_t active);
/* __cudaCDP2StreamCreateWithFlags(stream *, flags): all streams are one. */
Flow exec_child_stream(Warp *w, const Insn *insn, uint32_t active);
/* __cudaCDP2Malloc(void **, bytes) */
Flow exec_child_malloc(Warp *w, const Insn *insn, uint32_t active);
/* __cudaCDP2Free(void *) */
Flow exec_child_free(Warp *w, const Insn *insn, uint32_t active);
/* __cudaCDP2MemcpyAsync(to, from, bytes, kind, stream): copies at once. */
Flow exec_child_copy(Warp *w, const Insn *insn, uint32_t active);
/* cudaGraphSetConditional(handle, value): a handle is the address of the word that holds the
 * value. */
Flow exec_child_condition(Warp *w, const Insn *insn, uint32_t active);
/* Functions that do nothing here and return 0, which means no error. */
Flow exec_child_nothing(Warp *w, const Insn *insn, uint32_t active);

#endif
