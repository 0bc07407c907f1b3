/* block.h: the state of a launch, a running block, its warps, and the groups of lanes that share a
 * pc. A launch has workers, host threads; a worker has clusters of resident blocks (resident.h),
 * whose storage goes from one block to the next. */
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
  CLUSTER_BARRIER = BARRIERS, /* Split.barrier: the cluster's barrier */
  MAX_CLUSTER = 16,           /* blocks */
  BARRIER_HISTORY = 64,
  RECENT_BUFFERS = 16,
  MAX_FINDINGS = 256,
  PROCESSORS = 132,       /* of an H200 */
  RESERVED_SHARED = 1024, /* bytes of each block's shared memory that the system reserves */
  NO_RECORD = -1
};

#define NO_BLOCK UINT64_MAX

/* --- a launch --- */

typedef struct Worker Worker;
typedef struct GlobalRace GlobalRace;
typedef struct BlockPool BlockPool;

/* The state of a launch that all host threads share. */
typedef struct {
  const EmuLaunch *config;
  const Program *program;
  EmuMemory *memory;
  const uint8_t *params, *const_bank;
  uint32_t const_bytes;
  uint64_t *consts; /* constants, broadcast to lanes */
  uint64_t blocks;
  uint32_t cluster[3]; /* blocks of a cluster along each dimension */
  bool explicit_cluster;
  int cluster_blocks; /* in all; blocks are numbered cluster by cluster */
  uint64_t max_steps;
  bool unchecked; /* only executed: blocks have no Race and no Order, and no bits are undefined */
  const GatherLevel *gather;
  _Atomic uint64_t next;       /* cluster */
  _Atomic uint64_t stopped_by; /* the lowest block that ended the launch; NO_BLOCK: none */
  atomic_bool out_of_memory, out_of_steps;
  atomic_bool illegal;       /* an access to an address where no GPU has memory */
  atomic_bool cut;           /* the progress callback has returned false: no more blocks begin */
  _Atomic uint64_t progress; /* rounds in which some block did more than poll, from 1 on */
  _Atomic uint64_t idle;     /* warp instructions since all only poll */
  uint64_t waited;           /* such in parts of the launch before this one */
  uint64_t patience;         /* after so many of them it is parked; 0: never */
  atomic_bool parked;        /* workers return, and keep their blocks */
  atomic_int residents;      /* blocks that have begun and not ended */
  int most_residents;
  unsigned cycles; /* of an instruction of a warp, as clocks count */
  Worker *worker;  /* all of them */
  int workers;
  Heap *heap;
  BlockPool *pool;         /* of its module; NULL: nothing is kept */
  uint64_t grid_space;     /* of a cooperative grid; 0: not used */
  GlobalRace *global_race; /* NULL: not looked for */
  Printed printed;
  Children children;
} Launch;

typedef struct {
  EmuFinding finding;
  const Insn *insn;
  uint64_t block;
  bool of_warp; /* of a race: so far only between instructions of one warp */
  bool shared;  /* the note of a barrier that warps reach at different lines */
} Found;

/* The findings of one host thread. */
typedef struct {
  Found *found;
  int count, capacity;
  int current; /* the one that finding_describe() gives its text */
} Findings;

/* --- a warp --- */

typedef enum {
  SPLIT_FREE,
  SPLIT_READY,
  SPLIT_SYNC,
  SPLIT_BARRIER,
  SPLIT_GROUP, /* for the other warps of the warpgroup */
  SPLIT_POOL   /* for registers */
} SplitState;

/* Where the registers, predicates and local memory of a call start. */
typedef struct {
  uint32_t slot, pred, local;
  int32_t function;
} Frame;

/* Lanes that execute together. */
typedef struct {
  SplitState state;
  uint32_t mask;
  int32_t pc, depth, record;
  Frame frame;
  int barrier;      /* BARRIER: its number */
  uint32_t waiting; /* SYNC, BARRIER: the lanes that wait */
  uint32_t member;  /* SYNC: for whom */
  const Insn *insn; /* SYNC, BARRIER: at what */
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

/* A copy that cp.async has issued and not yet performed. */
typedef struct {
  const Insn *insn;
  const uint8_t *from; /* NULL: zeros only */
  uint32_t to;         /* in shared memory */
  uint32_t group;
  uint8_t lane, bytes, from_bytes;
  bool was_open;       /* its group at that wait: not committed yet */
  const Insn *left_by; /* the last wait that did not cover it, or NULL */
} AsyncCopy;

typedef struct Block Block;
typedef struct Undef Undef;
typedef struct InFlight InFlight;
typedef struct Warpgroup Warpgroup;
typedef struct Flight Flight;     /* a bulk copy in flight */
typedef struct Mbarrier Mbarrier; /* what is known of an mbarrier beside its 64 bits */

/* The phase that a warp's last test of an mbarrier found incomplete. */
typedef struct {
  const Insn *insn; /* NULL: it did not test one */
  Block *owner;
  uint32_t offset;
  unsigned lane;
  uint64_t phase; /* of the object: its phases completed then */
} MbarrierWait;

/* The cost of an access, in shared memory wavefronts and their ideal, in global memory sectors and
 * how many of their bytes are used. */
typedef struct {
  uint32_t units, other;
} AccessCost;

/* The places of a leader's lanes: code/bases.h. */
typedef struct {
  const Insn *leader;
  uint64_t run; /* the value of Warp.run then */
  uint32_t active;
  bool costed; /* the cost is known */
  AccessCost cost;
  Gather gather;
} ResolvedLanes;

struct Warp {
  Block *block;
  const Insn *code;
  Split *now;
  uint64_t *base[BANKS]; /* of the registers: the frame's, constants, special ones */
  uint32_t *pred;        /* the frame's predicates */
  uint64_t run;          /* the number of the current run of plain instructions */
  ResolvedLanes placed[PLACES];
  uint32_t carry; /* CC.CF */
  uint32_t alive, initial;
  int index;
  int slot; /* in its cluster's order */
  uint64_t steps;
  bool polled, changed;    /* memory that others write, in this slice */
  bool stalled;            /* its last time slice only polled */
  bool idle_or_at_barrier; /* its last time slice only polled, or came to a barrier and changed
                              nothing */
  int undefined;           /* registers and predicates that hold undefined bits */
  Undef *undef;            /* which bits; NULL: none so far */
  uint64_t waited;         /* the part of `steps` that only polled, or followed warps that do */
  uint64_t followed;       /* the steps of the last time slice that may be such ones */
  uint64_t poll_slices;    /* its last time slices, all of which looked at what others write */
  bool ends_between_polls; /* the last slice ended where lanes meet, between two such looks */
  bool watched;            /* instructions other than wgmma are watched: inflight.h */
  InFlight *inflight;      /* NULL: no wgmma yet */
  uint32_t registers;      /* per thread, since setmaxnreg; 0: unknown */
  uint64_t lane_steps;
  NativeWarp native;
  uint64_t translated[2]; /* of `steps`: by all lanes, by some */

  Split split[LANES];
  int splits; /* one more than the last one used since the warp began */
  Record record[MAX_RECORDS];
  uint64_t records; /* those in use */

  uint64_t *slots;
  uint32_t *preds;
  uint64_t *special;
  size_t slot_capacity, pred_capacity; /* in registers */
  Local local;
  Return (*returns)[LANES];
  int return_capacity;

  AsyncCopy *async;
  int asyncs, async_capacity;
  Flight *outbound; /* bulk copies out of shared memory, by their groups */
  int outbounds, outbound_capacity;
  MbarrierWait waits;  /* in this slice */
  MbarrierWait passed; /* the last test that found its phase completed */
  bool yields;         /* the time slice ends: the warp waits */
  bool meets;          /* the time slice ended at a barrier of the block */
  union {              /* so that one call clears them */
    struct {
      uint32_t async_group[LANES];     /* cp.async groups committed so far */
      uint32_t bulk_group[LANES];      /* bulk groups committed so far */
      uint32_t barriers_passed[LANES]; /* of the whole block */
      uint32_t cluster_phase[LANES];   /* its arrivals at the cluster's barrier */
    };
    uint32_t counts[4][LANES];
  };
  bool counted;                /* unchecked: one of them is not 0 */
  uint32_t went_on;            /* lanes that did not wait any longer for others to reconverge */
  uint32_t ended_after;        /* lanes that exited where a barrier may precede */
  const Insn *ended_at[LANES]; /* of lanes that exited, in a checked launch */
};

typedef struct {
  uint32_t active, bytes, phase; /* active 0: free */
  AccessCost cost;
  uint64_t step[LANES]; /* from the first active lane's address */
} AccessMemo;

enum { COUNTER_WAYS = 8 }; /* patterns that each counter remembers */

/* Where an access started last, and its distance from the time before. */
typedef struct {
  uint64_t address, step;
} Stride;

/* --- a block --- */

typedef struct {
  uint32_t expected;        /* threads that are waited for; 0: all that have not exited */
  uint32_t threads;         /* that arrived */
  uint32_t in_warps;        /* the same with each warp counted as 32, as bar with a count does */
  uint32_t votes, yes;      /* bar.red */
  uint32_t syncs, arrivals; /* warps that wait, and warps that only arrived: a bit each */
} Barrier;

typedef struct Race Race;
typedef struct Order Order;

/* Blocks that run concurrently and access each other's shared memory: one block, if the launch has
 * no clusters. */
typedef struct {
  int blocks;
  Block *block[MAX_CLUSTER]; /* by rank */
  int running;               /* blocks that have not ended */
  Order *order;              /* NULL: unchecked */
  uint32_t arrived;          /* threads that arrived at its barrier in this phase */
  uint32_t phase;            /* phases completed */
} Cluster;

/* An address in shared::cluster: another block's has its rank + 1 above these bits, the own block's
 * has 0 there. */
enum { CLUSTER_SHIFT = 24 };

struct Block {
  Launch *launch;
  bool unchecked; /* the launch is unchecked */
  Cluster *cluster;
  int rank;
  const Program *program;
  uint32_t index[3];
  uint64_t number;
  int first_slot; /* of its warps in the cluster's order; its asynchronous copies have the next */
  uint32_t threads, alive;
  int warps;
  uint32_t shared_bytes, user_shared; /* with and without what the system reserves */
  uint32_t shared_room;               /* what the GPU gives it of it: whole units of 128 bytes */
  uint32_t reserved_at;               /* where the reserved part begins */
  uint8_t *shared, *undefined;        /* shared memory, and for each byte its undefined bits */
  uint64_t *undefined_from; /* for each word the read they came from, 0: none; NULL: all 0 */
  Barrier barrier[BARRIERS];
  const Insn *barrier_insn[BARRIER_HISTORY]; /* the newest of the block-wide barriers, in order */
  uint32_t barriers_open;                    /* by number: those that threads have arrived at */
  uint32_t barriers_done;
  Order *order;                                  /* NULL: unchecked */
  Race *race;                                    /* NULL: unchecked */
  Warpgroup *warpgroup[MAX_WARPS / WGMMA_WARPS]; /* NULL: no wgmma yet */
  bool wgmma_reads;                              /* a wgmma has read shared memory */
  uint32_t free_registers; /* for a warp's lanes each, which setmaxnreg has released */
  EmuAccess *access;       /* its worker's counters, two per site: global, shared */
  AccessMemo *memo;        /* the same: COUNTER_WAYS for each of them */
  Findings *findings;
  const Buffer *last_buffer;            /* that an access met */
  const Buffer *recent[RECENT_BUFFERS]; /* the same by the counters' place of the access */
  Stride stride[RECENT_BUFFERS];        /* and how it went on */
  uint64_t *special;                    /* special registers that are the same for all its warps */
  Flight *inbound; /* bulk copies into its shared memory, which signal its mbarriers */
  int inbounds, inbound_capacity;
  int leaving; /* copies out of its shared memory that have not landed */
  Mbarrier *mbarrier;
  int mbarriers, mbarrier_capacity;
  bool waited;  /* its last time slice ended in polling */
  bool blocked; /* no warp can run until the cluster's barrier completes */
  bool ended;   /* it has ended, and its shared memory with it */
  bool stop;    /* a trap, a deadlock or max_steps ended it */
  Warp *warp;
};

/* --- a warp-wide memory access --- */

typedef struct {
  uint32_t valid;  /* lanes whose access is within bounds and aligned */
  uint32_t shared; /* those of them that are in shared memory */
  uint32_t global; /* and in global memory */
  uint32_t local;  /* and in local memory */
  uint32_t remote; /* and in shared memory of another block of the cluster, rank[lane] */
  uint8_t rank[LANES];
  uint8_t *host[LANES];   /* of the valid lanes */
  uint64_t offset[LANES]; /* the address within its space; a device address if global */
} Resolved;

/* --- registers --- */

static inline uint64_t *warp_reg(const Warp *w, Ref ref) {
  return w->base[ref >> REF_SHIFT] + (size_t)(ref & REF_INDEX) * LANES;
}

/* A parameter or a result of a call, in the current frame. */
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

/* The number of a thread for the cluster's order and the race detector. */
static inline uint32_t warp_stamp(const Warp *w, unsigned lane) {
  return (uint32_t)w->slot * LANES + lane;
}

/* Whether lanes wait at an instruction for those that execute now. */
static inline bool warp_meets_at(const Warp *w, int32_t pc) {
  int i = w->now->record;
  while (i != NO_RECORD && (w->record[i].pc != pc || w->record[i].depth != w->now->depth))
    i = w->record[i].parent;
  return i != NO_RECORD;
}

/* x, y, z of a thread, for messages. */
void block_thread(const Block *block, uint32_t thread, uint32_t xyz[3]);
/* x, y, z of a block, by its number. */
void block_index(const Launch *launch, uint64_t number, uint32_t xyz[3]);
/* The block whose shared memory a lane accesses. */
static inline Block *block_owner(const Block *block, const Resolved *access, unsigned lane) {
  return access->remote >> lane & 1 ? block->cluster->block[access->rank[lane]] : (Block *)block;
}
/* Ends the launch; blocks with lower numbers still run to their own end. */
void block_stop(Block *block);

#endif
