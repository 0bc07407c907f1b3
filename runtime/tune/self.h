/* SPDX-License-Identifier: MIT */
/* self.h: further processes of this command, for shards of a search and for other buffer
 * placements. */
#ifndef KGEN_TUNE_SELF_H
#define KGEN_TUNE_SELF_H

#include <sys/types.h>

#include "base/word_list.h"
#include "tune/tuning.h"

/* kgen --tune --quiet with this call's options for devices, templates, seeds and free
 * parameters. */
WordList self_command(Arena *a, const Tuning *t);
void self_add_option(WordList *words, const char *option, const char *value);

/* Starts it, writing its records to the file and, unless gpu is NULL, with that GPU only; its
 * stdout is discarded. False with errno set. */
bool self_start(const Tuning *t, const WordList *words, const char *file, const char *gpu,
                pid_t *child);
/* Waits for it to end; a signal for this process ends it, too. True if it exited with 0. */
bool self_finish(Tuning *t, pid_t child);

#endif
