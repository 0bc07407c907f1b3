/* host.h: detects misuse of the API by the host, and writes the process's file of a session.
 */
#ifndef KGEN_LIBCUDA_WATCH_HOST_H
#define KGEN_LIBCUDA_WATCH_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "emu/emu.h"

/* The program allocated memory; `what` describes it, as "device memory" does. */
void host_allocated(uint64_t base, uint64_t bytes, const char *what);
void host_freed(uint64_t base);
/* The program tried to free an address that no allocation begins at. */
void host_cannot_free(uint64_t address);
/* A launch was refused with an error, or a kernel started. The names are copied. */
void host_launch_failed(const char *kernel, const char *error);
void host_launched(const char *kernel);
/* A launch that is not judged ended before its end. */
void host_launch_stopped(const char *kernel, const EmuResult *result);
/* A launch failed for good: from then on no call can free memory. */
void host_context_failed(void);
/* A function of the API was called, and its arguments are valid so far. */
void host_called(const char *function);
/* A kernel ran unchecked. */
void host_unchecked(const char *kernel);
/* A judged launch of the kernel waits for the host from now on, or has ended. */
void host_waits(const char *kernel, bool now);
/* The program called an unsupported function. */
void host_missed(const char *what);
/* A module was refused; `why` says what it holds. */
void host_module_refused(const char *why);

/* Writes the process's file when the process first calls CUDA. */
void host_begin(void);
/* Writes the file for the last time. At an exit whose handlers have run, allocations that are still
 * alive have leaked. */
void host_close(bool at_end);

#endif
