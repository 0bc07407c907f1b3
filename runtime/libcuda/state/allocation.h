/* allocation.h: the program's allocations. Device memory has addresses of the emulator; pinned,
 * registered and managed memory is host memory, with the same address on both sides. */
#ifndef KGEN_LIBCUDA_STATE_ALLOCATION_H
#define KGEN_LIBCUDA_STATE_ALLOCATION_H

#include <stdbool.h>

#include "libcuda/abi.h"
#include "libcuda/state/shared.h"

/* The bytes that one mark of `written` covers. */
enum { WRITTEN_WORD = 4 };

typedef enum { KIND_DEVICE, KIND_PINNED, KIND_REGISTERED, KIND_MANAGED } AllocationKind;

typedef struct {
  uint64_t base, bytes;
  AllocationKind kind;
  unsigned flags;
  unsigned long long id;
  const void *pool;  /* that it was taken from; or NULL */
  CUcontext context; /* that was current; NULL: none */
  uint8_t *written; /* of each word whether something wrote it; NULL: all of it counts as written */
  bool fixed;       /* a graph's, or mapped at an address that the program has reserved */
  Shared *shared;   /* its pages, which other processes map, or another process's; or NULL */
} Allocation;

/* Allocates zeroed memory of any kind but registered. */
CUresult allocation_new(AllocationKind kind, uint64_t bytes, unsigned flags, const void *pool,
                        uint64_t *out);
/* Allocates device memory at an address that allocation_new returned before, and that was freed. */
CUresult allocation_new_at(uint64_t base, uint64_t bytes);
uint64_t allocation_of_graphs(void); /* bytes of those */
CUresult allocation_drop(uint64_t base);
/* Frees all allocations, whose context is gone. */
void allocation_reset(void);
/* Returns the allocation that contains the address, or NULL. It is valid until the next call of
 * allocation_new or allocation_drop. */
const Allocation *allocation_at(uint64_t address);
/* Whether another process made it. */
bool allocation_is_opened(const Allocation *a);
/* Whether other processes may map it: what cuMemAlloc made. */
bool allocation_can_share(const Allocation *a);
/* Moves the allocation at an address to pages that other processes can map; NULL when out of
 * memory. */
Shared *allocation_share(uint64_t address);
/* Makes another process's memory an allocation, which owns it then, if that succeeds. */
CUresult allocation_new_shared(Shared *s, uint64_t *out);
/* Returns the allocation that a handle has been opened as, or NULL. */
const Allocation *allocation_find_opened(const SharedHandle *h);
/* Sets the allocation, or a module's variable, which the emulator allocates; false: neither is
 * there. */
bool allocation_known(uint64_t address, Allocation *out);
/* Returns the context that it was made in; NULL: none. */
CUcontext allocation_context(uint64_t address);
/* Returns the host address of `bytes` at a device or host address, or NULL if the range exceeds a
 * device allocation. The range counts as written from then on. */
void *allocation_view(uint64_t address, uint64_t bytes);
/* Of so many bytes from the address on, those that lie in one piece: memory that is mapped piece by
 * piece has the next one's right behind it. */
size_t allocation_piece(uint64_t address, size_t bytes);
/* Whether what begins at `first` may go on at the other address: in the same allocation, in another
 * mapped piece, and anywhere in memory of which CUDA knows nothing. */
bool allocation_goes_on(uint64_t first, uint64_t address);
/* Whether it is the host's memory, of which CUDA knows nothing: neither pinned, registered nor
 * managed. */
bool allocation_foreign(uint64_t address);
/* Marks all memory as written, for a launch that was not judged. */
void allocation_written(void);

#endif
