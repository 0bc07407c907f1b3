/* SPDX-License-Identifier: MIT */
/* finding.h: records the findings of a block. */
#ifndef KGEN_EMU_RUN_STATE_FINDING_H
#define KGEN_EMU_RUN_STATE_FINDING_H

#include "emu/run/state/block.h"

/* Records `count` occurrences of a fault at `insn` by a thread (linear index within the block).
 * Returns true for the first one; the caller then writes the text with finding_describe(). */
bool finding_add(Block *block, EmuFindingKind kind, const Insn *insn, uint32_t thread,
                 uint64_t count);
/* Like finding_add(), for a note. Notes are counted apart from findings and never end a launch. */
bool finding_add_note(Block *block, EmuFindingKind kind, const Insn *insn, uint32_t thread,
                      uint64_t count);
/* Like finding_add(), for a thread of block `number`, which may be another block. */
bool finding_add_at(Block *block, EmuFindingKind kind, const Insn *insn, uint64_t number,
                    uint32_t thread, uint64_t count);
/* Like finding_add(), for a race with instruction `other`; of_warp is true if both threads are in
 * one warp, so that __syncwarp() would order them. A later race between warps at the same
 * instruction replaces one within a warp. */
bool finding_add_race(Block *block, EmuSpace space, const Insn *insn, const Insn *other,
                      uint64_t number, uint32_t thread, bool of_warp);
/* Adds to findings what follows from all others of the launch. Lanes of one warp that race need
 * __syncwarp(), unless the line is the other side of a race between warps. Races between warps and
 * missed barriers name a barrier that was reached at two lines. */
void finding_advise(Found *all, int count);
/* Sets the text of the finding for which finding_add() or one of its variants last returned
 * true. */
void finding_describe(Block *block, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Adds a source line to the other sides of that finding, and sets its PTX line. */
void finding_other_at(Block *block, EmuLocation other, int ptx_line);
/* Formats a set of warps: "warp 3", "warps 0-3, 8". */
enum { WARPS_TEXT = 80 };
const char *finding_warps(uint32_t warps, char out[WARPS_TEXT]);
/* Adds a further location with a text to that finding; with insn NULL, only the text. At most
 * EMU_WHERES are kept. */
void finding_where(Block *block, const Insn *insn, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Adds and describes a fault by one lane. */
void finding_report(Warp *w, const Insn *insn, EmuFindingKind kind, unsigned lane, const char *fmt,
                    ...) PRINTF_LIKE(5, 6);
/* Like finding_report(), for a fault by several lanes that ends the launch. Returns FLOW_WAIT, for
 * the instruction to return. */
Flow finding_end(Warp *w, const Insn *insn, EmuFindingKind kind, uint32_t lanes, const char *fmt,
                 ...) PRINTF_LIKE(5, 6);

/* Adds a source line to the other sides of a race, without duplicates, up to EMU_OTHERS lines. */
void finding_other(EmuFinding *finding, EmuLocation other);

#endif
