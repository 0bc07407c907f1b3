/* SPDX-License-Identifier: MIT */
/* host.h: detects misuse of the API by host code, and writes the process's file of a session. */
#ifndef KGEN_LIBCUDA_WATCH_HOST_H
#define KGEN_LIBCUDA_WATCH_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "emu/emu.h"

/* The program allocated memory; `what` names its kind, such as "device memory". */
void host_allocated(uint64_t base, uint64_t bytes, const char *what);
void host_freed(uint64_t base);
/* The program tried to free an address at which no allocation begins. */
void host_cannot_free(uint64_t address);
/* A launch call returned an error; a kernel was started. The names are copied. */
void host_launch_failed(const char *kernel, const char *error);
void host_launched(const char *kernel);
/* An unchecked launch was stopped by an error. */
void host_launch_stopped(const char *kernel, const EmuResult *result);
/* A launch failed with a sticky error: later calls cannot free memory. */
void host_context_failed(void);
/* An API function was called with arguments that are valid so far. */
void host_called(const char *function);
/* A kernel ran unchecked. */
void host_unchecked(const char *kernel);
/* A checked launch of the kernel begins or ends waiting for the host. */
void host_waits(const char *kernel, bool now);
/* The program called an unsupported function. */
void host_missed(const char *what);
/* A module could not be loaded; `why` describes its contents. */
void host_module_refused(const char *why);

/* Writes the process's file at the process's first CUDA call. */
void host_begin(void);
/* Writes the file for the last time. at_end: the exit handlers have run, so allocations that are
 * still alive are leaks. */
void host_close(bool at_end);

#endif
