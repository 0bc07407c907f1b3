/* SPDX-License-Identifier: MIT */
/* Images of modules (fat binaries, machine code, objects, archives, PTX), whole or damaged, are
 * loaded, linked and launched in a session, or end in an error of CUDA. */
// clang-format off
// covers: gen/base runtime/libcuda/image/cubin* runtime/libcuda/image/line_* runtime/libcuda/image/[fo][ab]* runtime/libcuda/image/link* runtime/libcuda/launch
// words: runtime/libcuda/image/cubin.c runtime/libcuda/image/link.c runtime/libcuda/image/host_object.c
// seeds: tests/fuzz/seeds/image
// clang-format on
#include <dirent.h>

#include "device/tally.h"
#include "fuzz.h"
#include "libcuda/abi.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

typedef struct Link *CUlinkState;
CUresult cuInit(unsigned flags);
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuModuleLoad(CUmodule *out, const char *path);
CUresult cuModuleLoadData(CUmodule *out, const void *image);
CUresult cuModuleUnload(CUmodule m);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuCtxSynchronize(void);
CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes);
CUresult cuMemFree_v2(CUdeviceptr address);
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared_bytes, CUstream stream,
                        void **params, void **extra);
CUresult cuModuleEnumerateFunctions(CUfunction *out, unsigned most, CUmodule m);
CUresult cuFuncGetAttribute(int *out, int attribute, CUfunction f);
CUresult cuLinkCreate_v2(unsigned options, int *option, void **value, CUlinkState *out);
CUresult cuLinkAddData_v2(CUlinkState l, int kind, void *data, size_t bytes, const char *name,
                          unsigned options, int *option, void **value);
CUresult cuLinkComplete(CUlinkState l, void **out, size_t *bytes);
CUresult cuLinkDestroy(CUlinkState l);

static char other_unit[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                           ".visible .func twice() { ret; }\n";

/* --- the session, in which launches are checked and end after few instructions --- */

/* The driver looks up the session when it is loaded. So this program restarts itself. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  char folder[] = "/tmp/kgen-image-XXXXXX", path[64];
  (void)argc;
  if (getenv("KGEN_EXEC_SESSION")) return 0;
  MUST(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/%s", folder, TALLY_FILE);
  MUST(tally_create(path));
  setenv("KGEN_EXEC_SESSION", folder, 1);
  setenv("KGEN_EXEC_MAX_STEPS", "2000", 1);
  setenv("KGEN_EXEC_PICTURES", "1", 1);
  execv("/proc/self/exe", *argv);
  abort();
}

/* Removes the records of launches. */
static void empty_session(void) {
  DIR *dir = opendir(getenv("KGEN_EXEC_SESSION"));
  MUST(dir);
  for (const struct dirent *e; (e = readdir(dir));)
    if (e->d_name[0] != '.' && strcmp(e->d_name, TALLY_FILE) != 0)
      unlinkat(dirfd(dir), e->d_name, 0);
  closedir(dir);
}

/* A launch that faults leaves a context that only a reset makes usable again. */
static void begin(void) {
  static bool begun;
  CUcontext context;
  if (!begun) MUST(!cuInit(0));
  begun = true;
  MUST(!cuDevicePrimaryCtxReset_v2(0));
  MUST(!cuDevicePrimaryCtxRetain(&context, 0) && !cuCtxSetCurrent(context));
}

/* --- an image --- */

/* Passes the address of a buffer and zeros as every parameter. */
static void launch(CUfunction f) {
  enum { PARAMS = 64, BUFFER = 4096 };
  static uint64_t value[8192]; /* the largest parameters have 32,764 bytes */
  void *params[PARAMS];
  CUdeviceptr buffer;
  if (cuMemAlloc_v2(&buffer, BUFFER)) return; /* an earlier kernel has ended the context */
  value[0] = buffer;
  for (int i = 0; i < PARAMS; i++) params[i] = value;
  cuLaunchKernel(f, 2, 1, 1, 40, 1, 1, 256, NULL, params, NULL);
  cuCtxSynchronize();
  cuMemFree_v2(buffer);
}

/* The registers of kernels are looked up in the machine code, or guessed from the PTX. A context
 * that a kernel has ended rejects the calls that follow. */
static void use(CUmodule m) {
  enum { MOST = 4, REGISTERS = 4 };
  CUfunction f[MOST] = {NULL};
  MUST(!cuModuleEnumerateFunctions(f, MOST, m));
  for (int i = 0, value; i < MOST && f[i]; i++) MUST(!cuFuncGetAttribute(&value, REGISTERS, f[i]));
  for (int i = 0; i < MOST && f[i]; i++) launch(f[i]);
  cuModuleUnload(m);
}

static void load(const uint8_t *data, size_t size) {
  CUmodule m;
  Arena *a = arena_new();
  const int fd = fuzz_file(data, size);
  if (!cuModuleLoad(&m, fuzz_path(a, fd))) use(m);
  close(fd);
  arena_free(a);
}

/* Links the image alone, or with another unit, whose names must be distinguished from the
 * image's. */
static void link_image(uint8_t *data, size_t size, bool alone) {
  CUlinkState link;
  CUmodule m;
  void *whole;
  MUST(!cuLinkCreate_v2(0, NULL, NULL, &link));
  if (!alone)
    MUST(!cuLinkAddData_v2(link, 0, other_unit, sizeof other_unit, "other", 0, NULL, NULL));
  cuLinkAddData_v2(link, 0, data, size, "image", 0, NULL, NULL);
  if (!cuLinkComplete(link, &whole, NULL) && !cuModuleLoadData(&m, whole)) use(m);
  MUST(!cuLinkDestroy(link));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size ? size : 1);
  MUST(copy);
  if (size) memcpy(copy, data, size);
  begin();
  load(copy, size);
  begin();
  link_image(copy, size, true);
  begin();
  link_image(copy, size, false);
  empty_session();
  free(copy);
  return 0;
}
