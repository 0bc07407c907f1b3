/* spec_param.h: params: the knobs of a family, or the constants of a spec of `none`. */
#ifndef KGEN_SPEC_SPEC_PARAM_H
#define KGEN_SPEC_SPEC_PARAM_H

#include "spec/spec_reader.h"

/* Declares each, with the value that the spec, the options or the family's default give it. */
void declare_params(SpecReader *r);
/* Writes the values of all params into the spec. */
void read_params(SpecReader *r);

#endif
