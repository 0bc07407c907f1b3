/* SPDX-License-Identifier: MIT */
/* code.h: decoded instructions, one array per kernel with all the functions that it can reach. A
 * Program is allocated in its module's arena; launches change nothing in it except its
 * translation. */
#ifndef KGEN_EMU_CODE_CODE_H
#define KGEN_EMU_CODE_CODE_H

#include "emu/arith/arith_mma_opcode.h"
#include "emu/arith/arith_wgmma.h"
#include "emu/ptx/ast.h"

/* --- operands --- */

/* A reference to a register of 32 lanes: the bank in the top bits, the index below. */
typedef uint32_t Ref;
enum { BANK_FRAME, BANK_CONST, BANK_SPECIAL, BANK_BLOCK, BANK_SCRATCH, BANKS };
enum { REF_SHIFT = 28, REF_INDEX = (1 << REF_SHIFT) - 1 };

static inline Ref ref_make(unsigned bank, unsigned index) { return bank << REF_SHIFT | index; }

/* A predicate operand; slot -1 is the constant true (or, negated, false). */
typedef struct {
  int32_t slot;
  bool negated;
} PredRef;

/* Special registers that are constant during the life of a warp, one value per lane. Those that
 * differ between the warps of a block are in BANK_SPECIAL, the others in BANK_BLOCK. */
typedef enum {
  SPECIAL_TID_X,
  SPECIAL_TID_Y,
  SPECIAL_TID_Z,
  SPECIAL_LANE,
  SPECIAL_WARP,
  SPECIAL_MASK_EQ,
  SPECIAL_MASK_LE,
  SPECIAL_MASK_LT,
  SPECIAL_MASK_GE,
  SPECIAL_MASK_GT,
  SPECIALS_OF_WARP,
  SPECIAL_CTAID_X = SPECIALS_OF_WARP,
  SPECIAL_CTAID_Y,
  SPECIAL_CTAID_Z,
  SPECIAL_GRID_X,
  SPECIAL_GRID_Y,
  SPECIAL_GRID_Z,
  SPECIAL_BLOCK_X,
  SPECIAL_BLOCK_Y,
  SPECIAL_BLOCK_Z,
  SPECIAL_WARPS,
  SPECIAL_SM,
  SPECIAL_SMS,
  SPECIAL_GRID_ID,
  SPECIAL_GRID_SPACE_HIGH, /* address of the workspace for grid sync */
  SPECIAL_GRID_SPACE_LOW,
  SPECIAL_DYNAMIC_SMEM,
  SPECIAL_TOTAL_SMEM,
  SPECIAL_AGGREGATE_SMEM, /* including the part that the system reserves */
  SPECIAL_RESERVED_BEGIN, /* the addresses of the reserved part and of its two halves */
  SPECIAL_RESERVED_END,
  SPECIAL_RESERVED_BYTES,
  SPECIAL_RESERVED_0,
  SPECIAL_RESERVED_1,
  SPECIAL_ZERO,      /* registers that have no meaning on an emulator */
  SPECIAL_CLUSTER_X, /* index of the cluster */
  SPECIAL_CLUSTER_Y,
  SPECIAL_CLUSTER_Z,
  SPECIAL_CLUSTERS_X,
  SPECIAL_CLUSTERS_Y,
  SPECIAL_CLUSTERS_Z,
  SPECIAL_IN_CLUSTER_X, /* index of the block within the cluster, and the cluster's extents */
  SPECIAL_IN_CLUSTER_Y,
  SPECIAL_IN_CLUSTER_Z,
  SPECIAL_CLUSTER_SIZE_X,
  SPECIAL_CLUSTER_SIZE_Y,
  SPECIAL_CLUSTER_SIZE_Z,
  SPECIAL_CLUSTER_RANK,
  SPECIAL_CLUSTER_RANKS,
  SPECIAL_EXPLICIT_CLUSTER, /* 1: the launch has clusters */
  SPECIALS
} Special;

static inline Ref ref_special(unsigned which) {
  return which < SPECIALS_OF_WARP ? ref_make(BANK_SPECIAL, which)
                                  : ref_make(BANK_BLOCK, which - SPECIALS_OF_WARP);
}

/* --- instructions --- */

typedef struct Warp Warp;
typedef struct Insn Insn;

typedef enum {
  FLOW_NEXT, /* continue after the instruction */
  FLOW_JUMP, /* the split's pc was set */
  FLOW_WAIT, /* the split waits, or another split must run first */
  FLOW_GONE  /* the split is gone or its lanes changed: choose a split again */
} Flow;

typedef Flow (*ExecFn)(Warp *warp, const Insn *insn, uint32_t active);

/* Which member of Insn's union is valid. */
typedef enum {
  INSN_PLAIN, /* none */
  INSN_WHOLE, /* none; executed only if all lanes are active */
  INSN_VALUE,
  INSN_ARITH,
  INSN_VIDEO,
  INSN_MMA,
  INSN_WMMA_PRODUCT,
  INSN_MOVE,
  INSN_PACK,
  INSN_LOGIC,
  INSN_MEET,
  INSN_BARRIER,
  INSN_BRANCH,
  INSN_CALL,
  INSN_END,
  INSN_SLOT,    /* memory: a .param variable in registers; not counted */
  INSN_TEXTURE, /* memory.texture: a fetch; not counted, because texture layouts are opaque */
  INSN_SURFACE, /* memory.surface: like a texture, and may write */
  INSN_TENSOR,  /* memory.tcgen05: tensor memory; not counted */
  INSN_ACCESS,  /* memory: counted, like all kinds that follow */
  INSN_ATOMIC,
  INSN_MBARRIER,
  INSN_MATRIX,
  INSN_WMMA,
  INSN_COPY,
  INSN_WGMMA, /* tcgen05.mma, too */
  INSN_BULK   /* memory: the shared-memory operand of a copy by the async proxy */
} InsnKind;

/* mov of an address, and cvta. */
typedef struct {
  uint64_t addend;
  bool of_frame; /* the address is relative to the frame's local memory */
} MoveOp;

/* A 64-bit register and its parts. */
typedef struct {
  uint8_t bits; /* bits per part */
} PackOp;

/* p_out[0] = p_in logic second */
typedef struct {
  uint8_t logic; /* ArithLogic */
  PredRef second;
} LogicOp;

/* A shuffle with constant operands: the source lane of each lane's value, and the mask of lanes
 * whose source is in range. */
typedef struct {
  uint8_t from[32];
  uint32_t within;
} ShflMap;

/* An instruction that the lanes in the member mask s[n_s - 1] execute together. */
typedef struct {
  ExecFn body;
  const ShflMap *map; /* NULL: no shuffle, or its operands are not constant: code/constants.h */
  uint32_t turn;      /* redux: the sign bit to flip, if values are signed */
  uint8_t mode, bits;
  bool shuffles; /* s[1] and s[2] select the source lane: code/shuffle.h */
  bool anywhere; /* bar.warp.sync: the other lanes may wait at another bar.warp.sync */
} MeetOp;

/* bar and barrier: s[0] is the barrier's number, s[1] the thread count. */
typedef struct {
  uint8_t mode;  /* BarrierMode */
  bool aligned;  /* all lanes of the warp execute it together */
  bool of_block; /* waits for all threads of the block */
  uint8_t bit;   /* its bit in EndOp.barriers */
} BarrierOp;

typedef struct {
  int32_t join;     /* index at which lanes reconverge; -1: not before they exit */
  int32_t *targets; /* several for brx.idx */
  int32_t count;
} BranchOp;

typedef struct {
  int32_t callee; /* function index; -1: through the register s[0] */
  int32_t args, results;
  const Symbol *const *arg;    /* the caller's variables */
  const Symbol *const *result; /* the caller's variables */
} CallOp;

/* wmma.mma: the mma instructions that its shape consists of. */
typedef struct {
  const struct WmmaShape *shape;
  ArithMma mma;
  uint8_t of_a, of_b; /* number of registers per mma */
} WmmaProduct;

/* exit, ret and trap. */
typedef struct {
  bool traps;
  bool after_barrier; /* reachable from a block-wide barrier, with none ahead */
  uint64_t barriers;  /* bit mask of the function's barriers from which it is reachable */
} EndOp;

/* wgmma.mma_async: d are the accumulators; s is A's descriptor or registers, then B's descriptor,
 * which is also the memory operand's base; p_in is scale-d. */
typedef struct {
  ArithWgmma arith;
  bool a_in_registers;
  bool a_by_column, b_by_row; /* MN-major: consecutive elements have the same k */
  bool negative;
} WgmmaOp;

/* The space of a generic memory operand, in addition to the values of EmuSpace. */
enum { SPACE_GENERIC = EMU_SPACES };

/* A static shared array, or a local array. */
typedef struct {
  const char *name; /* NULL: part of the one local array into which the compiler merged all */
  EmuSpace space;
  uint64_t address, bytes; /* for local arrays, relative to the start of the frame */
} ArrayBounds;

/* The threads that a strong access or a fence synchronizes with: of its block, of its cluster, or
 * of the device. */
typedef enum { SCOPE_BLOCK, SCOPE_CLUSTER, SCOPE_DEVICE, SCOPES } MemoryScope;

typedef struct MemoryOp {
  uint8_t space;    /* EmuSpace or SPACE_GENERIC */
  uint8_t bytes;    /* bytes per element */
  uint8_t elements; /* 1, 2, 4 or 8 */
  bool is_signed;   /* sign-extend loaded values */
  bool strong;      /* relaxed, acquire or release: does not race with other strong accesses */
  bool acquire, release;
  uint8_t scope; /* MemoryScope of a strong access */
  bool guess;    /* a load whose value a compare-and-swap verifies: does not race with atomics */
  bool spins;    /* a volatile load in a polling loop: does not race with volatile stores */
  bool polls;    /* volatile, strong or atomic: a loop may poll it */
  bool narrow;   /* the base and the sum are 32 bits wide */
  bool is_frame; /* the base is relative to the frame's local memory */
  /* for a load: the distance to the store at the same address that is all it decides; or 0 */
  int32_t sets;
  /* bytes before and after its own that neighbouring loads copy together with it */
  uint8_t before, after;
  Ref base; /* the address is base + offset; for a SLOT, the first register and the byte offset */
  int32_t site; /* index of its counters */
  int64_t offset;
  const ArrayBounds *array; /* the array that the address was derived from; NULL: unknown */
  uint16_t follows;         /* distance, in instructions, to its leader (code/bases.h); 0: none */
  bool leads;
  uint8_t place; /* index of the leader in Warp.placed */
  union {
    struct {
      uint8_t op;
      uint8_t passes;         /* passes over the banks of shared memory */
      const ArithInsn *arith; /* the operation on shared memory, and on global memory */
    } atomic;
    struct {
      uint8_t op;
      bool drop, incomplete; /* arrive_drop; .noComplete */
      bool of_warp;          /* inval: for all lanes of the warp that used it */
    } mbarrier;
    struct {
      bool trans;
    } matrix;
    struct {
      const struct WmmaShape *shape;
      const struct WmmaMap *map;
      uint8_t matrix, type; /* WmmaMatrix; ArithType of its elements */
      bool by_column;
    } wmma;
    struct {
      const struct MemoryOp *from;
      bool bypass; /* .cg */
    } copy;
    const WgmmaOp *wgmma;
    const struct Tcgen05Op *tcgen05;
    const struct BulkOp *bulk;
    const struct TextureOp *texture;
    const struct SurfaceOp *surface;
  };
} MemoryOp;

/* A copy by the async proxy. The instruction's memory operand is its shared-memory side. */
typedef struct BulkOp {
  const MemoryOp *other; /* the other side: global memory, a tensor map, or shared memory */
  const MemoryOp *mbarrier;
  Ref size;         /* bytes to copy, if rank is 0 */
  const Ref *mask;  /* mask of the blocks that receive it; NULL: no multicast */
  uint8_t group;    /* .cta_group: 2: the mbarrier may be the pair's other block's; 0: none */
  int rank;         /* rank of the tensor; 0: no tensor */
  const Ref *coord; /* `rank` coordinates */
  const Ref *value; /* st.async, red.async: the registers to store, their number and bytes */
  int values, bytes;
  /* indexed by TensorType; without a tensor, entry [0]; NULL: none */
  const struct FlightReduce *const *reduce;
} BulkOp;

struct Insn {
  ExecFn fn;
  const Ref *d, *s;
  PredRef guard; /* slot -1: always */
  PredRef p_in;
  int32_t p_out[2]; /* predicate slots, or -1 */
  uint8_t kind;     /* InsnKind */
  uint8_t n_d, n_s;
  bool join : 1;  /* lanes may wait here to reconverge */
  bool plain : 1; /* straight-line: always returns FLOW_NEXT and reads no clock */
  bool whole : 1; /* straight-line if all lanes of the warp execute it */
  /* matrix multiply: D shares no register with A and B, and with C only at equal positions */
  bool apart : 1;
  int32_t function; /* index into Program.function */
  const Statement *statement;
  union {
    uint64_t value;
    ArithInsn arith;
    const struct ArithVideo *video;
    ArithMma mma;
    const WmmaProduct *wmma;
    MoveOp move;
    PackOp pack;
    LogicOp logic;
    MeetOp meet;
    BarrierOp barrier;
    BranchOp branch;
    CallOp call;
    EndOp end;
    MemoryOp memory;
  };
};

/* True if the instruction has counters, at memory.site. */
static inline bool insn_accesses(const Insn *insn) { return insn->kind >= INSN_ACCESS; }

/* True if the instruction has no guard. */
static inline bool insn_is_always(const Insn *insn) {
  return insn->guard.slot < 0 && !insn->guard.negated;
}

/* True if a lane may continue at the next instruction. */
static inline bool insn_falls_through(const Insn *insn) {
  return !insn_is_always(insn) || (insn->kind != INSN_BRANCH && insn->kind != INSN_END);
}

/* True if the lanes that execute it need not check for other splits: false where some wait to
 * reconverge (`joins`). */
static inline bool insn_runs_on(const Insn *insn, bool all_lanes, bool joins) {
  return !(joins && insn->join) && (insn->plain || (insn->whole && all_lanes));
}

/* --- a kernel's program --- */

typedef struct {
  const Function *source;
  int32_t entry, end; /* instructions [entry, end) */
  int32_t slots, preds;
  uint32_t local_bytes; /* bytes per frame */
  uint32_t local_end;   /* end of its variables, at most local_bytes */
  uint32_t stack_at;    /* offset of alloca's memory in the frame; 0: none */
  int32_t stack_slot;   /* the register that counts the bytes allocated by alloca */
} FunctionCode;

typedef struct {
  int32_t first, count;
} SlotRange;

typedef struct Translation Translation; /* translate/translate.h */

typedef struct {
  const Ast *ast;
  const Function *kernel;
  int count, capacity;
  Insn *insn;
  int functions;
  FunctionCode *function;
  int *function_of_index; /* indexed by Function.index: index into `function`, or -1 */
  int consts, const_capacity;
  uint64_t *const_value; /* one value per constant; broadcast at launch */
  int sites;
  uint32_t static_shared, dynamic_offset, param_bytes;
  bool uses_fence;
  uint32_t raised;    /* the largest count of a setmaxnreg.inc; 0: none */
  uint32_t registers; /* registers per thread at entry, from the launch bounds; 0: unknown */
  bool uses_grid_space;
  bool triggers;      /* has griddepcontrol.launch_dependents */
  bool uses_bulk;     /* has copies by the async proxy */
  bool uses_reserved; /* uses addresses of the shared memory that the system reserves */
  bool writes_surfaces;
  SlotRange *unset; /* registers that the kernel may read before it writes them */
  int unsets;
  EmuKernel info;
  Translation *translation; /* NULL: never translated */
} Program;

/* True if the value of a load only decides whether the store at its address is executed. */
static inline bool insn_tests(const Program *p, int64_t load, int64_t store) {
  const Insn *insn = &p->insn[load];
  return insn->kind == INSN_ACCESS && insn->memory.sets && insn->memory.sets == store;
}

/* Source line of an instruction, for messages. */
SourceLoc insn_source(const Program *program, const Insn *insn);
/* True if both have the same source line, inlined through the same calls (copies of one statement
 * that the compiler made). Without source lines: if they are the same instruction. */
bool insn_same_source(const Program *program, const Insn *a, const Insn *b);

/* The source line of an instruction as text: "line 12", or "PTX line 34" if it has none. */
typedef struct {
  char text[64];
} InsnLine;

InsnLine insn_line(const Program *program, const Insn *insn);
/* The same with the line of the call, where it is of an inlined function: "line 7, called at line
 * 33". */
InsnLine insn_line_called(const Program *program, const Insn *insn);
/* As a message about `from` tells it, with the file's name where that is another: "tile.h:12". */
InsnLine insn_line_from(const Program *program, const Insn *insn, const Insn *from);

#endif
