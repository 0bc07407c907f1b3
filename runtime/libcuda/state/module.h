/* SPDX-License-Identifier: MIT */
/* module.h: modules and libraries, both of which are PTX loaded into the emulator, and their
 * functions and kernels, which are the same, too. There is one device, so a library has one module
 * for all contexts. */
#ifndef KGEN_LIBCUDA_STATE_MODULE_H
#define KGEN_LIBCUDA_STATE_MODULE_H

#include "base/diag.h"
#include "emu/emu.h"
#include "libcuda/abi.h"
#include "libcuda/image/jit_log.h"

/* Settings that CUDA 3 programs make before a launch; the parameters are at their offsets in
 * `param`. */
typedef struct {
  uint32_t block[3], shared_bytes, param_bytes;
  char *param; /* NULL: none were set */
} Preset;

typedef struct Function {
  struct Module *module;
  uint64_t id; /* unique among all functions of the process */
  const EmuKernel *kernel;
  int registers;   /* registers per thread; 0: not read yet */
  bool guessed;    /* estimated from PTX; such counts do not limit a launch */
  int max_dynamic; /* bytes of shared memory that the program allows */
  int carveout, non_portable_cluster, cluster_policy;
  int cluster[3]; /* set by the program; 0: the kernel's own */
  bool refused;   /* it was reported as unsupported */
  Preset preset;
} Function;

typedef struct Module {
  Arena *arena;
  const char *ptx;
  size_t ptx_bytes;
  EmuModule *emu;
  int functions;
  Function *function;
  bool library;                           /* its functions are also kernels */
  void (*leaves)(const struct Module *m); /* called before the module is unloaded; or NULL */
} Module;

/* Loads a module from any image that fatbin_read() accepts. Errors are reported on stderr and in
 * the log, which may be NULL. */
CUresult module_load(Module **out, const void *image, JitLog *log);
/* Reports that an image cannot be loaded. Returns what it contains, the first error in `diag`, with
 * its hint on a line of its own. */
const char *module_say_refused(Arena *a, const Diag *diag, JitLog *log);
CUresult module_unload(Module *m);
/* Returns the registers per thread: from the machine code, else estimated from the PTX. */
int module_registers(Function *f);
/* Returns the maximum number of threads per block for which there are enough registers, at most
 * 1024. */
int module_threads(const Function *f);
/* module_knows(): true if the handle is a function of a loaded module. module_holds(): true if it
 * also has that id, because a later module's function may have the same address. */
bool module_knows(const Function *f);
bool module_holds(const Function *f, uint64_t id);
/* Returns the kernel of that name, or NULL. */
Function *module_function(Module *m, const char *name);

#endif
