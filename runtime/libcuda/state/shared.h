/*
 * shared.h: memory that several processes map, for handles that they pass on. Its pages are of a
 * file without a name, which others open by the process that made it and its descriptor there, as
 * long as that has not dropped it.
 */
#ifndef KGEN_LIBCUDA_STATE_SHARED_H
#define KGEN_LIBCUDA_STATE_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { SHARED_MEMORY = 0x6b670001, SHARED_EVENT } SharedKind;

/* What of CUipcMemHandle and CUipcEventHandle we fill. */
typedef struct {
  uint32_t kind;
  int32_t process, file;
  uint64_t inode, bytes; /* of the file, lest the descriptor is another one's by now */
  uint64_t reserved[4];
} SharedHandle;

typedef struct {
  void *host;
  size_t bytes;
  int file; /* -1: another process's */
  uint64_t inode;
  unsigned opens; /* of another process's, less those that were closed */
} Shared;

/* Zeros; NULL when out of memory. */
Shared *shared_new(size_t bytes);
/* NULL if the process has ended or has dropped it. */
Shared *shared_open(const SharedHandle *h);
/* Unmaps it; of NULL nothing. */
void shared_drop(Shared *s);
/* The handle of one that this process made. */
SharedHandle shared_handle(const Shared *s, SharedKind kind);
/* Whether it was opened by that handle. */
bool shared_is(const Shared *s, const SharedHandle *h);

#endif
