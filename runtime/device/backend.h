/* SPDX-License-Identifier: MIT */
/* backend.h: a device that runs kernels: a GPU, or the PTX emulator. Sizes are in bytes, addresses
 * are device addresses. Memory and modules belong to the caller, who frees them before
 * backend_close(). */
#ifndef KGEN_DEVICE_BACKEND_H
#define KGEN_DEVICE_BACKEND_H

#include "device/jit.h"
#include "model/tensor_map.h"

typedef struct Backend Backend;

/* An open backend. A call that fails returns false, or 0, and appends the failing call and the
 * reason to `error`. */
typedef struct {
  const Backend *backend;
  Arena *arena;
  void *state;
  const char *name; /* for people: "NVIDIA H200" */
  char arch[16];    /* architecture: sm_90; "" if it runs code for any architecture */
  /* size of the cache that a timed problem must exceed; 0 if times are not measured */
  int64_t l2_bytes;
  const char *driver; /* the CUDA version that it supports: 13.0; "" if not applicable */
  int sms;            /* 0 if times are not measured */
  /* shared-memory bandwidth of all SMs at the highest clock; 0: unknown */
  double wavefronts_per_ms;
  Text error;
  /* number of faults of the kernel that the emulator found: out of bounds, races, ... */
  Text findings;
} Device;

typedef struct {
  void *module; /* result of load() */
  const char *kernel;
  unsigned grid[3], block[3];
  unsigned cluster[3]; /* blocks per cluster; 0: as the kernel declares */
  bool programmatic; /* may start before the preceding launch has ended; the kernel waits for it */
  unsigned shared_bytes;
  const void *const *args; /* one pointer per parameter */
  int arg_count; /* size of each argument, to be checked against the kernel's parameters; */
  const size_t *arg_bytes; /* NULL: unknown */
} Launch;

/* Counters of one launch. Shared-memory wavefronts: loads including ldmatrix, stores including
 * stmatrix, copies by cp.async, and operand reads of wgmma. 32-byte sectors of global memory
 * requested from L1 by loads (including cp.async) and stores, without atomics. */
typedef struct {
  bool known;
  bool exact;              /* exact: wavefronts that lose arbitration are not counted twice */
  const char *why_unknown; /* NULL if known */
  bool apart;              /* copies and wgmma are counted, too */
  int64_t load, store, copy, wgmma;
  int64_t load_sectors, store_sectors;
} Counters;

struct Backend {
  const char *name; /* as in --device and in the JSON */
  JitForm form;     /* the kind of code that it executes */
  size_t guard;     /* bytes of poison that a buffer needs on each side to detect overruns */
  bool timed;
  bool (*open)(Device *d);
  void (*close)(Device *d);
  void *(*load)(Device *d, const Jit *jit, const char *kernel, int64_t shared_bytes);
  void (*unload)(Device *d, void *module);
  uint64_t (*alloc)(Device *d, size_t bytes, const char *name);
  void (*release)(Device *d, uint64_t memory);
  bool (*upload)(Device *d, uint64_t to, const void *from, size_t bytes);
  bool (*download)(Device *d, void *to, uint64_t from, size_t bytes);
  /* Encodes the TENSOR_MAP_BYTES of a `const __grid_constant__ CUtensorMap` parameter, at an
   * address that TENSOR_MAP_ALIGN divides. A GPU uses the driver's format, the emulator its own. */
  bool (*tensor_map_encode)(Device *d, const TensorMap *map, void *out);
  bool (*launch)(Device *d, const Launch *l); /* returns after it has finished */
  bool (*count)(Device *d, const Launch *l, Counters *out);
  /* Milliseconds for `runs` consecutive launches, which cycle through the list. */
  bool (*time)(Device *d, const Launch *list, int launches, int runs, double *ms);
  bool (*time_copy)(Device *d, uint64_t to, uint64_t from, size_t bytes, int runs, double *ms);
};

extern const Backend backend_cuda, backend_emulator;

/* The backend called cuda or emulator; for auto, the first of the two that opens. NULL, with all
 * reasons in *why, if there is none. */
Device *backend_open(Arena *a, const char *name, Text *why);
void backend_close(Device *d);

/* True if it still accepts calls: after some kernel faults a GPU accepts no more calls from this
 * process. */
bool backend_lives(Device *d);

/* The name of the GPU that would be opened, and its architecture in arch; NULL if there is none.
 * Creates no context on it. */
const char *backend_gpu(Arena *a, char arch[16]);
/* The number of GPUs; 0 without a driver. */
int backend_gpus(Arena *a);

#endif
