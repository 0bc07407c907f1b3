/* spec_param.h: params: the parameters of a template, or the constants of a spec of `none`. */
#ifndef KGEN_SPEC_SPEC_PARAM_H
#define KGEN_SPEC_SPEC_PARAM_H

#include "spec/spec_reader.h"

/* Declares each param, with the value from the spec, the options or the template's default. */
void declare_params(SpecReader *r);
/* Writes the values of all params into the spec. */
void read_params(SpecReader *r);

#endif
