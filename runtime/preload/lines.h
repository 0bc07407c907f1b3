/* SPDX-License-Identifier: MIT */
/* lines.h: adds the line-information option to calls of the compilers in the program's process. */
#ifndef KGEN_PRELOAD_LINES_H
#define KGEN_PRELOAD_LINES_H

#include <stdbool.h>

/* nvrtcCompileProgram(program, count, options) and nvJitLinkCreate(handle, count, options). */
typedef int LinesCall(void *of, int count, const char *const *option);

/* Like strcmp() and strncmp(), which a program's sanitizer replaces with versions that call dlsym()
 * before they work. */
bool lines_name_is(const char *name, const char *other);
bool lines_name_begins(const char *name, const char *start);

/* True if a function with this name is such a call. */
bool lines_is(const char *name);
/* A function that adds the option to a call of `real`, always the same one for a given `real`.
 * Returns `real` itself if there are no more free functions. */
LinesCall *lines_added(LinesCall *real);

#endif
