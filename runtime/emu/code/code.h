/* code.h: decoded instructions, one array per kernel with all the functions that it can reach. A
 * Program lies in its module's arena, and launches change nothing of it but its translation. */
#ifndef KGEN_EMU_CODE_CODE_H
#define KGEN_EMU_CODE_CODE_H

#include "emu/arith/arith_mma_opcode.h"
#include "emu/arith/arith_wgmma.h"
#include "emu/ptx/ast.h"

/* --- operands --- */

/* A register of 32 lanes: its bank in the top bits, its index below. */
typedef uint32_t Ref;
enum { BANK_FRAME, BANK_CONST, BANK_SPECIAL, BANK_BLOCK, BANK_SCRATCH, BANKS };
enum { REF_SHIFT = 28, REF_INDEX = (1 << REF_SHIFT) - 1 };

static inline Ref ref_make(unsigned bank, unsigned index) { return bank << REF_SHIFT | index; }

/* A predicate operand; slot -1 is the constant true (or, negated, false). */
typedef struct {
  int32_t slot;
  bool negated;
} PredRef;

/* Special registers that are the same for the whole life of a warp, by lane: of BANK_SPECIAL those
 * that differ between a block's warps, of BANK_BLOCK the others. */
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
  SPECIAL_GRID_SPACE_HIGH, /* the address of the workspace for grid sync */
  SPECIAL_GRID_SPACE_LOW,
  SPECIAL_DYNAMIC_SMEM,
  SPECIAL_TOTAL_SMEM,
  SPECIAL_AGGREGATE_SMEM, /* including what the system reserves */
  SPECIAL_RESERVED_BEGIN, /* where the reserved part lies, and its two parts */
  SPECIAL_RESERVED_END,
  SPECIAL_RESERVED_BYTES,
  SPECIAL_RESERVED_0,
  SPECIAL_RESERVED_1,
  SPECIAL_ZERO,      /* registers that mean nothing on an emulator */
  SPECIAL_CLUSTER_X, /* the cluster's index */
  SPECIAL_CLUSTER_Y,
  SPECIAL_CLUSTER_Z,
  SPECIAL_CLUSTERS_X,
  SPECIAL_CLUSTERS_Y,
  SPECIAL_CLUSTERS_Z,
  SPECIAL_IN_CLUSTER_X, /* the block's place in it, and its extents */
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
  FLOW_WAIT, /* the split waits, or another one must run first */
  FLOW_GONE  /* the split is gone, or its lanes changed: choose again */
} Flow;

typedef Flow (*ExecFn)(Warp *warp, const Insn *insn, uint32_t active);

/* Which member of Insn's union is valid. */
typedef enum {
  INSN_PLAIN, /* none */
  INSN_WHOLE, /* none; all lanes together */
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
  INSN_SLOT,    /* memory: of a .param variable that lives in registers; without counters */
  INSN_TEXTURE, /* memory.texture: a fetch; without counters, since the layout of textures
                 * is opaque */
  INSN_SURFACE, /* memory.surface: also writes */
  INSN_ACCESS,  /* memory, with counters, as all that follow */
  INSN_ATOMIC,
  INSN_MBARRIER,
  INSN_MATRIX,
  INSN_WMMA,
  INSN_COPY,
  INSN_WGMMA,
  INSN_BULK /* memory: its place in shared memory, of a copy by the async proxy */
} InsnKind;

/* mov of an address, and cvta. */
typedef struct {
  uint64_t addend;
  bool of_frame; /* the address is one of the frame's local memory */
} MoveOp;

/* A 64-bit register and its parts. */
typedef struct {
  uint8_t bits; /* of a piece */
} PackOp;

/* p_out[0] = p_in logic second */
typedef struct {
  uint8_t logic; /* ArithLogic */
  PredRef second;
} LogicOp;

/* A shuffle whose lanes the text names: the lane of each lane's value, and who asked within. */
typedef struct {
  uint8_t from[32];
  uint32_t within;
} ShflMap;

/* An instruction that the lanes of the member mask s[n_s - 1] execute together. */
typedef struct {
  ExecFn body;
  const ShflMap *map; /* NULL: no shuffle, or by what registers say: code/constants.h */
  uint32_t turn;      /* redux: the sign bit, if values are signed */
  uint8_t mode, bits;
  bool shuffles; /* s[1] and s[2] say whose value a lane gets: code/shuffle.h */
  bool anywhere; /* bar.warp.sync: other lanes may wait at another one */
} MeetOp;

/* bar and barrier: s[0] is the number, s[1] the count of threads. */
typedef struct {
  uint8_t mode;  /* BarrierMode */
  bool aligned;  /* the whole warp comes to it at once */
  bool of_block; /* all threads of the block */
  uint8_t bit;   /* of EndOp.barriers */
} BarrierOp;

typedef struct {
  int32_t join;     /* where lanes reconverge; -1: not before they exit */
  int32_t *targets; /* several of brx.idx */
  int32_t count;
} BranchOp;

typedef struct {
  int32_t callee; /* function index; -1: through the register s[0] */
  int32_t args, results;
  const Symbol *const *arg;    /* of the caller */
  const Symbol *const *result; /* of the caller */
} CallOp;

/* wmma.mma: the tiles of mma that its shape consists of. */
typedef struct {
  const struct WmmaShape *shape;
  ArithMma mma;
  uint8_t of_a, of_b; /* registers */
} WmmaProduct;

/* exit, ret and trap. */
typedef struct {
  bool traps;
  bool after_barrier; /* reachable from a barrier of the whole block, and none ahead */
  uint64_t barriers;  /* the function's barriers from which it can be reached, a bit each */
} EndOp;

/* wgmma.mma_async: d are the accumulators; s is A's descriptor or registers, then B's descriptor,
 * which is also the memory operand's base; p_in is scale-d. */
typedef struct {
  ArithWgmma arith;
  bool a_in_registers;
  bool a_by_column, b_by_row; /* MN-major: consecutive elements are those of one k */
  bool negative;
} WgmmaOp;

/* The space of a memory operand that is generic, in addition to EmuSpace. */
enum { SPACE_GENERIC = EMU_SPACES };

/* A static shared array, or a local one. */
typedef struct {
  const char *name; /* NULL: part of the one local array that the compiler made of them all */
  EmuSpace space;
  uint64_t address, bytes; /* of local arrays from the frame's start on */
} ArrayBounds;

typedef struct MemoryOp {
  uint8_t space;    /* EmuSpace or SPACE_GENERIC */
  uint8_t bytes;    /* of an element */
  uint8_t elements; /* 1, 2, 4 or 8 */
  bool is_signed;   /* sign-extend what is loaded */
  bool strong;      /* relaxed, acquire or release: does not race with such accesses */
  bool acquire, release;
  bool of_block;         /* strong only among threads of the block (.cta) */
  bool guess;            /* a load that a compare-and-swap checks: does not race with atomics */
  bool spins;            /* a volatile load in a waiting loop: does not race with volatile stores */
  bool polls;            /* volatile, strong or atomic: a loop may wait for what it finds */
  bool narrow;           /* the base is 32 bits wide, and so is the sum */
  bool is_frame;         /* base is relative to the frame's local memory */
  int32_t sets;          /* of a load: the store to the same place that is all it decides; or 0 */
  uint8_t before, after; /* bytes that neighbouring loads copy together with its own */
  Ref base;     /* its address: base + offset; of a SLOT the first register, and the offset */
  int32_t site; /* the index of its counters */
  int64_t offset;
  const ArrayBounds *array; /* the array that the address points into; NULL: unknown */
  uint16_t follows; /* the distance in instructions to its leader, see code/bases.h; 0: none */
  bool leads;
  uint8_t place; /* the leader's index in Warp.placed */
  union {
    struct {
      uint8_t op;
      uint8_t passes;         /* bits for the banks of shared memory */
      const ArithInsn *arith; /* on shared memory, on global */
    } atomic;
    struct {
      uint8_t op;
      bool drop, incomplete; /* arrive_drop; .noComplete */
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
    const struct BulkOp *bulk;
    const struct TextureOp *texture;
    const struct SurfaceOp *surface;
  };
} MemoryOp;

/* A copy by the async proxy; its place in shared memory is the instruction's memory operand. */
typedef struct BulkOp {
  const MemoryOp *other; /* the other side: global memory, a tensor map, or shared memory */
  const MemoryOp *mbarrier;
  Ref size;         /* bytes, where rank is 0 */
  const Ref *mask;  /* the mask of blocks that receive it; NULL: no multicast */
  int rank;         /* of the tensor; 0: no tensor */
  const Ref *coord; /* rank of them */
  const Ref *value; /* st.async, red.async: the registers that are stored, their number and bytes */
  int values, bytes;
  const struct FlightReduce *const *reduce; /* by TensorType, without a tensor [0]; NULL: none */
} BulkOp;

struct Insn {
  ExecFn fn;
  const Ref *d, *s;
  PredRef guard; /* slot -1: always */
  PredRef p_in;
  int32_t p_out[2]; /* predicate slots, or -1 */
  uint8_t kind;     /* InsnKind */
  uint8_t n_d, n_s;
  bool join : 1;  /* lanes may wait here for other lanes */
  bool plain : 1; /* it always ends in FLOW_NEXT, and it reads no clock */
  bool whole : 1; /* the same where all lanes of the warp execute it */
  bool apart : 1; /* of a product: D has no register of A and B, and C's at most in their places */
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

/* True if it has counters: memory.site. */
static inline bool insn_accesses(const Insn *insn) { return insn->kind >= INSN_ACCESS; }

/* No guard: every lane that comes here executes it. */
static inline bool insn_is_always(const Insn *insn) {
  return insn->guard.slot < 0 && !insn->guard.negated;
}

/* Whether a lane may go on to the instruction after it. */
static inline bool insn_falls_through(const Insn *insn) {
  return !insn_is_always(insn) || (insn->kind != INSN_BRANCH && insn->kind != INSN_END);
}

/* Whether the lanes that execute it need not look for others: not where some wait for them
 * (`joins`). */
static inline bool insn_runs_on(const Insn *insn, bool all_lanes, bool joins) {
  return !(joins && insn->join) && (insn->plain || (insn->whole && all_lanes));
}

/* --- a kernel's program --- */

typedef struct {
  const Function *source;
  int32_t entry, end; /* instructions [entry, end) */
  int32_t slots, preds;
  uint32_t local_bytes; /* of a frame */
  uint32_t local_end;   /* of its variables, which may be less */
  uint32_t stack_at;    /* the offset in the frame of alloca's memory; 0: there is none */
  int32_t stack_slot;   /* the register that counts the bytes alloca has taken */
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
  int *function_of_index; /* by Function.index: into `function`, or -1 */
  int consts, const_capacity;
  uint64_t *const_value; /* one per constant; broadcast when launched */
  int sites;
  uint32_t static_shared, dynamic_offset, param_bytes;
  bool uses_fence;
  uint32_t raised;    /* the largest count of a setmaxnreg.inc; 0: there is none */
  uint32_t registers; /* registers per thread at entry, from the launch bounds; 0: unknown */
  bool uses_grid_space;
  bool uses_reserved;   /* shared memory that the system reserves */
  bool arrives_relaxed; /* has a barrier.cluster.arrive.relaxed */
  bool writes_surfaces;
  SlotRange *unset; /* the kernel's registers that it may read before it writes them */
  int unsets;
  EmuKernel info;
  Translation *translation; /* NULL: never */
} Program;

/* True if a load decides only whether the store at the same address takes place. */
static inline bool insn_tests(const Program *p, int64_t load, int64_t store) {
  const Insn *insn = &p->insn[load];
  return insn->kind == INSN_ACCESS && insn->memory.sets && insn->memory.sets == store;
}

/* Source line of an instruction, for messages. */
SourceLoc insn_source(const Program *program, const Insn *insn);
/* True if both have the same source line, inlined through the same calls, as copies of one
 * statement that the compiler made do. Without source lines: the same instruction. */
bool insn_same_source(const Program *program, const Insn *a, const Insn *b);

/* The same in words: "line 12", or of code that names none "PTX line 34". */
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
