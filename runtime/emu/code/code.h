/* code.h: decoded instructions, one array per kernel with all the functions that it can reach. */
#ifndef KGEN_EMU_CODE_H
#define KGEN_EMU_CODE_H

#include "emu/arith/arith.h"
#include "emu/ptx/ast.h"

/* --- operands --- */

/* A register of 32 lanes: its bank in the top bits, its index below. */
typedef uint32_t Ref;
enum { BANK_FRAME, BANK_CONST, BANK_SPECIAL, BANKS };
enum { REF_SHIFT = 28, REF_INDEX = (1 << REF_SHIFT) - 1 };

static inline Ref ref_make(unsigned bank, unsigned index) { return bank << REF_SHIFT | index; }

/* A predicate operand; slot -1 is the constant true (or, negated, false). */
typedef struct {
  int32_t slot;
  bool negated;
} PredRef;

/* Special registers that are the same for the whole life of a warp, by lane. */
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
  SPECIAL_CTAID_X,
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
  SPECIAL_DYNAMIC_SMEM,
  SPECIAL_TOTAL_SMEM,
  SPECIAL_ZERO, /* positions within a cluster of one block */
  SPECIAL_ONE,  /* its extents */
  SPECIALS
} Special;

/* --- instructions --- */

typedef struct Warp Warp;
typedef struct Insn Insn;

typedef enum {
  FLOW_NEXT, /* go on behind the instruction */
  FLOW_JUMP, /* the split's pc was set */
  FLOW_WAIT, /* the split waits, or another one must run first */
  FLOW_GONE  /* the split exists no more, or its lanes changed: choose anew */
} Flow;

typedef Flow (*ExecFn)(Warp *warp, const Insn *insn, uint32_t active);

/* The space of a memory operand, where one more is possible than for a variable. */
enum { SPACE_GENERIC = EMU_SPACES };

typedef struct MemoryOp {
  uint8_t space;    /* EmuSpace or SPACE_GENERIC */
  uint8_t bytes;    /* of an element */
  uint8_t elements; /* 1, 2, 4 or 8 */
  uint8_t op;       /* of an atomic */
  bool is_signed;   /* sign-extend what is loaded */
  bool strong;      /* relaxed, acquire or release: no race with its like */
  bool acquire, release;
  bool guess;    /* a load that a compare-and-swap checks: no race with atomics */
  bool spins;    /* a volatile load in a loop that waits: no race with volatile stores */
  bool polls;    /* volatile, strong or atomic: a loop may wait for what it finds */
  bool narrow;   /* the base is 32 bits wide, and so is the sum */
  bool is_frame; /* base is relative to the frame's local memory */
  Ref base;      /* its address: base + offset */
  int32_t site;  /* index of its counters */
  int64_t offset;
  const ArithInsn *arith;       /* of an atomic: on shared memory, on global */
  const struct MemoryOp *other; /* the source of a copy */
} MemoryOp;

typedef struct {
  int32_t target;
  int32_t join;     /* where the lanes meet again; -1: nowhere before they exit */
  int32_t *targets; /* brx.idx, and call targets */
  int32_t count;
} BranchOp;

typedef struct {
  int32_t callee; /* function index; -1: through the register s[0] */
  int32_t args, results;
  const Symbol *const *arg;    /* of the caller */
  const Symbol *const *result; /* of the caller */
  int32_t builtin;
} CallOp;

struct Insn {
  ExecFn fn;
  ExecFn body; /* of what lanes do together, once they have met */
  const Ref *d, *s;
  PredRef guard; /* slot -1: always */
  bool meets_any;
  bool join; /* lanes may wait here for others */
  bool is_call;
  bool has_site;        /* memory.site counts it */
  bool is_branch, ends; /* for the flow graph: a branch, a return or exit */
  bool is_barrier;      /* of the whole block */
  bool behind_barrier;  /* reachable from one, and none ahead */
  uint8_t n_d, n_s;
  uint8_t mode, width; /* the family's own */
  PredRef p_in;
  int32_t p_out[2]; /* predicate slots, or -1 */
  uint8_t p_logic[2];
  union {
    ArithInsn arith;
    ArithMma mma;
    MemoryOp memory;
    BranchOp branch;
    CallOp call;
  };
  uint64_t value;
  const Statement *statement;
  int32_t function; /* index into Program.function */
};

/* --- a kernel's program --- */

typedef struct {
  const Function *source;
  int32_t entry, end; /* instructions [entry, end) */
  int32_t slots, preds;
  uint32_t local_bytes;
} FunctionCode;

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
  EmuKernel info;
} Program;

/* Source line of an instruction, for messages. */
SourceLoc insn_source(const Program *program, const Insn *insn);

#endif
