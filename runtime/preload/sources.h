/* SPDX-License-Identifier: MIT */
/* sources.h: the source strings that the program passes to NVRTC, so that reports can quote
 * them. */
#ifndef KGEN_PRELOAD_SOURCES_H
#define KGEN_PRELOAD_SOURCES_H

/* nvrtcCreateProgram(program, text, name, headers, their texts, the names they are included by). */
typedef int SourcesCall(void *program, const char *text, const char *name, int headers,
                        const char *const *header, const char *const *include);

/* A function that stores the source strings of a call of `real`, always the same one for a given
 * `real`. Returns `real` itself if there are no more free functions. A source without a name, and
 * each further one with the same name, gets a number: NAME#2. */
SourcesCall *sources_kept(SourcesCall *real);
/* The source string that NVRTC knows by that path, as in .file, where names follow the working
 * directory. NULL if there is none, or more than one. It is valid until the process ends. */
const char *sources_text(const char *path);

#endif
