/* SPDX-License-Identifier: MIT */
/* cores.h: the number of threads or processes worth using. */
#ifndef KGEN_BASE_CORES_H
#define KGEN_BASE_CORES_H

/* The number of processors that this process may use, which `taskset` or a container may limit; at
 * least 1, at most `most`. */
int cores_count(int most);

#endif
