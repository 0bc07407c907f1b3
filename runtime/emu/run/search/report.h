/* SPDX-License-Identifier: MIT */
/* report.h: searches the logs of a launch, and adds the outcome to its result. */
#ifndef KGEN_EMU_RUN_SEARCH_REPORT_H
#define KGEN_EMU_RUN_SEARCH_REPORT_H

#include "emu/run/state/block.h"

/* Call when all blocks have ended. */
void search_report(const Launch *launch, EmuResult *result);

#endif
