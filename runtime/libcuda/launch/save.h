/* save.h: --save: a launch as a folder that kgen --lint repeats without the program. It holds
 * lint.yaml [docs/reference/arguments-and-lint-yaml.md], the PTX, the arguments' bytes, and of the
 * memory that they lead to, directly or through other memory, what it held before and what it held
 * after. */
#ifndef KGEN_LIBCUDA_LAUNCH_SAVE_H
#define KGEN_LIBCUDA_LAUNCH_SAVE_H

#include "libcuda/state/module.h"

typedef struct Save Save;

/* Saves the state before a launch in a new folder of `parent` with that number, or the next free
 * one. NULL if the folder cannot be created, which is reported on stderr once. */
Save *save_begin(const char *parent, uint64_t number, const Function *f, const EmuLaunch *l);
/* Observes what the launch stores, before the observer that it has. */
void save_watch(Save *s, EmuLaunch *l);
/* Saves what the launch has changed, and closes the record. If it waited for others, words that it
 * did not store to itself are saved as these left them. */
void save_end(Save *s, bool waited);

#endif
