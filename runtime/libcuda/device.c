#include "libcuda/device.h"

#include <stdlib.h>
#include <string.h>

#include "libcuda/driver.h"

#define MIB ((uint64_t)1 << 20)

/* As NVIDIA's data sheets and deviceQuery have them; the H200's were read from one. */
static const DeviceModel models[] = {
    {"sm_75", "Tesla T4", 7, 5, 40, 15095 * MIB, 1590000, 5001000, 256, 4 << 20},
    {"sm_80", "NVIDIA A100-SXM4-80GB", 8, 0, 108, 81155 * MIB, 1410000, 1593000, 5120, 40 << 20},
    {"sm_86", "NVIDIA RTX A6000", 8, 6, 84, 48570 * MIB, 1800000, 8001000, 384, 6 << 20},
    {"sm_89", "NVIDIA L40S", 8, 9, 142, 45487 * MIB, 2520000, 9001000, 384, 96 << 20},
    {"sm_90", "NVIDIA H200", 9, 0, 132, 143156 * MIB, 1980000, 3201000, 6144, 60 << 20},
    {"sm_100", "NVIDIA B200", 10, 0, 148, 182642 * MIB, 1965000, 3996000, 8192, 126 << 20},
    {"sm_120", "NVIDIA GeForce RTX 5090", 12, 0, 170, 32120 * MIB, 2407000, 14001000, 512,
     96 << 20},
};

/* sm_90a is an sm_90. */
static size_t base_length(const char *arch) {
  const size_t n = strlen(arch);
  return n && (arch[n - 1] == 'a' || arch[n - 1] == 'f') ? n - 1 : n;
}

const DeviceModel *device_model(const char *arch) {
  const size_t n = base_length(arch);
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    if (strlen(models[i].arch) == n && strncmp(models[i].arch, arch, n) == 0) return &models[i];
  return NULL;
}

const Arch *device_arch(const DeviceModel *d) { return arch_find(d->arch); }

int device_number(const DeviceModel *d) { return d->major * 10 + d->minor; }

/* CUdevice_attribute: those that are the same on all of these GPUs, and on the emulator. */
static const struct {
  short attribute;
  int value;
} fixed[] = {
    {1, 1024},                                      /* threads of a block */
    {2, 1024},                                      /* its dimensions */
    {3, 1024},        {4, 64},     {5, 2147483647}, /* those of a grid */
    {6, 65535},       {7, 65535},  {8, 49152},      /* shared memory of a block without opting in */
    {9, 65536},                                     /* constant memory */
    {10, 32},                                       /* lanes */
    {11, 2147483647},                               /* pitch */
    {12, 65536},                                    /* registers of a block */
    {14, 512},                                      /* alignment of textures */
    {15, 1},                                        /* copies overlap kernels */
    {17, 0},                                        /* no time limit */
    {18, 0},                                        /* not integrated */
    {19, 1},                                        /* maps host memory */
    {20, 0},                                        /* the default compute mode */
    {21, 131072}, /* largest textures and surfaces, to 29 and from 42 to 77 */
    {22, 131072},     {23, 65536}, {24, 16384},     {25, 16384},  {26, 16384},
    {27, 32768},      {28, 32768}, {29, 2048},      {30, 512}, /* alignment of surfaces */
    {31, 1},                                                   /* kernels run concurrently */
    {32, 1},                                                   /* ECC */
    {33, 1},                                                   /* PCI bus, device and domain */
    {34, 0},          {50, 0},     {35, 0},                    /* no TCC */
    {40, 3},                                                   /* copy engines */
    {41, 1},                                                   /* unified addresses */
    {42, 32768},      {43, 2048},  {44, 1},         {45, 32768},  {46, 32768},
    {47, 8192},       {48, 8192},  {49, 32768},     {51, 32}, /* alignment of a texture's pitch */
    {52, 32768},      {53, 32768}, {54, 2046},      {55, 32768},  {56, 131072},
    {57, 65536},      {58, 16384}, {59, 16384},     {60, 16384},  {61, 32768},
    {62, 2048},       {63, 32768}, {64, 32768},     {65, 2048},   {66, 32768},
    {67, 32768},      {68, 2046},  {69, 268435456}, {70, 131072}, {71, 65000},
    {72, 2097120},    {73, 32768}, {74, 32768},     {77, 32768},  {78, 1}, /* stream priorities */
    {79, 1},                                                 /* caches of global and local memory */
    {80, 1},          {82, 65536},                           /* registers of a multiprocessor */
    {83, 1},                                                 /* managed memory */
    {84, 0},          {85, 0},     {86, 0},         {87, 2}, /* single to double precision */
    {88, 0}, /* pageable memory is not the device's: programs that rely on it ask for it */
    {89, 1}, /* managed memory at the same time on host and device */
    {90, 1},          {91, 1},     {92, 0},         {93, 0},      {94, 0},
    {95, 1},                                 /* cooperative launches, on one device */
    {96, 0},          {98, 0},     {99, 1},  /* cuMemHostRegister */
    {100, 0},         {101, 0},    {102, 1}, /* virtual memory management */
    {103, 0},         {104, 0},    {105, 0},        {107, 0},     {108, 0},
    {109, 0},         {110, 0},    {111, 1024}, /* reserved shared memory of a block */
    {112, 0},         {113, 1},    {114, 0},        {115, 1}, /* memory pools */
    {116, 0},         {117, 0},    {118, 0},        {119, 0},     {121, 0},
    {122, 0},         {123, 0},    {124, 0},        {125, 0},     {126, 1},
    {128, 0},         {129, 1}, /* device addresses of functions are the same everywhere */
    {130, 0},         {131, -1},   {132, 0},        {133, 0},     {134, 0},
    {135, 0},         {136, 0},    {137, 0},        {138, 0},     {139, 0},
    {140, 0},         {141, 0},    {142, 0},        {143, 0},     {144, 0},
    {145, 0},         {146, 0},    {147, 0},
};

bool device_attribute(const DeviceModel *d, int attribute, int *value) {
  const Arch *a = device_arch(d);
  switch (attribute) {
  case 13: return *value = d->clock_khz, true;
  case 16: return *value = d->processors, true;
  case 36: return *value = d->memory_khz, true;
  case 37: return *value = d->bus_bits, true;
  case 38: return *value = d->l2_bytes, true;
  case 39: return *value = a->warps_per_sm * WARP, true;
  case 75: return *value = d->major, true;
  case 76: return *value = d->minor, true;
  case 81: return *value = a->shared_per_sm, true;
  case 97: return *value = a->shared_per_block, true;
  case 106: return *value = a->blocks_per_sm, true;
  case 120: return *value = d->major >= 9, true; /* clusters */
  case 127: return *value = d->major >= 9, true; /* tensor maps */
  default: break;
  }
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (fixed[i].attribute == attribute) return *value = fixed[i].value, true;
  return false;
}

CUuuid device_uuid(void) { return (CUuuid){"kgen's emulator"}; }

/* --- the API --- */

static CUresult check(CUdevice device, const void *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult get(CUdevice *out, int ordinal) {
  const CUresult result = check(ordinal, out);
  if (!result) *out = 0;
  return result;
}

CU_API CUresult cuDeviceGet(CUdevice *out, int ordinal) { SERVE(NEED_INIT, get(out, ordinal)); }

static CUresult get_count(int *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  *out = !visible || visible[0] == '0' || visible[0] == 'G';
  return CUDA_SUCCESS;
}

CU_API CUresult cuDeviceGetCount(int *out) { SERVE(NEED_INIT, get_count(out)); }

static CUresult get_name(char *out, int size, CUdevice device) {
  const CUresult result = check(device, out);
  if (result || size <= 0) return result ? result : CUDA_ERROR_INVALID_VALUE;
  const char *name = driver()->device->name;
  const size_t n = strnlen(name, (size_t)size - 1);
  memcpy(out, name, n);
  out[n] = '\0';
  return CUDA_SUCCESS;
}

CU_API CUresult cuDeviceGetName(char *out, int size, CUdevice device) {
  SERVE(NEED_INIT, get_name(out, size, device));
}

static CUresult get_uuid(CUuuid *out, CUdevice device) {
  const CUresult result = check(device, out);
  if (!result) *out = device_uuid();
  return result;
}

CU_API CUresult cuDeviceGetUuid(CUuuid *out, CUdevice device) {
  SERVE(NEED_INIT, get_uuid(out, device));
}

CU_API CUresult cuDeviceGetUuid_v2(CUuuid *out, CUdevice device) {
  SERVE(NEED_INIT, get_uuid(out, device));
}

static CUresult total_memory(size_t *out, CUdevice device) {
  const CUresult result = check(device, out);
  if (!result) *out = (size_t)driver()->device->memory_bytes;
  return result;
}

CU_API CUresult cuDeviceTotalMem_v2(size_t *out, CUdevice device) {
  SERVE(NEED_INIT, total_memory(out, device));
}

static CUresult get_attribute(int *out, int attribute, CUdevice device) {
  const CUresult result = check(device, out);
  if (result) return result;
  return device_attribute(driver()->device, attribute, out) ? CUDA_SUCCESS
                                                            : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuDeviceGetAttribute(int *out, int attribute, CUdevice device) {
  SERVE(NEED_INIT, get_attribute(out, attribute, device));
}

static CUresult get_capability(int *major, int *minor, CUdevice device) {
  const CUresult result = check(device, major);
  if (result || !minor) return result ? result : CUDA_ERROR_INVALID_VALUE;
  *major = driver()->device->major;
  *minor = driver()->device->minor;
  return CUDA_SUCCESS;
}

CU_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  SERVE(NEED_INIT, get_capability(major, minor, device));
}

/* CUdevprop: what CUDA 2 knew of a device. */
static CUresult get_properties(int *out, CUdevice device) {
  static const int from[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  const CUresult result = check(device, out);
  for (size_t i = 0; !result && i < sizeof from / sizeof *from; i++)
    device_attribute(driver()->device, from[i], &out[i]);
  return result;
}

CU_API CUresult cuDeviceGetProperties(int *out, CUdevice device) {
  SERVE(NEED_INIT, get_properties(out, device));
}

static const char bus_id[] = "0000:01:00.0";

static CUresult get_bus_id(char *out, int size, CUdevice device) {
  const CUresult result = check(device, out);
  if (result || size < (int)sizeof bus_id) return result ? result : CUDA_ERROR_INVALID_VALUE;
  memcpy(out, bus_id, sizeof bus_id);
  return CUDA_SUCCESS;
}

CU_API CUresult cuDeviceGetPCIBusId(char *out, int size, CUdevice device) {
  SERVE(NEED_INIT, get_bus_id(out, size, device));
}

static CUresult get_by_bus_id(CUdevice *out, const char *id) {
  if (!out || !id) return CUDA_ERROR_INVALID_VALUE;
  if (strcmp(id, bus_id) != 0) return CUDA_ERROR_INVALID_DEVICE;
  *out = 0;
  return CUDA_SUCCESS;
}

CU_API CUresult cuDeviceGetByPCIBusId(CUdevice *out, const char *id) {
  SERVE(NEED_INIT, get_by_bus_id(out, id));
}

static CUresult can_access_peer(int *out, CUdevice device, CUdevice peer) {
  const CUresult result = check(device, out);
  if (result || peer) return result ? result : CUDA_ERROR_INVALID_DEVICE;
  *out = 0;
  return CUDA_SUCCESS;
}

CU_API CUresult cuDeviceCanAccessPeer(int *out, CUdevice device, CUdevice peer) {
  SERVE(NEED_INIT, can_access_peer(out, device, peer));
}
