/* template.h: the kernels that a file declares; PTX holds only instantiated ones. */
#ifndef KGEN_LINT_INPUT_TEMPLATE_H
#define KGEN_LINT_INPUT_TEMPLATE_H

#include "lint/input/source.h"

/* True if the file declares a kernel template. */
bool lint_template_any(const LintSource *s);

/* The declarations of kernels that `kernel`, "ns::scale<float>", may mean, and the template
 * arguments that it lacks for each; a line each. False if the file declares none of that name. */
bool lint_template_list(const LintSource *s, const char *kernel, Text *out);

/* The signatures of those kernels that have all their arguments, as --kernel takes them, a line
 * each; how many there are. */
int lint_template_choices(const LintSource *s, const char *kernel, Text *out);

#endif
