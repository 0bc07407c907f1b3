/* SPDX-License-Identifier: MIT */
/* generate.h: the commands that read specs. */
#ifndef KGEN_GENERATE_H
#define KGEN_GENERATE_H

#include "app.h"

/* Solves specs, or the candidates of --sweep; then writes, compiles, runs and reports them as far
 * as the options request. Returns the exit code. */
int generate(App *app);
/* kgen --front: solves specs and lists the alternatives of each tile. Returns the exit code. */
int generate_front(App *app);

#endif
