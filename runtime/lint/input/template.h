/* SPDX-License-Identifier: MIT */
/* template.h: finds the kernels that a file declares, because PTX contains only instantiated
 * ones. */
#ifndef KGEN_LINT_INPUT_TEMPLATE_H
#define KGEN_LINT_INPUT_TEMPLATE_H

#include "lint/input/source.h"

/* True if the file declares a kernel template. */
bool lint_template_any(const LintSource *s);

/* Lists the declarations that `kernel`, such as "ns::scale<float>", may refer to, with the template
 * arguments that it lacks; one line each. False if the file declares no kernel with that name. */
bool lint_template_list(const LintSource *s, const char *kernel, Text *out);

/* Lists the signatures of those kernels that have all arguments, in the form of --kernel, one per
 * line; returns their number. */
int lint_template_choices(const LintSource *s, const char *kernel, Text *out);

#endif
