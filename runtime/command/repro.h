/* SPDX-License-Identifier: MIT */
/*
 * repro.h: --repro: writes a directory that reproduces a failure with one command, on any machine.
 *
 *   run.sh      the same command line, applied to the files of this directory
 *   files/      the run's inputs under their absolute paths, so that relative names stay valid
 *   made/       the run's intermediate files: generated sources, the compiler's PTX
 *   facts.txt   version, command, exit code, the CUDA installation, the machine
 *   stdout.txt, stderr.txt
 */
#ifndef KGEN_COMMAND_REPRO_H
#define KGEN_COMMAND_REPRO_H

#include "base/diag.h"

typedef struct Repro Repro;

/* Creates the directory. NULL, with the reason in *why, on failure, or if it is not empty: existing
 * contents are never overwritten. */
Repro *repro_open(Arena *a, const char *folder, int argc, char *const *argv, Diag *diag);

/* Records an input by the name that the run uses for it: a file, or a directory without its files.
 * Every function below accepts r = NULL and then does nothing. */
void repro_reads(Repro *r, const char *path);
/* Records a directory with all its files. */
void repro_reads_folder(Repro *r, const char *path);
/* Adds a path to the command line in run.sh, after `option` if that is not NULL. */
void repro_adds(Repro *r, const char *option, const char *path);
/* Adds a file to made/. */
void repro_makes(Repro *r, const char *name, const char *text, size_t length);
/* Records text that went to stderr. */
void repro_record_stderr(Repro *r, const char *text, size_t length);

/* Writes the directory, and appends to *why how to use it, or which file could not be written. */
void repro_write(Repro *r, int exit_code, const Text *data, Diag *diag);
/* For a run without a failure: removes the directory if repro_open() created it. */
void repro_drop(Repro *r);

#endif
