/* SPDX-License-Identifier: MIT */
/* allocation.h: the program's allocations. Device memory has addresses of the emulator. Pinned,
 * registered and managed memory is host memory, with one address for host and device. */
#ifndef KGEN_LIBCUDA_STATE_ALLOCATION_H
#define KGEN_LIBCUDA_STATE_ALLOCATION_H

#include <stdbool.h>

#include "base/ranges.h"
#include "libcuda/abi.h"
#include "libcuda/state/shared.h"

/* Number of bytes per flag in `written`. */
enum { WRITTEN_WORD = 4 };

typedef enum { KIND_DEVICE, KIND_PINNED, KIND_REGISTERED, KIND_MANAGED } AllocationKind;

typedef struct {
  uint64_t base, bytes; /* as an AddressRange */
  AllocationKind kind;
  unsigned flags;
  unsigned long long id;
  const void *pool;  /* the pool that it came from; or NULL */
  CUcontext context; /* the context that was current; NULL: none */
  uint8_t *written;  /* one flag per word: something has written it; NULL: all words count as
                        written */
  bool fixed;        /* belongs to a graph, or is mapped at an address that the program reserved */
  Shared *shared;    /* its pages, if they are shared with other processes; or NULL */
} Allocation;

/* Allocates zeroed memory of any kind except registered. */
CUresult allocation_new(AllocationKind kind, uint64_t bytes, unsigned flags, const void *pool,
                        uint64_t *out);
/* Allocates device memory at an address that allocation_new() returned earlier and that was
 * freed. */
CUresult allocation_new_at(uint64_t base, uint64_t bytes);
uint64_t allocation_of_graphs(void); /* total bytes of these */
CUresult allocation_drop(uint64_t base);
/* Frees all allocations, because their context was destroyed. */
void allocation_reset(void);
/* Returns the allocation that contains the address, or NULL. The pointer is valid until the next
 * call of allocation_new() or allocation_drop(). */
const Allocation *allocation_at(uint64_t address);
/* True if another process allocated the memory. */
bool allocation_is_opened(const Allocation *a);
/* True if other processes may map the memory: cuMemAlloc allocated it. */
bool allocation_can_share(const Allocation *a);
/* Moves the allocation at an address to pages that other processes can map. NULL when out of
 * memory. */
Shared *allocation_share(uint64_t address);
/* Adds another process's memory as an allocation, which then owns it, unless the call fails. */
CUresult allocation_new_shared(Shared *s, uint64_t *out);
/* Returns the allocation that a handle was opened as, or NULL. */
const Allocation *allocation_find_opened(const SharedHandle *h);
/* Finds the allocation, or the module variable, which the emulator allocates. False if there is
 * neither. */
bool allocation_known(uint64_t address, Allocation *out);
/* Returns the context in which the memory was allocated; NULL: none. */
CUcontext allocation_context(uint64_t address);
/* Returns the host address of `bytes` bytes at a device or host address. NULL if the range exceeds
 * a device allocation. The range counts as written afterwards. */
void *allocation_view(uint64_t address, uint64_t bytes);
/* Returns the number of bytes, at most `bytes`, from an address to the end of its mapping. Adjacent
 * mappings may be separate allocations. */
size_t allocation_piece(uint64_t address, size_t bytes);
/* True if a range that begins at `first` may include the other address. Both are then in one
 * allocation, or the address is in another mapping, or both are in memory that CUDA does not
 * know. */
bool allocation_goes_on(uint64_t first, uint64_t address);
/* True for host memory that CUDA does not know: neither pinned, registered nor managed. */
bool allocation_foreign(uint64_t address);
/* Marks all memory as written, for an unchecked launch. */
void allocation_written(void);

#endif
