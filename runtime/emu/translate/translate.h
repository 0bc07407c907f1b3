/* translate.h: kernels that run long unchecked become C for the system's compiler. The interpreter
 * goes on meanwhile, and afterwards does what is left to it. */
#ifndef KGEN_EMU_TRANSLATE_TRANSLATE_H
#define KGEN_EMU_TRANSLATE_TRANSLATE_H

#include "emu/code/code.h"
#include "emu/translate/native.h"

/* A program's translation, with nothing translated yet; NULL when out of memory: never is. */
Translation *translation_new(void);
void translation_free(Translation *t);

/* So many more warp instructions of it have been executed; asks for its translation when there are
 * enough, and looks for it from time to time. */
void translation_count(const Program *p, const EmuTranslator *translator, uint64_t more);

/* What there is by now for warps of all lanes, or of some: functions by instruction, NULL where
 * none begins; or NULL. */
const NativeRun *translation_runs(const Program *p, bool all_lanes);

#endif
