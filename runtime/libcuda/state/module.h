/* module.h: modules and libraries, which are both PTX loaded into the emulator, and their functions
 * and kernels, which are likewise the same. There is one device, so a library has one module for
 * all contexts. */
#ifndef KGEN_LIBCUDA_STATE_MODULE_H
#define KGEN_LIBCUDA_STATE_MODULE_H

#include "base/text.h"
#include "emu/emu.h"
#include "libcuda/abi.h"
#include "libcuda/image/jit_log.h"

/* What CUDA 3 has a program set before it launches a kernel; the parameters lie at their offsets.
 */
typedef struct {
  uint32_t block[3], shared_bytes, param_bytes;
  char *param; /* or NULL: none is set */
} Preset;

typedef struct Function {
  struct Module *module;
  uint64_t id; /* that no other function of the process ever has */
  const EmuKernel *kernel;
  int registers;   /* of a thread; 0: not looked for yet */
  bool guessed;    /* from PTX: they do not limit a launch */
  int max_dynamic; /* bytes of shared memory, as the program allowed */
  int carveout, non_portable_cluster, cluster_policy;
  int cluster[3]; /* as set by the program; 0: the kernel's own */
  bool refused;   /* that it cannot run has been said */
  Preset preset;
} Function;

typedef struct Module {
  Arena *arena;
  const char *ptx;
  size_t ptx_bytes;
  EmuModule *emu;
  int functions;
  Function *function;
  bool library;                           /* its functions are kernels, too */
  void (*leaves)(const struct Module *m); /* called before it goes; or NULL */
} Module;

/* Loads a module from any image that fatbin_read takes; errors are reported on stderr and in the
 * log, which may be NULL. */
CUresult module_load(Module **out, const void *image, JitLog *log);
/* Reports why an image is refused, what it holds. */
void module_say_refused(const char *what, JitLog *log);
CUresult module_unload(Module *m);
/* Returns the registers of a thread, from the machine code or else estimated from the PTX. */
int module_registers(Function *f);
/* Returns the number of threads for which a block has enough registers, at most 1024. */
int module_threads(const Function *f);
/* Whether the handle is a function of a loaded module; whether it is still the one of that id,
 * since a later module may be at the same address. */
bool module_knows(const Function *f);
bool module_holds(const Function *f, uint64_t id);
/* Returns the kernel of that name, or NULL. */
Function *module_function(Module *m, const char *name);

#endif
