/* SPDX-License-Identifier: MIT */
/* translate.h: compiles kernels that run long unchecked, as C for the host compiler. The
 * interpreter continues meanwhile, and afterwards executes the rest. */
#ifndef KGEN_EMU_TRANSLATE_TRANSLATE_H
#define KGEN_EMU_TRANSLATE_TRANSLATE_H

#include "emu/code/code.h"
#include "emu/translate/native.h"

/* A program's translation, in which nothing is translated yet. NULL when out of memory; the program
 * is then never translated. */
Translation *translation_new(void);
void translation_free(Translation *t);

/* Counts `more` executed warp instructions. Requests the translation when there are enough, and
 * checks for it from time to time. */
void translation_count(const Program *p, const EmuTranslator *translator, uint64_t more);

/* The functions available so far for warps with all lanes active, or with some: a table by
 * instruction, with NULL where none starts; or NULL. */
const NativeRun *translation_runs(const Program *p, bool all_lanes);

#endif
