/* SPDX-License-Identifier: MIT */
/* t4.h: exports measurements in a format that other tuners read. */
#ifndef KGEN_TUNE_T4_H
#define KGEN_TUNE_T4_H

#include "tune/wisdom.h"

/* The results file of the T4 format, version 1.0.0, as written by Kernel Tuner. Data for which T4
 * has no field (kernel, machine) is among each result's measurements. */
void t4_put(Text *out, const WisdomRecord *const *record, int records);

#endif
