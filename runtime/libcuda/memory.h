/*
 * memory.h: what programs have allocated. Device memory lies at addresses of the emulator's;
 * pinned, registered and managed memory is the host's, at the same address for both.
 */
#ifndef KGEN_LIBCUDA_MEMORY_H
#define KGEN_LIBCUDA_MEMORY_H

#include <stdbool.h>

#include "libcuda/abi.h"

/* The bytes that `written` has a mark for. */
enum { WRITTEN_WORD = 4 };

typedef enum { KIND_DEVICE, KIND_PINNED, KIND_REGISTERED, KIND_MANAGED } AllocationKind;

typedef struct {
  uint64_t base, bytes;
  AllocationKind kind;
  unsigned flags;
  unsigned long long id;
  const void *pool; /* that it was taken from; or NULL */
  uint8_t *written; /* of each word whether something wrote it; NULL: all of it counts as written */
  bool fixed;       /* a graph's, or mapped at an address that the program has reserved */
} Allocation;

/* Zeroed memory of a kind, but registered. */
CUresult memory_new(AllocationKind kind, uint64_t bytes, unsigned flags, const void *pool,
                    uint64_t *out);
/* Device memory at an address that memory_new gave before, and that has been dropped. */
CUresult memory_new_at(uint64_t base, uint64_t bytes);
uint64_t memory_of_graphs(void); /* bytes of those */
CUresult memory_drop(uint64_t base);
/* The one that holds the address, or NULL; until the next call of memory_new or memory_drop. */
const Allocation *memory_at(uint64_t address);
/* Where `bytes` at an address of the device or of the host lie for the host; NULL if the range
 * leaves an allocation of the device. What is viewed counts as written from then on. */
void *memory_view(uint64_t address, uint64_t bytes);
/* All that there is was written: by a launch that nobody watched. */
void memory_written(void);

#endif
