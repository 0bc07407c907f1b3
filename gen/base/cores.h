/* cores.h: how many threads or processes are of use. */
#ifndef KGEN_BASE_CORES_H
#define KGEN_BASE_CORES_H

/* Processors that this process may use, which `taskset` or a container may have made fewer than
 * there are; at least 1, at most `most`. */
int cores_count(int most);

#endif
