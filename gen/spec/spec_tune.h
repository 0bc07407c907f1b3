/* SPDX-License-Identifier: MIT */
/* spec_tune.h: `tune` of a template: the values worth trying. */
#ifndef KGEN_SPEC_SPEC_TUNE_H
#define KGEN_SPEC_SPEC_TUNE_H

#include "spec/spec_reader.h"

/* Call after all names have values: the limits of ranges are evaluated with them. */
void read_tune(SpecReader *r);

/* The value that an axis has in a spec. */
int64_t tune_value(const Spec *s, const TuneAxis *axis);

#endif
