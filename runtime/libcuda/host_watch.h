/* host_watch.h: what the program does wrong on the host's side, and the process's file of a
 * session. Calls are told with the driver's lock held. */
#ifndef KGEN_LIBCUDA_HOST_WATCH_H
#define KGEN_LIBCUDA_HOST_WATCH_H

#include <stdint.h>

/* Memory that the program allocated: `what` as in "device memory". */
void host_allocated(uint64_t base, uint64_t bytes, const char *what);
void host_freed(uint64_t base);
/* It asked to free what is not allocated. */
void host_cannot_free(uint64_t address);
/* A launch was refused, with the error of that name; or a kernel began. The names stay. */
void host_launch_failed(const char *kernel, const char *error);
void host_launched(const char *kernel);
/* A function of the API is about to work. */
void host_called(const char *function);
/* It called what kgen does not serve. */
void host_missed(const char *what);

/* That this process calls CUDA: its file is there from then on. */
void host_begin(void);
/* At the end: what is still allocated has leaked. */
void host_close(void);

#endif
