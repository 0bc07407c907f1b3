/* translated.h: a warp's instructions as the system's compiler made them: translate/translate.h. */
#ifndef KGEN_EMU_RUN_SCHED_TRANSLATED_H
#define KGEN_EMU_RUN_SCHED_TRANSLATED_H

#include "emu/run/state/block.h"

/* Tells the text where the warp finds what stays in its place during a launch. */
void translated_open(Warp *w);
/* Runs plain instructions of the current split and branches that its lanes take together, as long
 * as there are functions of them and, at branches, the slice lasts. Returns how many instructions;
 * the split's pc is behind them. */
int translated_run(Warp *w, const NativeRun *runs, int slice, bool *ended);

#endif
