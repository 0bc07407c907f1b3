/* SPDX-License-Identifier: MIT */
/* names.h: reserved words, and valid names of kernels, tiles and variables. */
#ifndef KGEN_SPEC_NAMES_H
#define KGEN_SPEC_NAMES_H

#include <stdbool.h>

enum { NAME_LIMIT = 64 };
/* A C identifier of at most NAME_LIMIT characters. */
bool is_identifier(const char *s);
/* True for a word of C or C++, a name that every CUDA kernel sees, or one reserved for the
 * compiler. */
bool is_reserved(const char *s);
/* True for a lower-case macro, which cannot be a header's parameter: linux, errno, ... */
bool is_macro(const char *s);

#endif
