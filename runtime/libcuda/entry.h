/* entry.h: every function of the API by its name: entry.def. */
#ifndef KGEN_LIBCUDA_ENTRY_H
#define KGEN_LIBCUDA_ENTRY_H

/* Functions of other types are called through their real ones. */
typedef void Entry(void);

/* CUdriverProcAddressQueryResult. */
typedef enum { ENTRY_FOUND, ENTRY_UNKNOWN, ENTRY_TOO_NEW } EntryQuery;

/* The newest form that the version of CUDA knows. That default streams are of the thread makes no
 * difference: everything has run when a call returns. */
EntryQuery entry_find(const char *name, int version, Entry **out);

#endif
