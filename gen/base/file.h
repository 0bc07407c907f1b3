/* file.h: whole files in and out. */
#ifndef KGEN_BASE_FILE_H
#define KGEN_BASE_FILE_H

#include "base/text.h"

/* The whole file in the arena, NUL-terminated, or NULL with errno set: EFBIG beyond max bytes,
 * EISDIR for a folder. A pipe is read to its end; if nobody writes it yet, one is waited for up to
 * a second. */
char *file_read(Arena *a, const char *path, size_t max, size_t *len);
/* Up to `bytes` bytes from an offset on, of a file or pipe; *len is what there is. NULL with errno
 * set. */
char *file_read_part(Arena *a, const char *path, uint64_t offset, uint64_t bytes, size_t *len);
/* Writes all of it to an open file. False with errno set. */
bool file_put(int fd, const char *data, size_t len);
/* Whether the file holds exactly this. */
bool file_holds(const char *path, const char *data, size_t len);
/* Writes a file that must not exist yet. False with errno set on failure, when part of it may
 * exist. */
bool file_create(const char *path, const char *data, size_t len);
/* Nothing yet, or a regular file: what a rename may take the place of. */
bool file_is_plain(const char *path);
/* Renames a file to `path`, whose mode it takes over if there is one. False with errno set. */
bool file_replace(const char *temporary, const char *path);
/* Writes through a scratch folder beside the file, or beside what a link leads to, and renames, so
 * that a reader never sees half a file. A pipe or a device is written to as it is. False with errno
 * set on failure; an old file then stands unchanged. */
bool file_write(const char *path, const char *data, size_t len);
/* A regular file, or a link to one: what can be read more than once. */
bool file_is_regular(const char *path);
/* A regular file that may be executed. */
bool file_is_program(const char *path);
/* The first such file of that name in the folders of $PATH, of absolute ones alone if `absolute`;
 * NULL: none. */
const char *file_in_path(Arena *a, const char *name, bool absolute);
/* What follows the last slash of a path. */
const char *path_name(const char *path);
/* The folder of the file that a path names; "." if it has no slash. */
const char *path_folder(Arena *a, const char *path);
/* The path as it is named from the folder, if that is not NULL and the path begins with it; else as
 * it is. */
const char *path_below(const char *folder, const char *path);
/* `name` as seen from the folder of `file`; an absolute name stays as it is. */
const char *path_beside(Arena *a, const char *file, const char *name);
/* The folder of the running command, links followed; NULL where /proc does not say. */
const char *folder_of_command(Arena *a);
/* Whether it is a folder, or a link to one. */
bool folder_exists(const char *path);
/* Makes a folder and those above it, as far as they are missing. False with errno set. */
bool folder_make(const char *path, unsigned mode);

#endif
