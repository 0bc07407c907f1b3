/* name.h: C++ names of kernels and shared arrays out of those in PTX. */
#ifndef KGEN_LINT_INPUT_NAME_H
#define KGEN_LINT_INPUT_NAME_H

#include "base/arena.h"

/* "transpose<float, 32>" for _Z9transposeIfLi32EEvPKT_PS0_i: the Itanium ABI's names as far as
 * kernels need them, without the parameters; what those do not need stays "...". A name that is not
 * mangled is returned as it is. */
const char *lint_name_plain(Arena *a, const char *mangled);

/* A function's name for people: plain, and without what is in brackets if that makes it long. */
const char *lint_name_short(Arena *a, const char *name);

/* "tile" for _ZZ9transposePKfPfE4tile: a variable within a function; else as lint_name_plain. */
const char *lint_name_variable(Arena *a, const char *mangled);

/* True if `given` is that plain name. Namespaces and template arguments may be missing; blanks
 * do not matter. */
bool lint_name_is(const char *given, const char *plain);

#endif
