/* names.h: words that are taken: what a spec may call a kernel, a tile, a variable. */
#ifndef KGEN_NAMES_H
#define KGEN_NAMES_H

#include <stdbool.h>

enum { NAME_LIMIT = 64 };
/* A C identifier of at most NAME_LIMIT characters. */
bool is_identifier(const char *s);
/* A word of C or C++, or what every CUDA kernel sees. */
bool is_reserved(const char *s);
/* Declared in every CUDA source: no kernel can have such a name. */
bool is_library_name(const char *s);

#endif
