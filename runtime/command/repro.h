/*
 * repro.h: --repro: a folder that shows a failure again with one command, elsewhere too.
 *
 *   run.sh      the command line as it was given, on the files of this folder
 *   files/      what the run read, by its whole path: relative names mean the same again
 *   made/       what it made: generated sources, the compiler's PTX
 *   facts.txt   version, command, exit code, what was found of CUDA, the machine
 *   stdout.txt, stderr.txt
 */
#ifndef KGEN_COMMAND_REPRO_H
#define KGEN_COMMAND_REPRO_H

#include "base/text.h"

typedef struct Repro Repro;

/* NULL, with the reason in *why, if the folder cannot be made or is not empty: existing contents
 * are never overwritten. */
Repro *repro_open(Arena *a, const char *folder, int argc, char *const *argv, Text *why);

/* What the run reads or names, as it is named: a file, or a folder without those within. All of
 * these do nothing if r is NULL. */
void repro_reads(Repro *r, const char *path);
/* The same with all files of a folder. */
void repro_reads_folder(Repro *r, const char *path);
/* A file or folder that the command line does not name, and must: after `option`, if not NULL. */
void repro_adds(Repro *r, const char *option, const char *path);
/* A file of made/. */
void repro_makes(Repro *r, const char *name, const char *text, size_t length);
/* What went to stderr. */
void repro_record_stderr(Repro *r, const char *text, size_t length);

/* Writes the folder, and appends to *why how to use it, or what could not be written. */
void repro_write(Repro *r, int exit_code, const Text *data, Text *why);
/* Nothing went wrong: a folder that was made is removed. */
void repro_drop(Repro *r);

#endif
