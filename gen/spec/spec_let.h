/* SPDX-License-Identifier: MIT */
/* spec_let.h: `let`: names for expressions. A let that reads only names with one value is itself a
 * value of the scope. A let that reads a lane, a loop variable, a problem's extent or, with
 * `tiles`, a tile's own extent or element, is deferred: it is evaluated at each use. */
#ifndef KGEN_SPEC_SPEC_LET_H
#define KGEN_SPEC_SPEC_LET_H

#include "spec/spec_reader.h"

/* Declares the lets of the template and of the spec, once all other names are declared. */
void declare_lets(SpecReader *r);

#endif
