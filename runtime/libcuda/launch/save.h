/* SPDX-License-Identifier: MIT */
/* save.h: --save: writes a launch as a directory that kgen --lint repeats without the program.
 * It contains lint.yaml [docs/reference/arguments-and-lint-yaml.md], the PTX, and the arguments.
 * It also contains the memory that they refer to, directly or indirectly, before and after the
 * launch. */
#ifndef KGEN_LIBCUDA_LAUNCH_SAVE_H
#define KGEN_LIBCUDA_LAUNCH_SAVE_H

#include "libcuda/state/module.h"

typedef struct Save Save;

/* Saves the state before a launch in a new directory of `parent` with that number, or the next free
 * one. NULL if it cannot be created, which is reported on stderr once. */
Save *save_begin(const char *parent, uint64_t number, const Function *f, const EmuLaunch *l);
/* Observes the launch's stores, before the observer that it already has. */
void save_watch(Save *s, EmuLaunch *l);
/* Saves what the launch changed, and closes the record. waited: words that the launch did not write
 * itself are saved as initial memory with their final values. */
void save_end(Save *s, bool waited);

#endif
