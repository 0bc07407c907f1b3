/* SPDX-License-Identifier: MIT */
/* name.h: demangles the PTX names of kernels and shared arrays to C++ names. */
#ifndef KGEN_LINT_INPUT_NAME_H
#define KGEN_LINT_INPUT_NAME_H

#include "base/arena.h"

/* "transpose<float, 32>" for _Z9transposeIfLi32EEvPKT_PS0_i: names of the Itanium ABI as far as
 * kernels need them, without parameters; unsupported parts become "...". A name that is not mangled
 * is returned unchanged. */
const char *lint_name_plain(Arena *a, const char *mangled);

/* A function's name for people: like lint_name_plain(), without the text in brackets if that is
 * long. */
const char *lint_name_short(Arena *a, const char *name);

/* "tile" for _ZZ9transposePKfPfE4tile, a variable within a function; other names as in
 * lint_name_plain(). */
const char *lint_name_variable(Arena *a, const char *mangled);

/* True if `given` matches that plain name. Namespaces and template arguments may be omitted; blanks
 * do not matter. */
bool lint_name_is(const char *given, const char *plain);

#endif
