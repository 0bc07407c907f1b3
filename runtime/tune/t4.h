/* t4.h: measurements as other tuners read them. */
#ifndef KGEN_T4_H
#define KGEN_T4_H

#include "tune/wisdom.h"

/* The results file of the T4 format, version 1.0.0, as Kernel Tuner writes it. What T4 has no place
 * for (which kernel, where) stands in each result's measurements. */
void t4_put(Text *out, const WisdomRecord *const *record, int records);

#endif
