/* SPDX-License-Identifier: MIT */
#include "libcuda/state/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "libcuda/image/cubin.h"
#include "libcuda/image/fatbin.h"
#include "libcuda/image/link.h"
#include "libcuda/state/call.h"
#include "libcuda/state/handle.h"
#include "libcuda/watch/host.h"

/* Reports an unusable image once per process, because a program's modules are built alike. */
const char *module_say_refused(Arena *a, const Diag *diag, JitLog *log) {
  static bool said;
  int count;
  const DiagEntry *e = diag_list(diag, a, &count);
  const char *what = count ? text_clean(a, e->text) : "";
  if (count && e->hint) what = arena_printf(a, "%s\nkgen: hint: %s", what, text_clean(a, e->hint));
  const char *lines = arena_printf(a, "kgen: a module is refused: it holds %s", what);
  jit_log_error(log, lines);
  if (!said) fprintf(stderr, "%s\n", lines);
  said = true;
  return what;
}

/* Reports errors outside kernels; errors within a kernel are reported when it is launched. */
static CUresult check(const Module *m, JitLog *log) {
  int errors, kernels;
  const EmuError *e = emu_errors(m->emu, &errors);
  emu_kernels(m->emu, &kernels);
  if (!errors || kernels) return CUDA_SUCCESS;
  const char *line =
      arena_printf(m->arena, "kgen: a module is refused: PTX line %d: %s", e->ptx_line, e->message);
  fprintf(stderr, "%s\n", text_clean(m->arena, line));
  jit_log_error(log, line);
  return CUDA_ERROR_INVALID_PTX;
}

static void list_functions(Module *m) {
  static uint64_t ids;
  const EmuKernel *kernel = emu_kernels(m->emu, &m->functions);
  m->function = ARENA_ARRAY(m->arena, Function, (size_t)m->functions + 1);
  for (int i = 0; i < m->functions; i++) {
    m->function[i] = (Function){.module = m, .id = ++ids, .kernel = &kernel[i], .carveout = -1};
    handle_add(&m->function[i], HANDLE_FUNCTION);
  }
}

static CUresult load_text(Module *m, const PtxUnit *text, JitLog *log) {
  m->ptx = text->ptx;
  m->ptx_bytes = text->bytes;
  m->emu = emu_load(driver()->memory, text->ptx, text->bytes);
  if (!m->emu) return CUDA_ERROR_OUT_OF_MEMORY;
  list_functions(m);
  return check(m, log);
}

static void drop(Module *m) {
  if (m->leaves) m->leaves(m);
  for (int i = 0; i < m->functions; i++) handle_drop(&m->function[i]);
  if (m->emu) emu_unload(m->emu);
  arena_free(m->arena);
}

/* Reads the register counts during loading, because the machine code may be freed afterwards. */
static void read_registers(Module *m, const PtxUnit *unit, int units) {
  for (int i = 0; i < m->functions; i++)
    for (int k = 0; k < units; k++) {
      const int registers = cubin_registers(unit[k].machine, m->function[i].kernel->name);
      if (registers > m->function[i].registers) m->function[i].registers = registers;
    }
}

int module_registers(Function *f) {
  if (f->registers) return f->registers;
  f->registers = emu_registers(f->module->emu, f->kernel);
  f->guessed = true;
  return f->registers;
}

/* The hardware allocates registers in units of 8 per thread. */
int module_threads(const Function *f) {
  enum { MAX_BLOCK = 1024, OF_A_BLOCK = 65536, UNIT = 8 };
  if (f->guessed || !f->registers) return MAX_BLOCK;
  const int threads = OF_A_BLOCK / ((f->registers + UNIT - 1) / UNIT * UNIT) / WARP * WARP;
  return threads < MAX_BLOCK ? threads : MAX_BLOCK;
}

static CUresult load_image(Module **out, const void *image, size_t bytes, JitLog *log) {
  if (!out || !image) return CUDA_ERROR_INVALID_VALUE;
  Arena *a = arena_new();
  Module *m = ARENA_NEW(a, Module);
  m->arena = a;
  PtxUnit *unit = ARENA_ARRAY(a, PtxUnit, FATBIN_UNITS);
  int units;
  Diag *diag = diag_new(a);
  CUresult result = fatbin_read(a, image, bytes, gpu_number(driver()->device), unit, &units, diag);
  if (result) {
    const char *why = module_say_refused(a, diag, log);
    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU) host_module_refused(why);
  } else {
    const PtxUnit text = link_units(a, unit, units);
    result = load_text(m, &text, log);
    if (!result) read_registers(m, unit, units);
  }
  if (result) {
    drop(m);
    return result;
  }
  handle_add(m, HANDLE_MODULE);
  *out = m;
  return CUDA_SUCCESS;
}

/* The size of an image in memory is unknown. */
CUresult module_load(Module **out, const void *image, JitLog *log) {
  return load_image(out, image, SIZE_MAX, log);
}

CUresult module_unload(Module *m) {
  if (!handle_is(m, HANDLE_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  handle_drop(m);
  drop(m);
  return CUDA_SUCCESS;
}

bool module_knows(const Function *f) { return handle_is(f, HANDLE_FUNCTION); }

bool module_holds(const Function *f, uint64_t id) { return module_knows(f) && f->id == id; }

Function *module_function(Module *m, const char *name) {
  for (int i = 0; i < m->functions; i++)
    if (strcmp(m->function[i].kernel->name, name) == 0) return &m->function[i];
  return NULL;
}

/* --- the API: modules --- */

CU_API CUresult cuModuleLoadData(CUmodule *out, const void *image) {
  SERVE(NEED_CONTEXT, module_load(out, image, NULL));
}

static CUresult load_logged(Module **out, const void *image, unsigned options, const int *option,
                            void **value) {
  JitLog log;
  const CUresult result = jit_log_new(options, option, value, &log);
  return result ? result : module_load(out, image, &log);
}

/* Supports only the log buffers; the other options are for the PTX compiler, which is not used. */
CU_API CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned options, int *option,
                                   void **value) {
  SERVE(NEED_CONTEXT, load_logged(out, image, options, option, value));
}

CU_API CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image) {
  SERVE(NEED_CONTEXT, module_load(out, image, NULL));
}

static CUresult load_file(Module **out, const char *path, JitLog *log) {
  enum { MAX_FILE = 1 << 30 };
  if (!path) return CUDA_ERROR_INVALID_VALUE;
  Arena *a = arena_new();
  size_t bytes;
  const char *image = file_read(a, path, MAX_FILE, &bytes);
  const CUresult result = !image      ? CUDA_ERROR_FILE_NOT_FOUND
                          : bytes < 4 ? CUDA_ERROR_INVALID_IMAGE
                                      : load_image(out, image, bytes, log);
  arena_free(a);
  return result;
}

CU_API CUresult cuModuleLoad(CUmodule *out, const char *path) {
  SERVE(NEED_CONTEXT, load_file(out, path, NULL));
}

static CUresult get_function(Function **out, Module *m, const char *name) {
  if (!handle_is(m, HANDLE_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
  *out = module_function(m, name);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CU_API CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name) {
  SERVE(NEED_INIT, get_function(out, m, name));
}

static CUresult count_functions(unsigned *out, const Module *m) {
  if (!handle_is(m, HANDLE_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = (unsigned)m->functions;
  return CUDA_SUCCESS;
}

CU_API CUresult cuModuleGetFunctionCount(unsigned *out, CUmodule m) {
  SERVE(NEED_INIT, count_functions(out, m));
}

static CUresult list(Function **out, unsigned most, Module *m) {
  if (!handle_is(m, HANDLE_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < most && i < (unsigned)m->functions; i++) out[i] = &m->function[i];
  return CUDA_SUCCESS;
}

CU_API CUresult cuModuleEnumerateFunctions(CUfunction *out, unsigned most, CUmodule m) {
  SERVE(NEED_INIT, list(out, most, m));
}

static CUresult get_loading(int *out) {
  enum { LAZY = 2 };
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = LAZY;
  return CUDA_SUCCESS;
}

CU_API CUresult cuModuleGetLoadingMode(int *out) { SERVE(NEED_NOTHING, get_loading(out)); }

/* Looks up the exact name, as CUDA does. */
static CUresult get_variable(CUdeviceptr *address, size_t *bytes, const Module *m,
                             const char *name) {
  if (!handle_is(m, HANDLE_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  EmuVariable variable;
  uint64_t at;
  if (!emu_variable(m->emu, name, &variable, &at)) return CUDA_ERROR_NOT_FOUND;
  if (address) *address = at;
  if (bytes) *bytes = (size_t)variable.bytes;
  return CUDA_SUCCESS;
}

CU_API CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule m,
                                     const char *name) {
  SERVE(NEED_INIT, get_variable(address, bytes, m, name));
}

/* --- the API: libraries --- */

static CUresult as_library(Module *const *m, CUresult loaded) {
  if (!loaded) (*m)->library = true;
  return loaded;
}

CU_API CUresult cuLibraryLoadData(CUlibrary *out, const void *image, int *jit_option,
                                  void **jit_value, unsigned jit_options, int *option, void **value,
                                  unsigned options) {
  (void)option, (void)value, (void)options;
  SERVE(NEED_INIT, as_library(out, load_logged(out, image, jit_options, jit_option, jit_value)));
}

static CUresult load_file_logged(Module **out, const char *path, unsigned options,
                                 const int *option, void **value) {
  JitLog log;
  const CUresult result = jit_log_new(options, option, value, &log);
  return result ? result : load_file(out, path, &log);
}

CU_API CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path, int *jit_option,
                                      void **jit_value, unsigned jit_options, int *option,
                                      void **value, unsigned options) {
  (void)option, (void)value, (void)options;
  SERVE(NEED_INIT,
        as_library(out, load_file_logged(out, path, jit_options, jit_option, jit_value)));
}

CU_API CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary m, const char *name) {
  SERVE(NEED_INIT, get_function(out, m, name));
}

CU_API CUresult cuLibraryGetKernelCount(unsigned *out, CUlibrary m) {
  SERVE(NEED_INIT, count_functions(out, m));
}

CU_API CUresult cuLibraryEnumerateKernels(CUkernel *out, unsigned most, CUlibrary m) {
  SERVE(NEED_INIT, list(out, most, m));
}

static CUresult get_module(Module **out, Module *m) {
  if (!handle_is(m, HANDLE_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = m;
  return CUDA_SUCCESS;
}

CU_API CUresult cuLibraryGetModule(CUmodule *out, CUlibrary m) {
  SERVE(NEED_CONTEXT, get_module(out, m));
}

static Module *module_of(CUfunction f) { return module_knows(f) ? f->module : NULL; }

CU_API CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel f) {
  SERVE(NEED_INIT, get_module(out, module_of(f)));
}

CU_API CUresult cuFuncGetModule(CUmodule *out, CUfunction f) {
  SERVE(NEED_INIT, get_module(out, module_of(f)));
}

CU_API CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary m,
                                   const char *name) {
  SERVE(NEED_CONTEXT, get_variable(address, bytes, m, name));
}

/* A managed variable has one address for host and device. */
CU_API CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary m,
                                    const char *name) {
  SERVE(NEED_INIT, get_variable(address, bytes, m, name));
}
