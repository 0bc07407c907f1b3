/* lines.h: compilers in the program's process, asked for line information. */
#ifndef KGEN_PRELOAD_LINES_H
#define KGEN_PRELOAD_LINES_H

#include <stdbool.h>

/* nvrtcCompileProgram(program, count, options) and nvJitLinkCreate(handle, count, options). */
typedef int LinesCall(void *of, int count, const char *const *option);

/* As strcmp() and strncmp(), which a program's sanitizer replaces, and calls dlsym before they
 * work. */
bool lines_name_is(const char *name, const char *other);
bool lines_name_begins(const char *name, const char *start);

/* Whether a function of this name is such a call. */
bool lines_is(const char *name);
/* A function that adds the option to a call of `real`, the same one each time; `real` itself if
 * more different ones were asked for than there are places for. */
LinesCall *lines_added(LinesCall *real);

#endif
