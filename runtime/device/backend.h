/* backend.h: what runs a kernel: a GPU, or the PTX emulator. Sizes are in bytes, addresses are the
 * device's own. Memory and modules are the caller's, who gives them back before backend_close. */
#ifndef KGEN_DEVICE_BACKEND_H
#define KGEN_DEVICE_BACKEND_H

#include "device/jit.h"
#include "model/tensor_map.h"

typedef struct Backend Backend;

/* An open backend. A call that fails returns false, or 0, with the failing call and its reason
 * appended to `error`. */
typedef struct {
  const Backend *backend;
  Arena *arena;
  void *state;
  const char *name;         /* for people: "NVIDIA H200" */
  char arch[16];            /* of the machine: sm_90; "" if it runs code for any */
  int64_t l2_bytes;         /* size of the cache that a timed problem must exceed; 0 if not timed */
  const char *driver;       /* version of CUDA that it offers: 13.0; "" without one */
  int sms;                  /* 0 if not timed */
  double wavefronts_per_ms; /* of shared memory, of all SMs at the highest clock; 0: not known */
  Text error;
  Text findings; /* faults of the kernel that the emulator saw: out of bounds, races, ... */
} Device;

typedef struct {
  void *module; /* from load */
  const char *kernel;
  unsigned grid[3], block[3];
  unsigned cluster[3]; /* blocks; 0: as the kernel declares */
  bool programmatic;   /* may start before the launch before it has ended, for which it waits */
  unsigned shared_bytes;
  const void *const *args; /* one pointer per parameter */
  int arg_count;           /* what they point at, to be held to what the kernel takes; */
  const size_t *arg_bytes; /* NULL: not known */
} Launch;

/* What one launch counted. Wavefronts of shared memory: loads including ldmatrix, stores including
 * stmatrix, copies by cp.async, and wgmma's reads of its operands. 32-byte sectors of global memory
 * that loads (including cp.async) and stores request from L1, without atomics. */
typedef struct {
  bool known;
  bool exact;              /* exact: no wavefront that lost arbitration is counted twice */
  const char *why_unknown; /* NULL if known */
  bool apart;              /* copies and wgmma are known, too */
  int64_t load, store, copy, wgmma;
  int64_t load_sectors, store_sectors;
} Counters;

struct Backend {
  const char *name; /* as in --device and in the JSON */
  JitForm form;     /* that it executes */
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
  /* The TENSOR_MAP_BYTES that a `const __grid_constant__ CUtensorMap` parameter takes, at an
   * address that TENSOR_MAP_ALIGN divides. A GPU's form is the driver's, the emulator's its own. */
  bool (*tensor_map_encode)(Device *d, const TensorMap *map, void *out);
  bool (*launch)(Device *d, const Launch *l); /* returns when it has finished */
  bool (*count)(Device *d, const Launch *l, Counters *out);
  /* Milliseconds for `runs` launches in a row, taking the launches of the list in turn. */
  bool (*time)(Device *d, const Launch *list, int launches, int runs, double *ms);
  bool (*time_copy)(Device *d, uint64_t to, uint64_t from, size_t bytes, int runs, double *ms);
};

extern const Backend backend_cuda, backend_emulator;

/* The backend called cuda or emulator; for auto, the first of the two that opens. NULL, with every
 * reason in *why, if there is none. */
Device *backend_open(Arena *a, const char *name, Text *why);
void backend_close(Device *d);

/* Whether it still accepts calls: after some faults of a kernel a GPU accepts none of this process
 * any more. */
bool backend_lives(Device *d);

/* The GPU that would be opened: its name, and its architecture in arch; NULL if there is none. No
 * context is made on it. */
const char *backend_gpu(Arena *a, char arch[16]);
/* The number of GPUs; 0 without a driver. */
int backend_gpus(Arena *a);

#endif
