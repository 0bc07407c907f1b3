/* SPDX-License-Identifier: MIT */
/* native.h: shared by the emulator and the C that it generates from a kernel's instructions. The
 * generated text starts with this file, prelude_values.h, prelude_halves.h and prelude_access.h. */
#ifndef KGEN_EMU_TRANSLATE_NATIVE_H
#define KGEN_EMU_TRANSLATE_NATIVE_H

#include <stdint.h>

/* A buffer of global memory: the first members of Buffer (memory/memory.h). */
typedef struct {
  uint64_t base, bytes;
  uint8_t *host;
} NativeBuffer;

/* The latest start address of an access, and its distance from the one before: Stride
 * (run/state/block.h). */
typedef struct {
  uint64_t address, step;
} NativeStride;

enum { NATIVE_SITES = 16 }; /* number of cached lookups per block */

/* A warp as the generated code sees it. A register is 32 times 64 bits. */
typedef struct NativeWarp {
  uint64_t *frame;
  const uint64_t *special, *block; /* special registers of the warp, and of the block */
  uint32_t *pred;
  uint32_t mask; /* the lanes that execute; other lanes keep their registers and predicates */
  int joins;     /* other lanes wait somewhere to reconverge with them: see `meets` */
  uint8_t *shared;
  uint64_t shared_bytes;
  uint8_t *local; /* local memory of all lanes, bytes per lane; start and end of the frame */
  uint64_t local_bytes, local_frame, local_end;
  NativeBuffer constants; /* the module's constant memory, at address 0 */
  const uint8_t *params;
  /* cached buffers, indexed by site modulo NATIVE_SITES; NULL: none yet */
  const NativeBuffer **recent;
  NativeStride *stride;
  int64_t left; /* instructions left in the time slice */
  uint64_t lane_steps;
  /* identifies the current run; addresses cached by the interpreter are valid for one run */
  uint64_t *run;
  uint32_t changed; /* not 0: memory that others may read has changed */
  uint32_t polled;  /* not 0: shared memory that a loop may poll has been read */
  /* not 0: the interpreter has polled memory, so it must determine which stores to shared memory
   * change it */
  uint32_t looks;
  void *warp;
  /* Executes the instruction at pc by the interpreter, on registers in memory. */
  void (*execute)(void *warp, int32_t pc, uint32_t active);
  /* True if other lanes wait to reconverge after `from`, up to `to`. */
  int (*meets)(void *warp, int32_t from, int32_t to);
  /* Finds the buffer of an address and caches it for the site; NULL: none. */
  const NativeBuffer *(*find)(void *warp, uint32_t site, uint64_t address);
} NativeWarp;

/* Executes consecutive instructions for the lanes in the mask. Returns the pc at which to continue
 * or, if the time slice ended, its complement. */
typedef int32_t (*NativeRun)(NativeWarp *w);

/* The generated text defines `native_runs`, an array of these that ends with a NULL run. */
typedef struct {
  int32_t pc;
  int whole; /* valid only if all lanes are active */
  NativeRun run;
} NativeEntry;

#endif
