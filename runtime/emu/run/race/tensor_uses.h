/* SPDX-License-Identifier: MIT */
/*
 * tensor_uses.h: the order in which instructions use tensor memory, and the shared memory that
 * tcgen05.mma and tcgen05.cp read.
 *
 * Every instruction takes effect at once, but may run until its completion was waited for: mma, cp
 * and shift until a thread has seen the mbarrier of their commit, ld and st until their wait. In
 * between, no other instruction may use what they write, or write what they read; mma, cp and shift
 * of one thread keep their order [PTX ISA, "Memory Consistency Model for 5th generation of
 * TensorCore operations"]. By the ISA, not measured.
 */
#ifndef KGEN_EMU_RUN_RACE_TENSOR_USES_H
#define KGEN_EMU_RUN_RACE_TENSOR_USES_H

#include "emu/run/state/block.h"
#include "emu/run/state/tmem_box.h"

/* The completion of an instruction: a commit, tcgen05.wait::ld, tcgen05.wait::st. */
typedef enum { TENSOR_BY_COMMIT, TENSOR_BY_WAIT_LD, TENSOR_BY_WAIT_ST } TensorCompletion;
typedef enum { TENSOR_READS, TENSOR_WRITES, TENSOR_ADDS } TensorUse;

TensorUses *tensor_uses_new(const Block *block); /* to be freed by free() */
void tensor_uses_start(Block *block);

/* A lane issues an instruction that uses the tensor memory of `block`, its own one or its peer's.
 * The functions below refer to the latest one. */
void tensor_issue(Block *block, Warp *w, unsigned lane, const Insn *insn, TensorCompletion by);
/* It uses words: reports what it is not ordered after. TENSOR_ADDS: reads and writes. */
void tensor_use(Block *block, Warp *w, unsigned lane, const Insn *insn, const TmemBox *box,
                TensorUse use);
/* It reads 16 bytes of shared memory of `block`, at a multiple of 16. */
void tensor_read_shared(Block *block, uint32_t offset);

/* A lane commits what it has issued: returns false, after a finding, if that is nothing while other
 * threads have issued something. */
bool tensor_commit(Warp *w, unsigned lane, const Insn *insn);
/* tcgen05.wait: the warp's loads or stores are complete. */
void tensor_wait(Warp *w, TensorCompletion by);
void tensor_fence_before(Warp *w);
void tensor_fence_after(Warp *w);

/* Reports instructions that still use columns that are freed. */
void tensor_check_free(Warp *w, const Insn *insn, const TmemBox *box);
/* A lane's instruction is about to write shared memory of `block`: reports the first byte that an
 * mma or cp may still read. */
void tensor_check_write(Block *block, Warp *w, const Insn *insn, unsigned lane, uint64_t offset,
                        uint64_t bytes);

#endif
