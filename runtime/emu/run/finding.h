/* finding.h: the findings of a block. */
#ifndef KGEN_EMU_FINDING_H
#define KGEN_EMU_FINDING_H

#include "emu/run/block.h"

/*
 * Notes `count` occurrences of a fault by a thread (its linear index within the block). Returns
 * true the first time: finding_describe() then gives it its text.
 */
bool finding_add(Block *block, EmuFindingKind kind, const Insn *insn, uint32_t thread,
                 uint64_t count);
/* The same for a thread of another block. */
bool finding_add_at(Block *block, EmuFindingKind kind, const Insn *insn, uint64_t number,
                    uint32_t thread, uint64_t count);
/* Adds the line of the other side to the race that was found last at the instruction. */
void finding_meets(Block *block, const Insn *insn, const Insn *other);
/* The same of a finding by itself: each line once, no more than there is room for. */
void finding_other(EmuFinding *finding, EmuLocation other);
void finding_describe(Block *block, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
