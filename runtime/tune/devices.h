/* SPDX-License-Identifier: MIT */
/* devices.h: kgen --tune --devices: splits the search over several GPUs of one machine. */
#ifndef KGEN_TUNE_DEVICES_H
#define KGEN_TUNE_DEVICES_H

#include "command/paths.h"
#include "tune/tuning.h"

/* GPUs with their names in $CUDA_VISIBLE_DEVICES. */
typedef struct {
  int count;
  const char **name;
} DeviceList;

/* All GPUs, or the ones in a list like 0,2. Returns the command's exit code: 0, or another with
 * *why. */
int devices_list(Arena *a, const char *text, DeviceList *out, Diag *diag);

/* Searches the specs in one process per device, one shard each, for `seconds` in total; records go
 * to the tuning's file. Reports processes that fail. */
void devices_search(Tuning *t, Arena *a, const Paths *paths, double seconds, const DeviceList *on);

#endif
