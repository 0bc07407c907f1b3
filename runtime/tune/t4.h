/* t4.h: measurements in a format that other tuners read. */
#ifndef KGEN_TUNE_T4_H
#define KGEN_TUNE_T4_H

#include "tune/wisdom.h"

/* The results file of the T4 format, version 1.0.0, as Kernel Tuner writes it. What T4 has no field
 * for (which kernel, where) is among each result's measurements. */
void t4_put(Text *out, const WisdomRecord *const *record, int records);

#endif
