/* devices.h: kgen --tune --devices: splits the search over several GPUs of one machine. */
#ifndef KGEN_TUNE_DEVICES_H
#define KGEN_TUNE_DEVICES_H

#include "command/paths.h"
#include "tune/tuning.h"

/* What $CUDA_VISIBLE_DEVICES calls them: all that there are, or those of a list like 0,2. Its
 * length; 0, with *why: none. */
int devices_list(Arena *a, const char *text, const char ***out, Text *why);

/* Searches the specs in one process per device, each its part, for so many seconds in all;
 * records go to the tuning's file. Processes that fail are reported. */
void devices_search(Tuning *t, Arena *a, const Paths *paths, double seconds, int count,
                    const char *const *device);

#endif
