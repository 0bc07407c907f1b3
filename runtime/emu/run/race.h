/*
 * race.h: reports of accesses to shared memory that nothing orders. Every 4-byte word remembers its
 * last write and two last readers, single bytes where accesses are narrower.
 */
#ifndef KGEN_EMU_RACE_H
#define KGEN_EMU_RACE_H

#include "emu/run/block.h"
#include "emu/run/box.h"

/* Bytes for each byte of shared memory, about. */
enum { RACE_BYTES = 64 };

/* NULL when out of memory. An unjudged block has none: what is told of it is dropped. */
Race *race_new(uint32_t shared_bytes);
void race_free(Race *race);
/* A new block begins: nothing has been accessed. */
void race_start(Race *race);

/* Before threads of the block come to be ordered otherwise than by a meeting of all its warps. */
void race_catch_up(Race *race);

/* All warps of the block meet: what they did is ordered before what they do next. */
void race_meet(Race *race);

typedef enum { RACE_READ, RACE_WRITE, RACE_ATOMIC } RaceKind;

/* One warp-wide access: `bytes` at offset[lane] of every active lane, before it happens.
 * value[lane] are the bytes of a write: one that changes nothing races with no other write. */
void race_access(Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                 const uint64_t offset[LANES], unsigned bytes, const uint8_t *const value[LANES]);

/* The same in the shared memory of another block of the cluster. */
void race_access_of(Block *owner, Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                    const uint64_t offset[LANES], unsigned bytes,
                    const uint8_t *const value[LANES]);

/* The last write to the unit of `bytes` bytes, a word or a single one, that holds a byte. */
typedef struct {
  bool generic;          /* by an ordinary instruction, and not yet marked as fenced */
  uint32_t thread, tick; /* as in order.h */
  int32_t pc;
  unsigned bytes;
} RaceWrite;

RaceWrite race_last_write(const Race *race, uint64_t at);
/* A lane's instruction lets the async proxy read `bytes`: reports the first one that is not written
 * before it. True if there is none. */
bool race_async_read(Warp *w, const Insn *insn, unsigned lane, uint64_t offset, uint64_t bytes);
/* A proxy fence of some lanes of a warp: marks what was written before it. */
void race_proxy_fence(Warp *w, uint32_t lanes);

/* A bulk copy that a lane issues: its box in the owner's shared memory is written, or read. The
 * lane must come behind all others that touched it; from here until it has landed, or was read,
 * nobody may touch it, or write it. */
void race_bulk_issue(Block *owner, Warp *w, const Insn *insn, unsigned lane, RaceKind kind,
                     const Box *box);
/* It lands: who waits on its mbarrier may touch it. */
void race_bulk_land(Block *owner, const Insn *insn, const Box *box);
/* It was read, as the lane of the warp knows. */
void race_bulk_read(Warp *w, const Insn *insn, unsigned lane, const Box *box);
/* The same without anybody's knowing: of a source in another block. */
void race_bulk_leave(Block *owner, const Box *box);

/* The block is about to end: reports what other blocks of the cluster did in its shared memory, and
 * no thread of it has waited for. */
void race_check_remote(Block *block);

/* An asynchronous write of a lane is in flight: until it is done nobody may touch the bytes. */
void race_async_issue(Warp *w, unsigned lane, uint32_t offset, unsigned bytes);
void race_async_done(Warp *w, uint32_t offset, unsigned bytes);

#endif
