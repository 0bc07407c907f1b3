/* SPDX-License-Identifier: MIT */
/* shared.h: memory that several processes map, for IPC handles. Its pages belong to an unnamed
 * file. Other processes open the file through the creating process and its descriptor there, until
 * that process drops it. */
#ifndef KGEN_LIBCUDA_STATE_SHARED_H
#define KGEN_LIBCUDA_STATE_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { SHARED_MEMORY = 0x6b670001, SHARED_EVENT } SharedKind;

/* The part of CUipcMemHandle and CUipcEventHandle that kgen fills. */
typedef struct {
  uint32_t kind;
  int32_t process, file;
  uint64_t inode, bytes; /* identify the file, to detect a reused descriptor */
  uint64_t reserved[4];
} SharedHandle;

typedef struct {
  void *host;
  size_t bytes;
  int file; /* -1: created by another process */
  uint64_t inode;
  unsigned opens; /* for another process's memory: number of opens minus closes */
} Shared;

/* Creates zeroed memory; NULL when out of memory. */
Shared *shared_new(size_t bytes);
/* NULL if the creating process has ended or has dropped the memory. */
Shared *shared_open(const SharedHandle *h);
/* Unmaps it; does nothing for NULL. */
void shared_drop(Shared *s);
/* The handle of memory that this process created. */
SharedHandle shared_handle(const Shared *s, SharedKind kind);
/* True if it was opened through that handle. */
bool shared_is(const Shared *s, const SharedHandle *h);

#endif
