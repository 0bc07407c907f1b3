/* generate.h: the commands that read specs. */
#ifndef KGEN_GENERATE_H
#define KGEN_GENERATE_H

#include "app.h"

/* Solves specs, or with --sweep their candidates, and writes, compiles, runs and reports them as
 * far as the options say. Returns the exit code. */
int generate(App *app);
/* kgen --front: specs, solved, and what else their tiles could be. Returns the exit code. */
int generate_front(App *app);

#endif
