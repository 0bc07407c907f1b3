/* worker.h: a launch, and a host thread that executes its blocks and collects counters and
 * findings. */
#ifndef KGEN_EMU_WORKER_H
#define KGEN_EMU_WORKER_H

#include <stdatomic.h>

#include "emu/run/heap.h"
#include "emu/run/print.h"
#include "emu/run/warp.h"

#define NO_BLOCK UINT64_MAX

/* What all host threads of a launch share. */
typedef struct {
  const EmuLaunch *config;
  const Program *program;
  EmuMemory *memory;
  const uint8_t *params, *const_bank;
  uint32_t const_bytes;
  uint64_t *consts; /* constants, broadcast to lanes */
  uint64_t blocks;
  uint64_t max_steps;
  _Atomic uint64_t next;       /* block */
  _Atomic uint64_t stopped_by; /* the lowest block that ended the launch; NO_BLOCK: none */
  atomic_bool out_of_memory, out_of_steps;
  Worker *worker; /* all of them */
  int workers;
  Heap *heap;
  Printed printed;
} Launch;

typedef struct {
  EmuFinding finding;
  const Insn *insn;
  uint64_t block;
} Found;

struct Worker {
  Launch *launch;
  const Program *program;
  uint64_t max_steps;
  Block block;
  _Atomic uint64_t current; /* block; NO_BLOCK when done */
  EmuAccess *access;        /* two per site: global, shared */
  Found found[MAX_FINDINGS];
  int findings;
  uint64_t lane_instructions, warp_instructions;
  const Buffer *last_buffer;
};

/* Takes blocks until none is left; counters and findings stay in the worker. */
void worker_run(Worker *worker);
/* Allocates what the launch needs; false when out of memory. */
bool worker_open(Worker *worker, Launch *launch);
void worker_close(Worker *worker);

/*
 * Notes `count` occurrences of a fault by a thread (its linear index within the block). Returns
 * true the first time: worker_describe() then gives it its text.
 */
bool worker_find(Worker *worker, EmuFindingKind kind, const Insn *insn, uint32_t thread,
                 uint64_t count);
void worker_describe(Worker *worker, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Ends the launch with a max-steps finding. */
void worker_out_of_steps(Warp *w);
/* Ends the launch. */
void block_stop(Block *block);
/* A warp's lanes end: barriers may now be complete. */
void block_lanes_exit(Warp *w, const Insn *insn, uint32_t active);

static inline uint32_t warp_thread(const Warp *w, unsigned lane) {
  return (uint32_t)w->index * LANES + lane;
}

/* x, y, z of a thread, for messages. */
void thread_xyz(const Block *block, uint32_t thread, uint32_t xyz[3]);

#endif
