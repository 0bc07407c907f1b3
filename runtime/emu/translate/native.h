/* native.h: what the emulator and the C that it writes of a kernel's instructions share. That text
 * begins with this file, prelude_values.h, prelude_halves.h and prelude_access.h. */
#ifndef KGEN_EMU_TRANSLATE_NATIVE_H
#define KGEN_EMU_TRANSLATE_NATIVE_H

#include <stdint.h>

/* A buffer of global memory: how memory/memory.h's begins. */
typedef struct {
  uint64_t base, bytes;
  uint8_t *host;
} NativeBuffer;

/* Where an access last began, and how far behind the time before: run/block.h's. */
typedef struct {
  uint64_t address, step;
} NativeStride;

enum { NATIVE_SITES = 16 }; /* places for what accesses found last */

/* A warp, as its instructions see it. A register is 32 times 64 bits. */
typedef struct NativeWarp {
  uint64_t *frame;
  const uint64_t *special, *block; /* registers: of the warp, of the block */
  uint32_t *pred;
  uint32_t mask; /* the lanes that execute; registers and predicates of others stay */
  int joins;     /* other lanes wait for them somewhere: see meets */
  uint8_t *shared;
  uint64_t shared_bytes;
  uint8_t *local; /* lane after lane, so many bytes of each; where its frame is, and ends */
  uint64_t local_bytes, local_frame, local_end;
  NativeBuffer constants; /* the module's constant memory, at 0 */
  const uint8_t *params;
  const NativeBuffer **recent; /* by site modulo NATIVE_SITES; NULL: none yet */
  NativeStride *stride;
  int64_t left; /* instructions of the time slice */
  uint64_t lane_steps;
  uint64_t *run;    /* what the interpreter's accesses have found holds for one of these numbers */
  uint32_t changed; /* not 0: memory that others may read */
  uint32_t polled;  /* not 0: shared memory has been read that a loop may wait for */
  uint32_t looks;   /* not 0: memory has been polled by the interpreter, which tells whether stores
                       to shared memory change it then */
  void *warp;
  /* The interpreter's instruction at pc, on registers in memory. */
  void (*execute)(void *warp, int32_t pc, uint32_t active);
  /* Whether other lanes wait for them behind `from`, up to `to`. */
  int (*meets)(void *warp, int32_t from, int32_t to);
  /* The buffer of an address, which becomes the site's recent one; NULL: none. */
  const NativeBuffer *(*find)(void *warp, uint32_t site, uint64_t address);
} NativeWarp;

/* Executes what follows one another from an instruction on for the mask's lanes; where to go on,
 * or, with the time slice at its end, the complement of that. */
typedef int32_t (*NativeRun)(NativeWarp *w);

/* What the text defines: `native_runs`, an array of these that ends with a run of NULL. */
typedef struct {
  int32_t pc;
  int whole; /* for all lanes only */
  NativeRun run;
} NativeEntry;

#endif
