/* spec_let.h: `let`: names for expressions. One that reads only what is the same everywhere is a
 * value of the scope; one that reads a lane, a loop variable, a problem's extent or, with `tiles`,
 * a tile's own extent or element, stands for its text and is evaluated where it is used. */
#ifndef KGEN_SPEC_SPEC_LET_H
#define KGEN_SPEC_SPEC_LET_H

#include "spec/spec_reader.h"

/* Declares the lets of the family and of the spec, once all other names are declared. */
void declare_lets(SpecReader *r);

#endif
