/* devices.h: kgen --tune --devices: splits the search over several GPUs of one machine. */
#ifndef KGEN_TUNE_DEVICES_H
#define KGEN_TUNE_DEVICES_H

#include "command/paths.h"
#include "tune/tuning.h"

/* GPUs as $CUDA_VISIBLE_DEVICES calls them. */
typedef struct {
  int count;
  const char **name;
} DeviceList;

/* All that there are, or those of a list like 0,2. The command's exit code: 0, else with *why. */
int devices_list(Arena *a, const char *text, DeviceList *out, Text *why);

/* Searches the specs in one process per device, each its part, for so many seconds in all;
 * records go to the tuning's file. Processes that fail are reported. */
void devices_search(Tuning *t, Arena *a, const Paths *paths, double seconds, const DeviceList *on);

#endif
