/* names.h: reserved words, and what a spec may call a kernel, a tile, a variable. */
#ifndef KGEN_SPEC_NAMES_H
#define KGEN_SPEC_NAMES_H

#include <stdbool.h>

enum { NAME_LIMIT = 64 };
/* A C identifier of at most NAME_LIMIT characters. */
bool is_identifier(const char *s);
/* A word of C or C++, what every CUDA kernel sees, or a name of the compiler's own. */
bool is_reserved(const char *s);
/* A lower-case macro that a header's parameter cannot be called: linux, errno, ... */
bool is_macro(const char *s);

#endif
