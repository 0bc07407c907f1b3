/* SPDX-License-Identifier: MIT */
/* file.h: reads and writes whole files. */
#ifndef KGEN_BASE_FILE_H
#define KGEN_BASE_FILE_H

#include "base/text.h"

/* Reads the whole file into the arena, NUL-terminated; NULL with errno set: EFBIG beyond max bytes,
 * EISDIR for a directory. A pipe is read to its end; if it has no writer yet, waits for one up to a
 * second. */
char *file_read(Arena *a, const char *path, size_t max, size_t *len);
/* Up to `bytes` bytes from an offset on, of a file or pipe; *len is what there is. NULL with errno
 * set. */
char *file_read_part(Arena *a, const char *path, uint64_t offset, uint64_t bytes, size_t *len);
/* Writes all of it to an open file. False with errno set. */
bool file_put(int fd, const char *data, size_t len);
/* True if the file holds exactly this data. */
bool file_holds(const char *path, const char *data, size_t len);
/* Writes a file that must not exist yet. False with errno set on failure, when part of it may
 * exist. */
bool file_create(const char *path, const char *data, size_t len);
/* True if `path` does not exist or is a regular file: a rename may replace it. */
bool file_is_plain(const char *path);
/* Renames a file to `path`, keeping the mode of an existing file. False with errno set. */
bool file_replace(const char *temporary, const char *path);
/* Writes through a scratch directory next to the file, or next to the target of a link, and
 * renames, so that a reader never sees half a file. Pipes and devices are written directly. False
 * with errno set on failure; an existing file is then unchanged. */
bool file_write(const char *path, const char *data, size_t len);
/* True for a regular file, or a link to one, which can be read more than once. */
bool file_is_regular(const char *path);
/* True for an executable regular file. */
bool file_is_program(const char *path);
/* The first executable of that name in the directories of $PATH (only absolute ones if `absolute`);
 * NULL: none. */
const char *file_in_path(Arena *a, const char *name, bool absolute);
/* The part of a path after its last slash. */
const char *path_name(const char *path);
/* The directory part of a path; "." if it has no slash. */
const char *path_folder(Arena *a, const char *path);
/* The path relative to the directory, if that is not NULL and is a prefix of the path; else the
 * path unchanged. */
const char *path_below(const char *folder, const char *path);
/* `name` relative to the directory of `file`; an absolute name is returned unchanged. */
const char *path_beside(Arena *a, const char *file, const char *name);
/* The directory of the running command, with links resolved; NULL if /proc does not provide it. */
const char *folder_of_command(Arena *a);
/* True if it is a directory, or a link to one. */
bool folder_exists(const char *path);
/* Creates a directory and its missing parents. False with errno set. */
bool folder_make(const char *path, unsigned mode);

#endif
