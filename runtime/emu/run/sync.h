/* sync.h: ordering through atomics, relaxed accesses and fences, for the race detector. */
#ifndef KGEN_EMU_SYNC_H
#define KGEN_EMU_SYNC_H

#include "emu/run/access.h"

/* Tells the detector of a strong load, store or read-modify-write of the valid lanes. */
void sync_load(Warp *w, const Insn *insn, const Access *access);
void sync_store(Warp *w, const Insn *insn, const Access *access);
void sync_atomic(Warp *w, const Insn *insn, const Access *access);

#endif
