/* SPDX-License-Identifier: MIT */
/* clock.h: elapsed time. */
#ifndef KGEN_DEVICE_CLOCK_H
#define KGEN_DEVICE_CLOCK_H

/* Milliseconds of the monotonic clock. */
double clock_ms(void);

#endif
