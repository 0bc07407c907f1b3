/* sources.h: the texts that the program's process has NVRTC compile, so that reports can quote
 * them. */
#ifndef KGEN_PRELOAD_SOURCES_H
#define KGEN_PRELOAD_SOURCES_H

/* nvrtcCreateProgram(program, text, name, headers, their texts, the names they are included by). */
typedef int SourcesCall(void *program, const char *text, const char *name, int headers,
                        const char *const *header, const char *const *include);

/* A function that keeps the texts of a call of `real`, the same one each time; `real` itself if
 * more different ones were asked for than there are places for. A text without a name, and each
 * further one of a name, gets a number: NAME#2. */
SourcesCall *sources_kept(SourcesCall *real);
/* The text that NVRTC knows by that path, as .file has it: names come after the working folder.
 * NULL if there is none, or more than one. It stays until the process ends. */
const char *sources_text(const char *path);

#endif
