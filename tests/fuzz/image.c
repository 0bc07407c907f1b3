/* Images of modules (fat binaries, machine code, objects, archives, PTX), whole or damaged, are
 * loaded, or end in an error of CUDA. */
// covers: gen/base runtime/libcuda/image/cubin* runtime/libcuda/image/line_*
// runtime/libcuda/image/[fo][ab]* runtime/libcuda/image/link* words: runtime/libcuda/image/cubin.c
// runtime/libcuda/image/link.c runtime/libcuda/image/host_object.c seeds: tests/fuzz/seeds/image
#include "fuzz.h"
#include "libcuda/abi.h"

typedef struct Link *CUlinkState;
CUresult cuInit(unsigned flags);
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuModuleLoad(CUmodule *out, const char *path);
CUresult cuModuleLoadData(CUmodule *out, const void *image);
CUresult cuModuleUnload(CUmodule m);
CUresult cuModuleEnumerateFunctions(CUfunction *out, unsigned most, CUmodule m);
CUresult cuFuncGetAttribute(int *out, int attribute, CUfunction f);
CUresult cuLinkCreate_v2(unsigned options, int *option, void **value, CUlinkState *out);
CUresult cuLinkAddData_v2(CUlinkState l, int kind, void *data, size_t bytes, const char *name,
                          unsigned options, int *option, void **value);
CUresult cuLinkComplete(CUlinkState l, void **out, size_t *bytes);
CUresult cuLinkDestroy(CUlinkState l);

static char other_unit[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                           ".visible .func twice() { ret; }\n";

static void begin(void) {
  static bool begun;
  CUcontext context;
  if (!begun) MUST(!cuInit(0) && !cuDevicePrimaryCtxRetain(&context, 0));
  if (!begun) MUST(!cuCtxSetCurrent(context));
  begun = true;
}

/* The registers of kernels are looked up in the machine code, or guessed from the PTX. */
static void use(CUmodule m) {
  enum { MOST = 4, REGISTERS = 4 };
  CUfunction f[MOST] = {NULL};
  MUST(!cuModuleEnumerateFunctions(f, MOST, m));
  for (int i = 0, value; i < MOST && f[i]; i++) MUST(!cuFuncGetAttribute(&value, REGISTERS, f[i]));
  MUST(!cuModuleUnload(m));
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
  begin();
  MUST(copy);
  if (size) memcpy(copy, data, size);
  load(copy, size);
  link_image(copy, size, true);
  link_image(copy, size, false);
  free(copy);
  return 0;
}
