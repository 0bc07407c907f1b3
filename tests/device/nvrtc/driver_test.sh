# The GPU's path without a GPU: a driver of this test's own, whose memory is the host's and whose one kernel is a copy.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache"
grep -q '^KGEN_SANITIZE:BOOL=ON' "${KGEN_BUILD:?}/CMakeCache.txt" && { echo "skipped: the build without sanitizers shows this"; exit 77; }
cat >driver.c <<'E2'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda_driver.h"

enum { NO_MEMORY = 2, NO_DEVICE = 100, MOST = 64 << 20 };

/* What FAIL names fails with the error in CODE. */
static DriverResult result_of(const char *call) {
  const char *fails = getenv("FAIL");
  if (getenv("TRACE")) fprintf(stderr, "%s\n", call);
  return fails && strcmp(fails, call) == 0 ? (DriverResult)atoi(getenv("CODE")) : 0;
}
#define CALL(...) do { const DriverResult r = result_of(__func__); if (r) return r; __VA_ARGS__; return 0; } while (0)

DriverResult cuGetErrorString(DriverResult r, const char **t) { *t = r == NO_DEVICE ? "no device" : r == NO_MEMORY ? "out of memory" : NULL; return 0; }
DriverResult cuGetErrorName(DriverResult r, const char **n) { *n = r == NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : r == NO_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : NULL; return 0; }
DriverResult cuInit(unsigned flags) { CALL(if (flags) return 1); }
DriverResult cuDriverGetVersion(int *v) { CALL(*v = 13000); }
DriverResult cuDeviceGetCount(int *n) { CALL(*n = 1); }
DriverResult cuDeviceGet(DriverDevice *d, int i) { CALL(*d = 7 + i); }
DriverResult cuDeviceGetName(char *name, int size, DriverDevice d) { CALL(snprintf(name, (size_t)size, "Test %d", d)); }
DriverResult cuDeviceGetAttribute(int *v, unsigned a, DriverDevice d) {
  CALL(if (d != 7) return 1; *v = a == DRIVER_DEVICE_MAJOR ? (getenv("MAJOR") ? atoi(getenv("MAJOR")) : 9) : a == DRIVER_DEVICE_MINOR ? 0 : a == DRIVER_DEVICE_L2_BYTES ? 1 << 20 : -1);
}
DriverResult cuDevicePrimaryCtxRetain(DriverContext *c, DriverDevice d) { CALL(*c = (DriverContext)(uintptr_t)(d + 100)); }
DriverResult cuCtxSetCurrent(DriverContext c) { CALL(if ((uintptr_t)c != 107) return 1); }
DriverResult cuStreamCreate(DriverStream *s, unsigned flags) { CALL(if (flags != DRIVER_STREAM_NON_BLOCKING) return 1; *s = (DriverStream)(uintptr_t)200); }
DriverResult cuStreamDestroy_v2(DriverStream s) { CALL(if ((uintptr_t)s != 200) return 1); }
DriverResult cuStreamSynchronize(DriverStream s) { CALL(if ((uintptr_t)s != 200) return 1); }
DriverResult cuEventCreate(DriverEvent *e, unsigned flags) { CALL(if (flags) return 1; *e = malloc(1)); }
DriverResult cuEventDestroy_v2(DriverEvent e) { CALL(free(e)); }
DriverResult cuEventRecord(DriverEvent e, DriverStream s) { CALL(if (!e || (uintptr_t)s != 200) return 1); }
DriverResult cuEventSynchronize(DriverEvent e) { CALL(if (!e) return 1); }
DriverResult cuEventElapsedTime(float *ms, DriverEvent a, DriverEvent b) { CALL(if (!a || !b || a == b) return 1; *ms = 8); }
DriverResult cuLibraryLoadData(DriverLibrary *l, const void *image, unsigned *jo, void **jv, unsigned jn, unsigned *o, void **v, unsigned n) {
  (void)jo; (void)jv; (void)o; (void)v;
  CALL(if (memcmp(image, "\177ELF", 4) != 0 || jn || n) return 1; *l = malloc(1));
}
DriverResult cuLibraryUnload(DriverLibrary l) { CALL(free(l)); }
DriverResult cuLibraryGetKernel(DriverKernel *k, DriverLibrary l, const char *name) { CALL(if (!l || strncmp(name, "copy_it", 7) != 0) return 1; *k = (DriverKernel)(uintptr_t)300); }
DriverResult cuKernelSetAttribute(unsigned a, int value, DriverKernel k, DriverDevice d) { CALL(if (a != DRIVER_KERNEL_MAX_DYNAMIC_SHARED || value < 1 || (uintptr_t)k != 300 || d != 7) return 1); }
DriverResult cuMemAlloc_v2(DriverPointer *p, size_t n) { CALL(if (n > MOST) return NO_MEMORY; *p = (uintptr_t)malloc(n)); }
DriverResult cuMemFree_v2(DriverPointer p) { CALL(free((void *)(uintptr_t)p)); }
DriverResult cuMemcpyHtoDAsync_v2(DriverPointer to, const void *from, size_t n, DriverStream s) { CALL((void)s; memcpy((void *)(uintptr_t)to, from, n)); }
DriverResult cuMemcpyDtoHAsync_v2(void *to, DriverPointer from, size_t n, DriverStream s) { CALL((void)s; memcpy(to, (void *)(uintptr_t)from, n)); }
DriverResult cuMemcpyDtoDAsync_v2(DriverPointer to, DriverPointer from, size_t n, DriverStream s) { CALL((void)s; memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, n)); }
/* Every launch has the attribute that PROGRAMMATIC asks for, and no other. */
static int has_attributes(const DriverLaunchConfig *c) {
  if (!getenv("PROGRAMMATIC")) return c->attributes == 0;
  return c->attributes == 1 && c->attribute->id == DRIVER_LAUNCH_PROGRAMMATIC && c->attribute->value.programmatic == 1;
}
DriverResult cuLaunchKernelEx(const struct CUlaunchConfig_st *config, DriverFunction f, void **args, void **extra) {
  const DriverLaunchConfig *c = (const void *)config;
  CALL(if ((uintptr_t)f != 300 || !c->grid[0] || c->grid[1] * c->grid[2] != 1 || c->block[0] != 128 || c->block[1] * c->block[2] != 1 ||
           !c->shared_bytes || (uintptr_t)c->stream != 200 || !has_attributes(c) || extra) return 1;
       memcpy(*(void **)args[0], *(void **)args[1], sizeof(float) * *(size_t *)args[2]));
}
DriverResult cuTensorMapEncodeTiled(struct CUtensorMap_st *map, unsigned type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides,
                                    const uint32_t *box, const uint32_t *steps, unsigned interleave, unsigned swizzle, unsigned l2, unsigned fill) {
  (void)type; (void)rank; (void)address; (void)dims; (void)strides; (void)box; (void)steps; (void)interleave; (void)swizzle; (void)l2; (void)fill;
  CALL(memset(map, 0, 128));
}
E2
mkdir -p fake/lib64
"${CC:-cc}" -std=c11 -shared -fPIC -I"$source_dir/runtime" -I"$source_dir/gen" -o fake/lib64/libcuda.so.1 driver.c || exit 1
# The real toolkit stays where it is, unless CUDA_HOME names one elsewhere.
export CUDA_PATH=${CUDA_HOME:-${CUDA_PATH:-}} CUDA_HOME=$tmp/fake
printf 'version: 1\nkernel: copy\nname: copy_it\ndtype: f32\n' >copy_it.yaml

"$KGEN" --run --device cuda --json --dry-run copy_it.yaml >json 2>stderr; got=$?
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
# The timed problem needs more memory than this driver has: the run fails, after every size has been checked.
[ $got = 6 ]; check $? "exit $got"
holds "its name" grep -q '^kgen: running on: Test 7$' stderr
holds "the failing call, its reason, its name" grep -q 'cuMemAlloc(&memory, bytes): out of memory (CUDA_ERROR_OUT_OF_MEMORY) for [0-9]* bytes' stderr
holds "right at every size" python3 -c 'import json; r=json.load(open("json"))["specs"][0]["run"]; assert r["backend"] == "cuda" and r["device"] == "Test 7" and r["correct"] and r["control"]["correct"], r'

# fails CALL CODE EXIT PATTERN: that call fails, and kgen says so.
fails() {
  FAIL=$1 CODE=$2 "$KGEN" --run --device cuda --dry-run copy_it.yaml >stdout 2>stderr; local got=$?
  [ $got = "$3" ] && grep -q "$4" stderr; check $? "$1 fails: exit $got, want $3: $(head -3 stderr)"
}
fails cuInit 100 77 'cuInit(0): no device (CUDA_ERROR_NO_DEVICE)'
for call in cuDeviceGet cuDevicePrimaryCtxRetain cuCtxSetCurrent cuDeviceGetName cuDeviceGetAttribute cuStreamCreate cuEventCreate; do
  fails $call 999 77 "cuda: $call(.*: error (unknown)"
done
for call in cuLibraryLoadData cuLibraryGetKernel cuKernelSetAttribute cuMemAlloc_v2 cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuLaunchKernelEx cuStreamSynchronize; do
  fails $call 999 6 "${call%_v2}(.*: error (unknown)"
done
# As many kernels of one source as a family may name, launched one after another.
mkdir many; cp "$source_dir"/templates/{*.h,copy.cu} many
sed 's/^  bench:.*/  bench: [1000]\n  entry: {a: count == 1, b: count == 1000, c: count == d0, d: count == 2 * d0 - 1}/' \
  "$source_dir/templates/copy.yaml" >many/copy.yaml
"$KGEN" --run --device cuda --json --dry-run --templates many copy_it.yaml >json 2>stderr; check $? "five kernels: $(head -3 stderr)"
# A family that waits for the launch before: each launch may start early, those that are timed too.
mkdir early; cp "$source_dir"/templates/{*.h,copy.cu} early
sed 's/^  bench:.*/  bench: [1000]\n  programmatic: true/' "$source_dir/templates/copy.yaml" >early/copy.yaml
PROGRAMMATIC=1 "$KGEN" --run --device cuda --json --dry-run --templates early copy_it.yaml >json 2>stderr; check $? "programmatic: $(head -3 stderr)"
holds "timed" python3 -c 'import json; r=json.load(open("json"))["specs"][0]["run"]; assert r["correct"] and r["time_ms"]["median"] > 0, r'
"$KGEN" --run --device cuda --dry-run --templates early copy_it.yaml >stdout 2>stderr; got=$?
[ $got = 6 ]; check $? "an attribute that this driver was not told of: exit $got"
MAJOR=8 "$KGEN" --run --device cuda --dry-run --templates early copy_it.yaml >stdout 2>stderr; check $? "no attribute before sm_90: $(head -3 stderr)"

FAIL=cuInit CODE=100 "$KGEN" --run --device auto -v --dry-run copy_it.yaml >stdout 2>stderr; check $? "auto goes on to the emulator"
holds "and says why" grep -q 'kgen: cuda: cuInit(0): no device' stderr

sed -i 's/cuMemFree_v2/cuMemFree_v9/' driver.c
"${CC:-cc}" -std=c11 -shared -fPIC -I"$source_dir/runtime" -I"$source_dir/gen" -o fake/lib64/libcuda.so.1 driver.c
fails none 0 77 'the library has no cuMemFree_v2'
verdict device_driver
