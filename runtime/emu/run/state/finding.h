/* finding.h: the findings of a block. */
#ifndef KGEN_EMU_RUN_STATE_FINDING_H
#define KGEN_EMU_RUN_STATE_FINDING_H

#include "emu/run/state/block.h"

/*
 * Notes `count` occurrences of a fault by a thread (its linear index within the block). Returns
 * true the first time: finding_describe() then gives it its text.
 */
bool finding_add(Block *block, EmuFindingKind kind, const Insn *insn, uint32_t thread,
                 uint64_t count);
/* The same for a note, which is counted apart from findings and never ends a launch. */
bool finding_add_note(Block *block, EmuFindingKind kind, const Insn *insn, uint32_t thread,
                      uint64_t count);
/* The same for a thread of the block with that number, maybe another one. */
bool finding_add_at(Block *block, EmuFindingKind kind, const Insn *insn, uint64_t number,
                    uint32_t thread, uint64_t count);
/* The same of a race with the instruction `other`; of_warp: within a warp, so that __syncwarp()
 * would order the two. Where a race between warps follows at the same instruction, that takes its
 * place. */
bool finding_add_race(Block *block, const Insn *insn, const Insn *other, uint64_t number,
                      uint32_t thread, bool of_warp);
/* Adds to findings what follows from all others of the launch. Lanes of one warp that race need
 * __syncwarp(), unless the line is the other side of a race between warps. Races between warps and
 * missed barriers name a barrier that was reached at two lines. */
void finding_advise(Found *all, int count);
/* The text of the finding for which one of these returned true last. */
void finding_describe(Block *block, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* "warp 3" or "warps 0-3, 8". */
enum { WARPS_TEXT = 80 };
const char *finding_warps(uint32_t warps, char out[WARPS_TEXT]);
/* Adds a further location to that finding, with a text. insn: NULL adds the text alone. At most
 * EMU_WHERES are kept. */
void finding_where(Block *block, const Insn *insn, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Adds and describes a fault of one lane. */
void finding_report(Warp *w, const Insn *insn, EmuFindingKind kind, unsigned lane, const char *fmt,
                    ...) PRINTF_LIKE(5, 6);
/* The same of a fault of several lanes that ends the launch; returns FLOW_WAIT, which the
 * instruction then returns. */
Flow finding_end(Warp *w, const Insn *insn, EmuFindingKind kind, uint32_t lanes, const char *fmt,
                 ...) PRINTF_LIKE(5, 6);

/* Adds a line of the other side to a race: each line once, no more than there is room for. */
void finding_other(EmuFinding *finding, EmuLocation other);

#endif
