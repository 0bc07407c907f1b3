/* SPDX-License-Identifier: MIT */
/* block.h: the state of a launch, of a running block, of its warps, and of splits (groups of lanes
 * that share a pc). A launch has workers, which are host threads. A worker holds clusters of
 * resident blocks (sched/resident.h) and reuses their storage for later blocks. */
#ifndef KGEN_EMU_RUN_STATE_BLOCK_H
#define KGEN_EMU_RUN_STATE_BLOCK_H

#include <stdatomic.h>

#include "emu/arith/lanes.h"
#include "emu/code/bases.h"
#include "emu/memory/gather.h"
#include "emu/memory/memory.h"
#include "emu/run/state/child.h"
#include "emu/run/state/local.h"
#include "emu/run/state/print.h"
#include "emu/translate/native.h"

enum {
  MAX_WARPS = 32,
  MAX_RECORDS = 64,
  MAX_CALL_DEPTH = 4096,
  BARRIERS = 16,
  CLUSTER_BARRIER = BARRIERS, /* value of Split.barrier for the cluster's barrier */
  MAX_CLUSTER = 16,           /* blocks */
  BARRIER_HISTORY = 64,
  RECENT_BUFFERS = 16,
  ACQUIRED_MAPS = 8,
  MAX_FINDINGS = 256,
  PROCESSORS = 132,       /* SMs of an H200 */
  RESERVED_SHARED = 1024, /* bytes of each block's shared memory that the system reserves */
  NO_RECORD = -1
};

#define NO_BLOCK UINT64_MAX

/* --- a launch --- */

typedef struct Worker Worker;
typedef struct GlobalRace GlobalRace;
typedef struct Overlap Overlap;
typedef struct SyncLogs SyncLogs;
typedef struct BlockPool BlockPool;

/* An order of warps and blocks: sched/schedule.h. */
typedef struct {
  int number, kind; /* number 0: the usual one */
  int favourite;    /* the warp that runs first or last */
  uint64_t random;
  uint64_t first, stride; /* cluster first + i * stride starts as the i-th one */
} Schedule;

/* The state of a launch, shared by all host threads. */
typedef struct {
  const EmuLaunch *config;
  const Program *program;
  EmuMemory *memory;
  const uint8_t *params, *const_bank;
  uint32_t const_bytes;
  uint64_t const_alias; /* address of constant memory for stores; 0: the program has not asked */
  uint64_t *consts;     /* constants, broadcast to lanes */
  uint64_t blocks;
  uint32_t cluster[3]; /* blocks per cluster along each dimension */
  bool explicit_cluster;
  int cluster_blocks; /* blocks per cluster; blocks are numbered cluster by cluster */
  uint64_t max_steps;
  /* execute only: blocks have no Race and no Order, and undefined bits are not tracked */
  bool unchecked;
  const GatherLevel *gather;
  _Atomic uint64_t next;       /* the next cluster to start */
  _Atomic uint64_t stopped_by; /* the lowest-numbered block that ended the launch, or NO_BLOCK */
  atomic_bool out_of_memory, out_of_steps;
  atomic_bool illegal; /* a lane accessed an address where no GPU has memory */
  atomic_bool cut;     /* the progress callback returned false: start no more blocks */
  /* number of rounds in which some block did more than poll, starting at 1 */
  _Atomic uint64_t progress;
  _Atomic uint64_t idle; /* warp instructions executed since every block only polls */
  uint64_t waited;       /* value of `idle` summed over earlier parts of this launch */
  uint64_t patience;     /* park the launch after this many idle instructions; 0: never */
  atomic_bool parked;    /* workers return and keep their blocks */
  atomic_int residents;  /* blocks that have started and not ended */
  int most_residents;
  unsigned cycles; /* clock cycles per warp instruction, as the clock registers advance */
  Worker *worker;  /* array of all workers */
  int workers;
  Heap *heap;
  Schedule schedule;
  SyncLogs *logs;          /* for the search for hangs; NULL: none is asked for */
  BlockPool *pool;         /* the module's pool, or NULL if block storage is not reused */
  uint64_t grid_space;     /* address of a cooperative grid's workspace; 0: not used */
  GlobalRace *global_race; /* NULL: global memory races are not checked */
  Overlap *overlap;        /* NULL: no other launch may run at the same time */
  Printed printed;
  Children children;
} Launch;

typedef struct {
  EmuFinding finding;
  const Insn *insn;
  uint64_t block;
  bool of_warp; /* a race: so far only between instructions of one warp */
  bool shared;  /* the note of a barrier that warps reach at different lines */
} Found;

/* The findings of one host thread. */
typedef struct {
  Found *found;
  int count, capacity;
  int current; /* index of the finding that finding_describe() fills in */
} Findings;

/* --- a warp --- */

typedef enum {
  SPLIT_FREE,
  SPLIT_READY,
  SPLIT_SYNC,
  SPLIT_BARRIER,
  SPLIT_GROUP, /* waiting for the other warps of the warpgroup */
  SPLIT_POOL   /* waiting for registers */
} SplitState;

/* Indices at which the registers, predicates and local memory of a call start. */
typedef struct {
  uint32_t slot, pred, local;
  int32_t function;
} Frame;

/* A group of lanes that execute together. */
typedef struct {
  SplitState state;
  uint32_t mask;
  int32_t pc, depth, record;
  Frame frame;
  int barrier;      /* in state BARRIER: the barrier's number */
  uint32_t waiting; /* in states SYNC and BARRIER: the lanes that wait */
  uint32_t member;  /* in state SYNC: the lanes that it waits for */
  const Insn *insn; /* in states SYNC and BARRIER: the instruction at which it waits */
} Split;

/* A convergence point: lanes that arrive at pc wait until all of `expect` have arrived. */
typedef struct {
  uint32_t expect, arrived;
  int32_t pc, depth, parent;
  Frame frame;
} Record;

typedef struct {
  int32_t pc;
  Frame frame;
} Return;

/* A copy that cp.async has issued and that has not been performed yet. */
typedef struct {
  const Insn *insn;
  const uint8_t *from; /* NULL: write only zeros */
  uint32_t to;         /* offset in shared memory */
  uint32_t group;
  uint8_t lane, bytes, from_bytes;
  bool was_open;       /* at that wait, its group had not been committed yet */
  const Insn *left_by; /* the last wait that left the copy in flight, or NULL */
} AsyncCopy;

/* A tensor map in global memory as fence.proxy.tensormap acquired it. */
typedef struct {
  uint64_t address;
  uint64_t digest; /* of its last writes: race/global.h */
} AcquiredMap;

typedef struct Block Block;
typedef struct Undef Undef;
typedef struct InFlight InFlight;
typedef struct Warpgroup Warpgroup;
typedef struct Tmem Tmem; /* tensor memory: run/tmem/tmem.h */
typedef struct TensorUses TensorUses;
typedef struct Flight Flight; /* a bulk copy in flight */
/* the state of an mbarrier in addition to its 64 bits */
typedef struct Mbarrier Mbarrier;

/* The phase that a warp's latest test of an mbarrier found incomplete. */
typedef struct {
  const Insn *insn; /* NULL: no test */
  Block *owner;
  uint32_t offset;
  unsigned lane;
  uint64_t phase; /* phases of the mbarrier that were complete at the test */
} MbarrierWait;

/* The cost of an access. Shared memory: wavefronts and the ideal. Global memory: sectors and the
 * number of their bytes that are used. minimum: see EmuAccess. */
typedef struct {
  uint32_t units, other, minimum;
} AccessCost;

/* The resolved lane addresses of a leader: code/bases.h. */
typedef struct {
  const Insn *leader;
  uint64_t run; /* value of Warp.run when they were resolved */
  uint32_t active;
  bool costed; /* `cost` is valid */
  AccessCost cost;
  Gather gather;
} ResolvedLanes;

struct Warp {
  Block *block;
  const Insn *code;
  Split *now;
  uint64_t *base[BANKS]; /* register banks: the frame's registers, constants, special registers */
  uint32_t *pred;        /* predicates of the current frame */
  uint64_t run;          /* number of the current run of straight-line instructions */
  ResolvedLanes placed[PLACES];
  uint32_t carry; /* CC.CF */
  uint32_t alive, initial;
  int index;
  int slot; /* index of the warp within its cluster */
  uint64_t steps;
  bool polled, changed; /* in this time slice: read, or changed, memory that other warps write */
  bool stalled;         /* its latest time slice only polled */
  /* its latest time slice only polled, or reached a barrier without changing memory */
  bool idle_or_at_barrier;
  int undefined;           /* number of registers and predicates that hold undefined bits */
  Undef *undef;            /* the undefined bits, or NULL if there have been none */
  uint64_t waited;         /* the part of `steps` spent polling, or following warps that poll */
  uint64_t followed;       /* steps of the latest time slice that may turn out to be such */
  uint64_t poll_slices;    /* number of consecutive time slices, up to the latest, that polled */
  bool ends_between_polls; /* the latest slice ended at a reconvergence point between two polls */
  /* instructions other than wgmma are checked against registers in flight: race/inflight.h */
  bool watched;
  InFlight *inflight; /* NULL: no wgmma so far */
  uint32_t registers; /* per thread, as set by setmaxnreg; 0: unknown */
  uint64_t lane_steps;
  NativeWarp native;
  /* the part of `steps` that ran as compiled code: with all lanes active, with some */
  uint64_t translated[2];

  Split split[LANES];
  int splits; /* one more than the highest index used since the warp started */
  Record record[MAX_RECORDS];
  uint64_t records; /* bit mask of the records in use */

  uint64_t *slots;
  uint32_t *preds;
  uint64_t *special;
  size_t slot_capacity, pred_capacity; /* in registers */
  Local local;
  Return (*returns)[LANES];
  int return_capacity;

  AsyncCopy *async;
  int asyncs, async_capacity;
  Flight *outbound; /* bulk copies out of shared memory, ordered by group */
  int outbounds, outbound_capacity;
  AcquiredMap acquired[ACQUIRED_MAPS]; /* a ring of the newest ones */
  unsigned acquisitions;
  MbarrierWait waits;  /* the phase it waits for, as of this slice */
  MbarrierWait passed; /* the latest test that found its phase complete */
  bool yields;         /* end the time slice: the warp waits */
  bool meets;          /* the time slice ended at a barrier of the block */
  union {              /* a union, so that one memset clears all counters */
    struct {
      uint32_t async_group[LANES];     /* number of cp.async groups committed */
      uint32_t bulk_group[LANES];      /* number of bulk groups committed */
      uint32_t barriers_passed[LANES]; /* number of block-wide barriers passed */
      /* one more than the cluster phase in which the lane arrived last */
      uint32_t cluster_phase[LANES];
    };
    uint32_t counts[4][LANES];
  };
  bool counted;                /* unchecked: one of them is not 0 */
  uint32_t went_on;            /* lanes that did not wait any longer for others to reconverge */
  uint32_t ended_after;        /* lanes that exited where a barrier may precede */
  const Insn *ended_at[LANES]; /* the instruction at which each lane exited, in a checked launch */
};

typedef struct {
  uint32_t active, bytes, phase; /* active == 0: entry is free */
  AccessCost cost;
  uint64_t step[LANES]; /* distance from the first active lane's address */
} AccessMemo;

enum {
  COUNTER_WAYS = 8,    /* number of access patterns that each counter remembers */
  PENDING_SLOTS = 2048 /* number of access patterns that a worker keeps for the observer */
};

/* Executions of one shared-memory access that are not reported to the observer yet. */
typedef struct {
  uint64_t times; /* number of executions by these lanes at these addresses */
  const Insn *insn;
  EmuAccessKind kind;
  unsigned bytes;
  uint32_t active;
  uint32_t block[3]; /* block of the first execution; `warp`: its warp */
  int warp;
  uint64_t address[LANES];
} PendingEvent;

/* Pending events of one worker, in a direct-mapped table: an event whose slot is needed for another
 * one is reported. All zero: empty. */
typedef struct {
  uint16_t slot[PENDING_SLOTS]; /* index of an event plus 1, or 0 */
  int count, capacity;
  PendingEvent *event;
} PendingEvents;

/* The latest start address of an access, and its distance from the one before. */
typedef struct {
  uint64_t address, step;
} Stride;

/* --- a block --- */

typedef struct {
  uint32_t expected; /* number of threads to wait for; 0: all that have not exited */
  uint32_t threads;  /* number of threads that arrived */
  /* number of threads that arrived, counting 32 per warp, as bar with a thread count does */
  uint32_t in_warps;
  uint32_t votes, yes; /* bar.red */
  /* bit masks of the warps that wait and of the warps that only arrived */
  uint32_t syncs, arrivals;
} Barrier;

typedef struct Race Race;
typedef struct Order Order;

/* Blocks that run concurrently and access each other's shared memory: one block, if the launch has
 * no clusters. */
typedef struct {
  int blocks;
  Block *block[MAX_CLUSTER]; /* indexed by rank */
  int running;               /* number of blocks that have not ended */
  Order *order;              /* NULL: launch is unchecked */
  uint32_t arrived;          /* number of threads that arrived at its barrier in this phase */
  uint32_t phase;            /* number of completed phases */
} Cluster;

/* The rank field of a shared::cluster address: the rank + 1 of another block, or 0 for the own
 * block. */
enum { CLUSTER_SHIFT = 24 };

/* State of a worker that its blocks update. */
typedef struct {
  EmuAccess *access;      /* counters, two per site: global memory, then shared memory */
  AccessMemo *memo;       /* remembered costs, COUNTER_WAYS per counter */
  PendingEvents *pending; /* NULL: the launch has no observer */
  Findings *findings;
} WorkerTallies;

struct Block {
  Launch *launch;
  bool unchecked; /* the launch is unchecked */
  Cluster *cluster;
  int rank;
  const Program *program;
  uint32_t index[3];
  uint64_t number;
  /* index of its first warp within the cluster; the index after its last warp represents its
   * asynchronous copies */
  int first_slot;
  uint32_t threads, alive;
  int warps;
  /* bytes with and without the part that the system reserves */
  uint32_t shared_bytes, user_shared;
  uint32_t shared_room;        /* bytes that the GPU allocates for it: a multiple of 128 */
  uint32_t reserved_at;        /* offset of the reserved part */
  uint8_t *shared, *undefined; /* shared memory; and for each byte, a mask of its undefined bits */
  /* for each word, the read that its undefined bits came from (0: none); NULL: all 0 */
  uint64_t *undefined_from;
  Barrier barrier[BARRIERS];
  /* ring buffer of the latest block-wide barriers, in order */
  const Insn *barrier_insn[BARRIER_HISTORY];
  uint32_t barriers_open; /* bit mask of the barriers at which threads have arrived */
  uint32_t barriers_done;
  Order *order;                                  /* NULL: launch is unchecked */
  Race *race;                                    /* NULL: launch is unchecked */
  Warpgroup *warpgroup[MAX_WARPS / WGMMA_WARPS]; /* NULL: no wgmma so far */
  bool wgmma_reads;                              /* some wgmma has read shared memory */
  Tmem *tmem;                                    /* NULL: not used so far */
  TensorUses *tensor_uses;                       /* NULL: none so far, or the launch is unchecked */
  uint32_t free_registers; /* registers per thread, for one warp, that setmaxnreg has released */
  EmuAccess *access; /* its worker's counters, two per site: global memory, then shared memory */
  AccessMemo *memo;  /* its worker's remembered costs: COUNTER_WAYS per counter */
  PendingEvents *pending; /* its worker's; NULL: the launch has no observer */
  Findings *findings;
  const Buffer *last_buffer;            /* the latest buffer that an access found */
  const Buffer *recent[RECENT_BUFFERS]; /* the latest buffer per access site, hashed */
  Stride stride[RECENT_BUFFERS];        /* the latest stride per access site, hashed */
  uint64_t *special;                    /* special registers that are equal in all its warps */
  Flight *inbound; /* bulk copies into its shared memory, which signal its mbarriers */
  int inbounds, inbound_capacity;
  int leaving; /* number of copies out of its shared memory that are still in flight */
  Mbarrier *mbarrier;
  int mbarriers, mbarrier_capacity;
  bool waited;         /* its latest time slice ended by polling */
  bool blocked;        /* no warp can run until the cluster's barrier completes */
  bool ended;          /* the block has ended; its shared memory may no longer be accessed */
  struct SyncLog *log; /* NULL: not recorded */
  bool stop;           /* a trap, a deadlock or the instruction limit ended it */
  Warp *warp;
};

/* --- a warp-wide memory access --- */

typedef struct {
  uint32_t valid;  /* lanes whose access is within bounds and aligned */
  uint32_t shared; /* valid lanes in shared memory */
  uint32_t global; /* valid lanes in global memory */
  uint32_t local;  /* valid lanes in local memory */
  uint32_t remote; /* valid lanes in shared memory of another block of the cluster, rank[lane] */
  uint8_t rank[LANES];
  uint8_t *host[LANES]; /* host address of each valid lane */
  /* offset within the memory space; for global memory, the device address */
  uint64_t offset[LANES];
} Resolved;

/* --- registers --- */

static inline uint64_t *warp_reg(const Warp *w, Ref ref) {
  return w->base[ref >> REF_SHIFT] + (size_t)(ref & REF_INDEX) * LANES;
}

/* The storage of a parameter or a result of a call, in the current frame. */
static inline uint64_t *warp_param(const Warp *w, const Symbol *param) {
  return w->base[BANK_FRAME] + (size_t)param->slot * LANES;
}

static inline uint32_t warp_pred(const Warp *w, PredRef p) {
  uint32_t value = p.slot < 0 ? ALL_LANES : w->pred[p.slot];
  return p.negated ? ~value : value;
}

static inline void warp_set_pred(Warp *w, int32_t slot, uint32_t value, uint32_t active) {
  if (slot >= 0) w->pred[slot] = (w->pred[slot] & ~active) | (value & active);
}

/* A thread's linear index within the block. */
static inline uint32_t warp_thread(const Warp *w, unsigned lane) {
  return (uint32_t)w->index * LANES + lane;
}

/* A thread's index in the cluster's order and in the race detector. */
static inline uint32_t warp_stamp(const Warp *w, unsigned lane) {
  return (uint32_t)w->slot * LANES + lane;
}

/* True if lanes wait at `pc` to reconverge with the lanes that execute now. */
static inline bool warp_reconverges_at(const Warp *w, int32_t pc) {
  int i = w->now->record;
  while (i != NO_RECORD && (w->record[i].pc != pc || w->record[i].depth != w->now->depth))
    i = w->record[i].parent;
  return i != NO_RECORD;
}

/* The coordinates of a thread, for messages. */
void block_thread(const Block *block, uint32_t thread, uint32_t xyz[3]);
/* The coordinates of a block, from its number. */
void block_index(const Launch *launch, uint64_t number, uint32_t xyz[3]);
/* The block whose shared memory a lane accesses. */
static inline Block *block_owner(const Block *block, const Resolved *access, unsigned lane) {
  return access->remote >> lane & 1 ? block->cluster->block[access->rank[lane]] : (Block *)block;
}
/* Ends the launch; blocks with lower numbers still run to their own end. */
void block_stop(Block *block);

#endif
