/* SPDX-License-Identifier: MIT */
/* spec_param.h: params: the parameters of a template, or the constants of a spec of `none`; and
 * the sizes of the timed problem, which a template declares in the same way. */
#ifndef KGEN_SPEC_SPEC_PARAM_H
#define KGEN_SPEC_SPEC_PARAM_H

#include "spec/spec_reader.h"

/* Declares each param, with the value from the spec, the options or the template's default. */
void declare_params(SpecReader *r);
/* Declares `timed_NAME` for each size in the template's `problem: sizes:`. Its value is, in this
 * order, from the options, the spec's `problem`, the spec's old param, the template's default. */
void declare_sizes(SpecReader *r);
/* True for a key of the spec's `params` that sets a size. */
bool param_is_size(const SpecReader *r, const char *name);
/* Writes the values of all params into the spec. */
void read_params(SpecReader *r);
void read_sizes(SpecReader *r);

/* One line for each old param by which the spec sets sizes of the problem. */
void spec_report_old_sizes(const Spec *s, Text *out);

#endif
