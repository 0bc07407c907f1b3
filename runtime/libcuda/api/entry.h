/* SPDX-License-Identifier: MIT */
/* entry.h: looks up API functions by name. */
#ifndef KGEN_LIBCUDA_API_ENTRY_H
#define KGEN_LIBCUDA_API_ENTRY_H

#include <stdbool.h>

/* The generic type of an entry point; callers convert it to the function's own type. */
typedef void Entry(void);

/* CUdriverProcAddressQueryResult. */
typedef enum { ENTRY_FOUND, ENTRY_UNKNOWN, ENTRY_TOO_NEW } EntryQuery;

/* Finds the newest version of a function that is in the given CUDA version. With `per_thread`,
 * finds the variant whose default stream is the thread's own, if there is one. */
EntryQuery entry_find(const char *name, int version, bool per_thread, Entry **out);

#endif
