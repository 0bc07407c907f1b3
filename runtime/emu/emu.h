/* SPDX-License-Identifier: MIT */
/*
 * emu.h: a warp-accurate emulator of PTX ISA 9.0 on the CPU.
 *
 *   EmuMemory *memory = emu_memory_new();
 *   uint64_t in = emu_alloc(memory, bytes, "in");     and emu_copy_in(...)
 *   EmuModule *module = emu_load(memory, ptx, length); and emu_errors(module, &n): n must be 0
 *   EmuResult *result = emu_launch(module, &launch);   counters and findings
 *
 * Model. A warp's 32 lanes execute in lockstep; lanes that diverge at a branch reconverge at
 * the immediate post-dominator, as ptxas places its convergence points, and every group of lanes
 * makes progress. Blocks run in order of their linear index, distributed over host threads, each
 * until it ends or waits for another one; then others run, as many as an H200 holds at once.
 * Global atomics are atomic; their order between blocks depends on the host threads. Blocks of a
 * cluster share a host thread and run interleaved; blocks are numbered cluster by cluster.
 *
 * Layout. Static shared arrays are ordered by descending alignment and then by declaration;
 * dynamic shared memory follows, aligned to 16 bytes or to what its declaration demands.
 *
 * Differences from hardware. ptxas may merge, split or drop accesses that PTX still has: it
 * turns atomicAdd on shared f32 into a loop of loads and compare-and-swaps, and joins
 * neighbouring loads. A wgmma is executed whole when the last warp of its group arrives; until
 * it has been waited for, the registers and shared memory that it uses are checked for accesses.
 * Volatile accesses count as strong: like accesses by cuda::atomic, they race with weak accesses
 * only. Between lanes of one warp, in shared memory, they are a note, except in loops that only
 * poll a flag.
 *
 * Bounds. An access to shared or local memory must stay in the array that its address is derived
 * from, if the code computes it only by moves and sums; otherwise in the block's shared memory, or
 * the function's local memory. A local array ends where the next one begins whose address is
 * taken, so padding for alignment belongs to it.
 *
 * Ownership. The caller frees what emu_memory_new, emu_load and a launch return, in the opposite
 * order: a module's variables are in its memory, and results point to the module's names of files,
 * opcodes and kernels. Sizes and offsets are bytes.
 *
 * Limits: 1,024 threads a block, 64 KiB of .const, 512 KiB of local memory a thread, 4,096 nested
 * calls, EMU_MAX_REGISTERS registers a function, 64 MiB of text, 4,096 functions, 2^20
 * instructions in one. wgmma of PTX for sm_90a. TMA: tile mode, no interleave. No sparse wgmma,
 * no block scales of mma. tcgen05 by the ISA, not measured.
 * Textures: no depth comparison, samplers apart, multi-sampling, anisotropy.
 */
#ifndef KGEN_EMU_EMU_H
#define KGEN_EMU_EMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tensor_map.h"

enum { EMU_LANES = 32, EMU_MAX_REGISTERS = 1 << 16, EMU_PRINT_BYTES = 1 << 20 };
enum { EMU_SECTOR_BYTES = 32 }; /* bytes per sector of global memory */

/* --- device memory --- */

typedef struct EmuMemory EmuMemory;

/* Returns NULL when out of memory. */
EmuMemory *emu_memory_new(void);
void emu_memory_free(EmuMemory *memory);

/* Device address of a new zeroed buffer of 1 to 2^40 bytes, 256-byte aligned, named for messages;
 * 0 when out of memory. Not while a launch runs. */
uint64_t emu_alloc(EmuMemory *memory, uint64_t bytes, const char *name);
/* Like emu_alloc(), at a given address, which repeating a launch needs; false if the address is
 * below 2^46, where other spaces are, or if the buffer would overlap another one. */
bool emu_alloc_at(EmuMemory *memory, uint64_t address, uint64_t bytes, const char *name);
/* False if `address` is not the start of a buffer. */
bool emu_free(EmuMemory *memory, uint64_t address);
/* Makes `bytes` of host memory a buffer whose device address equals its host address, like CUDA's
 * managed, pinned and registered memory. The memory remains the caller's, who must call emu_free()
 * with that address before freeing it. False if it overlaps another buffer, or when out of memory.
 * Not while a launch runs. */
bool emu_map(EmuMemory *memory, void *host, uint64_t bytes, const char *name);
/* Like emu_map(), at a separate device address, as for memory of another process; 0 when out of
 * memory. */
uint64_t emu_map_apart(EmuMemory *memory, void *host, uint64_t bytes, const char *name);
/* Moves a buffer's bytes to host memory, which remains the caller's as with emu_map(); the device
 * address does not change. False if no buffer starts there. Not while a launch runs. */
bool emu_move(EmuMemory *memory, uint64_t address, void *host);
/* The host address of a range within one buffer, valid until the buffer is freed; or NULL. */
void *emu_view(const EmuMemory *memory, uint64_t address, uint64_t bytes);
/* Sets the bytes that kernels may allocate with malloc, 8 MiB by default; false once a kernel that
 * could do so was launched. */
bool emu_set_heap(EmuMemory *memory, uint64_t bytes);
/* A buffer, or a variable of a module. */
typedef struct {
  uint64_t base, bytes;
  bool mapped; /* it has the host's address */
  const char *name;
} EmuBuffer;

/* Heap blocks that one source location of a kernel has allocated and not freed. */
typedef struct {
  const char *kernel, *file; /* valid as long as the memory; `file` is NULL if unknown */
  int line, ptx_line;
  uint64_t blocks, bytes;
} EmuHeapUse;

/* Writes at most `most` locations; returns their number. Not while a launch runs. */
int emu_heap_uses(const EmuMemory *memory, EmuHeapUse *out, int most);
/* Sets *out to the heap block that contains the address, or bytes to 0; false if the address is not
 * in the heap. */
bool emu_heap_block(const EmuMemory *memory, uint64_t address, EmuBuffer *out);
/* Frees all heap blocks. Not while a launch runs. */
void emu_heap_empty(EmuMemory *memory);

/* The buffer that contains the address; false if there is none. */
bool emu_buffer(const EmuMemory *memory, uint64_t address, EmuBuffer *out);
/* Copies to and from the device; false if the range is not within one buffer. */
bool emu_copy_in(EmuMemory *memory, uint64_t address, const void *from, uint64_t bytes);
bool emu_copy_out(const EmuMemory *memory, void *to, uint64_t address, uint64_t bytes);

/* --- modules --- */

typedef struct {
  int ptx_line;
  const char *file; /* source file, from .loc; NULL if there is none */
  int line;         /* in `file`, else 0 */
  const char *message;
} EmuError;

typedef struct {
  const char *name;
  const char *type; /* as in PTX, without the dot: "u64", "f32"; "b8" for a structure */
  uint32_t bytes, align, offset;
  bool pointer; /* declared .ptr */
} EmuParam;

typedef struct {
  const char *name;
  uint32_t offset, bytes; /* bytes 0: the dynamic array */
  uint32_t align;
} EmuSharedVar;

typedef struct {
  const char *name;
  int params;
  const EmuParam *param;
  int registers; /* PTX virtual registers, predicates included */
  uint32_t static_shared, local_bytes;
  int shared_vars; /* sorted by offset */
  const EmuSharedVar *shared_var;
  uint32_t max_block[3];      /* .maxntid, 0 if absent */
  uint32_t required_block[3]; /* .reqntid */
  uint32_t cluster[3];        /* .reqnctapercluster */
  bool explicit_cluster;      /* can only be launched with clusters */
  bool grid_sync;   /* uses the workspace in which blocks of a cooperative launch synchronize */
  const char *file; /* source file of its first .loc; NULL if there is none */
  int line;
  bool runnable; /* neither it nor a function that it calls has an error or anything unsupported */
  int first_error, errors; /* its errors in emu_errors() */
} EmuKernel;

typedef struct EmuModule EmuModule;

/* Parses and decodes PTX text; its .global variables are allocated in `memory`, which must outlive
 * the module. NULL only when out of memory. Errors and unsupported instructions are collected in
 * emu_errors(). A module with errors outside of functions has no kernels; a kernel that contains or
 * calls something wrong or unsupported is listed, but cannot be launched. */
EmuModule *emu_load(EmuMemory *memory, const char *text, size_t length);
void emu_unload(EmuModule *module);
const EmuError *emu_errors(const EmuModule *module, int *count);
const EmuKernel *emu_kernels(const EmuModule *module, int *count);
/* The kernel called `name`, or NULL. */
const EmuKernel *emu_kernel(const EmuModule *module, const char *name);
/* Estimates the registers of a thread: the largest number of 32-bit registers that are live at once
 * in the order of the text, at least 16 and at most 255 or .maxnreg. ptxas reorders instructions:
 * for 54 public kernels it allocates between 0.5 and 1.5 times as many. */
int emu_registers(const EmuModule *module, const EmuKernel *kernel);

/* A position in the source. */
typedef struct {
  const char *file;
  int line;
} EmuLocation;

/* The source locations of the instruction at a PTX line, innermost first: its own line, then the
 * inlined calls, up to the kernel. At most `max` are written; returns their number. */
int emu_inlined(const EmuModule *module, int ptx_line, EmuLocation *out, int max);

/* A variable of the module, .global or .const: in C++ __device__ or __constant__. */
typedef struct {
  const char *name;
  uint64_t bytes;
} EmuVariable;

const EmuVariable *emu_variables(const EmuModule *module, int *count);
/* The variable with that name, and its device address. A .const variable has a second address, at
 * which the host and kernels can access it as global memory. False if there is none, or when out of
 * memory. Not while a launch runs. */
bool emu_variable(EmuModule *module, const char *name, EmuVariable *out, uint64_t *address);
/* Fixes the address of a .global variable of a module that is loaded later; loading fails if
 * another buffer is at that address then. False if the address is below 2^46, or when out of
 * memory. */
bool emu_place_variable(EmuMemory *memory, const char *name, uint64_t address);
/* Sets the first bytes of a variable; false if there is no such variable, or if it is smaller. */
bool emu_set_variable(EmuModule *module, const char *name, const void *data, uint64_t bytes);

/* --- tensor maps --- */

/* Writes the TENSOR_MAP_BYTES that a kernel's CUtensorMap parameter takes, in the emulator's own
 * format, because the driver's is opaque. Returns NULL, or the error in the map. */
const char *emu_tensor_map_encode(const TensorMap *map, void *out);
/* Sets the address in such bytes. Returns NULL, or the error, in which case nothing is set. */
const char *emu_tensor_map_replace(void *map, uint64_t address);

/* --- textures and surfaces --- */

typedef enum {
  EMU_TEXEL_U8,
  EMU_TEXEL_S8,
  EMU_TEXEL_U16,
  EMU_TEXEL_S16,
  EMU_TEXEL_U32,
  EMU_TEXEL_S32,
  EMU_TEXEL_F16,
  EMU_TEXEL_F32,
  EMU_TEXELS
} EmuTexel;

/* In the order of the instructions' names: 1d, 2d, 3d, a1d, a2d, cube, acube. */
typedef enum {
  EMU_IMAGE_1D,
  EMU_IMAGE_2D,
  EMU_IMAGE_3D,
  EMU_IMAGE_A1D,
  EMU_IMAGE_A2D,
  EMU_IMAGE_CUBE,
  EMU_IMAGE_ACUBE,
  /* linear memory indexed by integers, as by tex1Dfetch; reads 0 out of bounds */
  EMU_IMAGE_BUFFER,
  EMU_IMAGE_SHAPES
} EmuImageShape;

/* Texels in device memory, from emu_alloc(): row by row, slice by slice, level by level. CUDA's
 * arrays are opaque, so any order is valid. */
typedef struct {
  EmuImageShape shape;
  EmuTexel texel;
  int channels; /* 1, 2 or 4 */
  /* in texels, at least 1; depth also: number of layers, or of cube faces */
  uint32_t width, height, depth;
  uint32_t levels; /* number of mipmap levels; else 1 */
  uint64_t pitch;  /* bytes from row to row, if there is one level; 0: dense */
  uint64_t address;
} EmuImage;

/* Texel (x, y, z) of a level is at byte `offset + z * slice + y * row + x * texel` of the image. */
typedef struct {
  uint32_t width, height, depth;
  uint64_t offset, row, slice;
  uint32_t texel;
} EmuImageLevel;

/* Returns NULL if kernels can read the image, else the reason why not. The functions below require
 * that they can. */
const char *emu_image_refusal(const EmuImage *image);
EmuImageLevel emu_image_level(const EmuImage *image, uint32_t level);
/* The number of bytes of memory that the image spans. */
uint64_t emu_image_bytes(const EmuImage *image);

/* In the order of CUaddress_mode. */
typedef enum { EMU_WRAP, EMU_CLAMP, EMU_MIRROR, EMU_BORDER } EmuAddressing;

typedef struct {
  EmuAddressing along[3];
  bool linear;       /* linear filter, else nearest texel */
  bool normalised;   /* coordinates from 0 to 1, else in texels */
  bool as_fractions; /* 8-bit and 16-bit integers are read as floats, up to 1 */
  bool srgb;         /* with 8-bit channels: three channels are converted from sRGB to linear */
  bool seamless;     /* cubes: filters reach over edges */
  bool linear_levels;
  float bias, least_level, most_level; /* for mipmaps */
  float border[4];
} EmuSampler;

/* Returns a handle, as kernels take it in a cudaTextureObject_t or cudaSurfaceObject_t; 0 with the
 * error in *why, or when out of memory. A launch reports it if the image's memory has been freed.
 * Not while a launch runs. A .texref or .surfref variable of a module holds a handle: set it with
 * emu_set_variable(). */
uint64_t emu_texture_new(EmuMemory *memory, const EmuImage *image, const EmuSampler *sampler,
                         const char **why);
uint64_t emu_surface_new(EmuMemory *memory, const EmuImage *image, const char **why);
/* Like emu_texture_new() and emu_surface_new() (sampler NULL), with a handle that one of them
 * returned in another process. False with the reason, or if the handle is in use. */
bool emu_texture_at(EmuMemory *memory, uint64_t handle, const EmuImage *image,
                    const EmuSampler *sampler, const char **why);
/* False if there is none. */
bool emu_texture_free(EmuMemory *memory, uint64_t handle);

/* --- launches --- */

typedef enum {
  EMU_LOAD,
  EMU_STORE,
  EMU_ATOMIC,
  EMU_LDMATRIX,
  EMU_STMATRIX,
  EMU_CP_ASYNC, /* shared side: counted separately; global side: counted as loads */
  EMU_MBARRIER, /* arriving and waiting take no wavefronts [measured on an H200] */
  EMU_WGMMA,    /* a warpgroup's operands in shared memory: never in conflict, counted separately */
  /* by the async proxy, such as TMA boxes: into shared memory, 128 bytes per wavefront */
  EMU_BULK_LOAD,
  EMU_BULK_STORE, /* and out of shared memory */
  EMU_ACCESS_KINDS
} EmuAccessKind;

typedef enum { EMU_GLOBAL, EMU_SHARED, EMU_LOCAL, EMU_CONST, EMU_PARAM, EMU_SPACES } EmuSpace;

extern const char *const emu_access_kind_name[EMU_ACCESS_KINDS];
extern const char *const emu_space_name[EMU_SPACES];

/* The accesses of one instruction to one space, shared or global; a generic instruction that
 * accesses both has two entries. An instruction that was never executed has none. */
typedef struct {
  const char *file; /* source, by .loc; NULL if there is none */
  int line, ptx_line;
  const char *opcode; /* "ld.shared.v4.b32" */
  EmuAccessKind kind;
  EmuSpace space;
  int bytes_per_lane;         /* 16 for ldmatrix and stmatrix, whose lanes hold row addresses */
  uint64_t executions;        /* warp-wide instructions with an active lane */
  uint64_t lanes;             /* active lanes in them */
  uint64_t wavefronts, ideal; /* shared only */
  /* ATOMIC in shared memory: wavefronts if no two lanes updated one word. CP_ASYNC: of its bytes,
   * 128 to each wavefront. Else 0. */
  uint64_t minimum;
  uint64_t sectors;      /* global only: distinct 32-byte sectors, summed over executions */
  uint64_t bytes_used;   /* global only: distinct bytes touched */
  uint32_t worst;        /* wavefronts (shared) or sectors (global) of the worst execution */
  uint32_t worst_active; /* its active lanes */
  uint64_t worst_address[EMU_LANES]; /* shared: from the block's base; global: device addresses */
} EmuAccess;

typedef enum {
  EMU_OUT_OF_BOUNDS,
  EMU_MISALIGNED,
  EMU_UNINITIALISED,
  EMU_RACE,
  EMU_BARRIER, /* a block or warp barrier that some of the threads it waits for never reach */
  EMU_MAX_STEPS,
  EMU_TRAP,
  EMU_ASSERT,
  EMU_STACK,       /* calls nested too deep, or local memory exhausted */
  EMU_PROXY,       /* TMA or wgmma reads what generic-proxy accesses wrote, without a proxy fence */
  EMU_IN_FLIGHT,   /* registers or memory accessed that a wgmma still uses */
  EMU_WARPGROUP,   /* a wgmma without its wgmma.fence, descriptors that differ, a bad setmaxnreg */
  EMU_EXITED,      /* shared memory of a block of the cluster that has ended, or may have */
  EMU_TRANSACTION, /* an mbarrier's completed bytes differ from its expected transaction count */
  EMU_PROXY_WRITE, /* the async proxy writes memory of generic-proxy accesses without a proxy fence;
                      a note */
  EMU_PROXY_INIT,  /* a copy signals an mbarrier whose init no fence makes visible to it; a note */
  EMU_TENSOR_MAP,  /* a tensor map is used without fence.proxy.tensormap, or while it is written */
  EMU_TMEM_READ,   /* tensor memory is read that a tcgen05 instruction still writes */
  EMU_TMEM_WRITE,  /* tensor memory is written that a tcgen05 instruction still uses */
  EMU_TMEM_FENCE,  /* tcgen05 instructions of two threads without their tcgen05.fence; a note */
  EMU_TMEM_BOUNDS, /* tensor memory that is not allocated, or that another warp reaches */
  EMU_TMEM_ALLOC,  /* tensor memory that is not freed, freed twice or in use; a bad allocation */
  EMU_COMMIT,      /* a tcgen05.commit by a thread that has issued nothing */
  EMU_DESCRIPTOR,  /* a shared-memory descriptor of tcgen05 with contradictory fields */
  EMU_INSTRUCTION, /* an instruction descriptor that contradicts its tcgen05.mma */
  EMU_HARDWARE,    /* an H200 computes something else than the ISA and this emulator */
  EMU_SCHEDULE,    /* the output depends on the order in which warps and blocks run */
  EMU_FINDING_KINDS
} EmuFindingKind;

extern const char *const emu_finding_kind_name[EMU_FINDING_KINDS];

enum { EMU_OTHERS = 4, EMU_CALLS = 16, EMU_WHERES = 12 };

/* A call on a thread's call stack. */
typedef struct {
  const char *file;
  int line, ptx_line;
} EmuCall;

/* A further source location of a finding, and what happens there. */
typedef struct {
  EmuLocation at; /* line 0: no location, the text alone */
  int ptx_line;
  char text[240];
} EmuWhere;

/* One fault of one instruction: its first occurrence, by block number and then in time. */
typedef struct {
  EmuFindingKind kind;
  bool spins;     /* MAX_STEPS: a warp only polls memory that no thread changes */
  EmuSpace space; /* space of the memory concerned; EMU_SPACES: none, or unknown */
  bool note;      /* legal or harmless on known GPUs, but probably unintended */
  const char *file;
  int line, ptx_line;
  uint32_t thread[3]; /* for BARRIER: the first missing thread */
  uint32_t block[3];
  uint64_t count; /* number of occurrences, counting lanes individually */
  /* For a RACE: source lines of the other side; first the one that the message names. */
  EmuLocation other[EMU_OTHERS];
  int others, other_ptx_line; /* PTX line of the first one */
  EmuCall call[EMU_CALLS];    /* calls that are not inlined, innermost first */
  int calls;
  EmuWhere where[EMU_WHERES]; /* the other threads that take part, e.g. in a deadlock */
  int wheres;
  char message[240];
  char said[1024]; /* for ASSERT: the failed assertion, "FILE:LINE: FUNCTION"; or empty */
} EmuFinding;

/* Source address of a CP_ASYNC lane that reads nothing and fills its target with zeros. */
#define EMU_NO_SOURCE UINT64_MAX

/* One warp-wide access as it executes, before its bounds are checked. For the async proxy: lane
 * 0 only, with the bytes of shared memory from the first to the last that a copy or a WGMMA
 * accesses. */
typedef struct {
  const char *file;
  int line, ptx_line;
  EmuAccessKind kind;
  EmuSpace space;
  int bytes_per_lane;
  uint32_t active;
  const uint64_t *address; /* [32], as in EmuAccess; undefined for inactive lanes */
  const uint64_t *source;  /* source addresses of a CP_ASYNC, on its shared side; else NULL */
  bool bypass;             /* for CP_ASYNC: .cg */
  bool twice;              /* compare-and-swap, which takes two passes over the banks */
  int box_row;             /* for BULK_LOAD and BULK_STORE: bytes per row of a tensor's box, or 0 */
  int swizzle;             /* swizzle of such a box: 0, 32, 64 or 128 bytes */
  uint64_t times;          /* executions by these lanes at these addresses */
  uint32_t block[3];       /* block of the first execution */
  int warp;                /* within the block */
} EmuEvent;

/* Called for all accesses to shared and global memory but MBARRIER, concurrently unless threads is
 * 1: for global memory and copies at each execution, for other accesses to shared memory with the
 * number of executions, at the latest when the launch has ended. */
typedef void EmuObserver(void *context, const EmuEvent *event);

/* Called before a block begins, with the number of blocks begun so far; return false to begin no
 * more. Called concurrently unless `threads` is 1. */
typedef bool EmuProgress(void *context, uint64_t begun, uint64_t blocks);

/* Callbacks that compile the C that the emulator generates for kernels that run long unchecked. */
typedef struct {
  /* Requests compilation; returns a number for `take`, or 0 if it will not be compiled. */
  uint64_t (*ask)(void *context, const char *text, size_t length);
  /* Returns the address of the array `native_runs` that the text defines, valid forever. NULL while
   * it is not ready; NULL with *never set if it never will be. */
  const void *(*take)(void *context, uint64_t number, bool *never);
  void *context;
  /* warp instructions of a kernel before the request; the emulator also tries `take` at once */
  uint64_t after;
  uint64_t again; /* warp instructions between further attempts */
} EmuTranslator;

/* The record of a checked launch for launches that depend on it programmatically and so may begin
 * before it has ended. References are counted; a trace must be freed before its memory. */
typedef struct EmuTrace EmuTrace;
/* Adds a reference, which emu_trace_free() drops; either accepts NULL. */
EmuTrace *emu_trace_keep(EmuTrace *trace);
void emu_trace_free(EmuTrace *trace);

typedef struct {
  const char *kernel;
  const char *label; /* its name in messages; NULL: `kernel` */
  uint32_t grid[3], block[3];
  /* blocks per cluster, which divide the grid; 0: the kernel's own, or single blocks */
  uint32_t cluster[3];
  uint32_t dynamic_shared; /* bytes */
  uint32_t max_shared;     /* limit of static plus dynamic; 0: 232,448 (227 KiB) */
  const void *const *args; /* one pointer per parameter, as for cudaLaunchKernel */
  int threads;             /* host threads; 0: one per core */
  uint64_t max_steps;      /* limit per warp; 0: 2^26 */
  size_t print_bytes;      /* maximum output of printf; 0: EMU_PRINT_BYTES, CUDA's default */
  /* all blocks are resident at once, or the launch fails; without it, cooperative groups have no
   * grid */
  bool cooperative;
  bool ignore_global_races; /* do not check for races in global memory, which is faster */
  /* memory limit for that check, above which memory goes unchecked; 0: 2 GiB */
  uint64_t race_bytes;
  bool unchecked;                  /* only execute: see below */
  const EmuTranslator *translator; /* for an unchecked launch; NULL: it is interpreted */
  EmuObserver *observer;           /* may be NULL */
  void *observer_context;
  EmuProgress *progress; /* may be NULL */
  void *progress_context;
  /* traces of the launches on which it depends programmatically: what it does before
   * griddepcontrol.wait is not ordered after these; NULLs are ignored */
  EmuTrace *const *primary;
  int primaries;
  /* states to search for an order of synchronisation that hangs; 0: no search */
  uint64_t hang_states;
  int schedule;     /* another order of warps and blocks, on one host thread; 0: the usual one */
  EmuTrace **trace; /* the end replaces and frees *trace, NULL if dependents cannot overlap */
} EmuLaunch;

typedef struct {
  uint64_t wavefronts, ideal;
} EmuTotal;

/* A launch by a kernel (dynamic parallelism), to be passed to emu_launch(): it has not run. */
typedef struct {
  const char *kernel;
  uint32_t grid[3], block[3], dynamic_shared;
  void *params; /* one block of memory: each parameter at its EmuParam.offset */
} EmuChild;

typedef struct {
  char error[240]; /* the reason if nothing ran: invalid launch or out of memory; else empty */
  int accesses;    /* in the order of the PTX text */
  EmuAccess *access;
  int findings; /* in the order of the PTX text */
  EmuFinding *finding;
  int notes; /* in the same order; notes are not findings */
  EmuFinding *note;
  /* an access outside every page of a GPU's memory, which ends the launch on a GPU */
  bool illegal_address;
  bool stopped; /* a trap, a deadlock, max_steps or, if unchecked, a fault ended it */
  uint64_t lane_instructions, warp_instructions;
  uint64_t translated;        /* warp instructions that compiled code executed */
  uint64_t translated_partly; /* the part of these with only some lanes active */
  uint64_t blocks;            /* number of blocks that ran, which are the first ones */
  bool cut;                   /* the progress callback stopped the launch */
  EmuTotal load;              /* loads from shared memory, including ldmatrix */
  EmuTotal store;             /* stores to shared memory, including stmatrix */
  EmuTotal copy;              /* cp.async to shared memory: model/cp_async.h */
  EmuTotal atomic;            /* atomics on shared memory */
  EmuTotal wgmma;             /* wgmma operands in shared memory */
  EmuTotal bulk;              /* copies by the async proxy, in both directions */
  /* The output of printf, or NULL: ordered by block, and within a block by execution, each call in
   * one piece. Beyond print_bytes whole calls are dropped; which ones depends on the order in which
   * host threads ran the blocks. */
  char *printed;
  size_t printed_bytes;
  uint64_t printf_dropped; /* number of calls */
  char search[240];        /* the outcome of the search for hangs; empty: none */
  int children;            /* ordered by launching block */
  EmuChild *child;
} EmuResult;

/*
 * Runs the kernel until it ends, or a trap, a deadlock or max_steps ends the launch. NULL only when
 * out of memory.
 *
 * An unchecked launch computes the same results several times as fast. It counts only instructions
 * and blocks, calls no observer, and does not check for races, undefined bits, proxies or array
 * bounds. An access outside every buffer's pages or outside shared or local memory, or a misaligned
 * one, ends it, as on a GPU; only these are reported.
 */
EmuResult *emu_launch(EmuModule *module, const EmuLaunch *launch);

/* Like emu_launch(), in parts, for kernels that wait for writes by the host. What the launch points
 * to, except its arguments, must stay valid until the end. Memory may be allocated and freed
 * between parts. */
typedef struct EmuRun EmuRun;
/* NULL when out of memory. */
EmuRun *emu_begin(EmuModule *module, const EmuLaunch *launch);
/* True when the launch has ended; false when all blocks have only polled memory for more than
 * `patience` warp instructions (unless that is 0): call it again. */
bool emu_run(EmuRun *run, uint64_t patience);
/* The number of warp instructions for which it has only polled, over all parts since it last did
 * anything else. */
uint64_t emu_waited(const EmuRun *run);
/* Also ends one that waits. */
EmuResult *emu_end(EmuRun *run);

void emu_result_free(EmuResult *result);

/* --- other schedules --- */

/* A copy of all device memory. */
typedef struct EmuSnapshot EmuSnapshot;
/* NULL when out of memory, for more than 4 GiB, or if a kernel could allocate memory. */
EmuSnapshot *emu_snapshot(const EmuMemory *memory);
void emu_snapshot_free(EmuSnapshot *snapshot);

/* A range of schedules. Each number, from 1 on, names one. */
typedef struct {
  int first, last;
} EmuSchedules;

/* Describes a schedule in a few words. */
const char *emu_schedule_name(int number);
/* Repeats a launch without findings under the schedules, from the memory before it, until one has a
 * finding or leaves other memory, which is then added to the first result. Returns the number of
 * that schedule, or 0. Memory is then as after the first launch. */
int emu_try_schedules(EmuModule *module, EmuMemory *memory, const EmuLaunch *launch,
                      const EmuSnapshot *before, EmuSchedules range, EmuResult *first);

#endif
