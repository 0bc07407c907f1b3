/* entry.h: looks up functions of the API by name. */
#ifndef KGEN_LIBCUDA_ENTRY_H
#define KGEN_LIBCUDA_ENTRY_H

/* The generic type of an entry point; callers convert it to the function's own type. */
typedef void Entry(void);

/* CUdriverProcAddressQueryResult. */
typedef enum { ENTRY_FOUND, ENTRY_UNKNOWN, ENTRY_TOO_NEW } EntryQuery;

/* Finds the newest version of a function that the given version of CUDA has. Forms for per-thread
 * default streams are the same functions: their default stream is the legacy one, which orders more
 * than it has to. */
EntryQuery entry_find(const char *name, int version, Entry **out);

#endif
