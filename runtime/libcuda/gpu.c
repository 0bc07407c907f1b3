/* SPDX-License-Identifier: MIT */
#include "libcuda/gpu.h"

#include <string.h>

#define MIB ((uint64_t)1 << 20)

/* Source: NVIDIA's data sheets and deviceQuery; the H200's values were read from one. */
static const Gpu models[] = {
    {"sm_75", "Tesla T4", 7, 5, 40, 15095 * MIB, 1590000, 5001000, 256, 4 << 20},
    {"sm_80", "NVIDIA A100-SXM4-80GB", 8, 0, 108, 81155 * MIB, 1410000, 1593000, 5120, 40 << 20},
    {"sm_86", "NVIDIA RTX A6000", 8, 6, 84, 48570 * MIB, 1800000, 8001000, 384, 6 << 20},
    {"sm_89", "NVIDIA L40S", 8, 9, 142, 45487 * MIB, 2520000, 9001000, 384, 96 << 20},
    {"sm_90", "NVIDIA H200", 9, 0, 132, 143156 * MIB, 1980000, 3201000, 6144, 60 << 20},
    {"sm_100", "NVIDIA B200", 10, 0, 148, 182642 * MIB, 1965000, 3996000, 8192, 126 << 20},
    {"sm_120", "NVIDIA GeForce RTX 5090", 12, 0, 170, 32120 * MIB, 2407000, 14001000, 512,
     96 << 20},
};

/* The length of the name without a suffix: sm_90a is an sm_90. */
static size_t base_length(const char *arch) {
  const size_t n = strlen(arch);
  return n && (arch[n - 1] == 'a' || arch[n - 1] == 'f') ? n - 1 : n;
}

const Gpu *gpu_find(const char *arch) {
  const size_t n = base_length(arch);
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    if (strlen(models[i].arch) == n && strncmp(models[i].arch, arch, n) == 0) return &models[i];
  return NULL;
}

const Arch *gpu_arch(const Gpu *d) { return arch_find(d->arch); }

int gpu_number(const Gpu *d) { return d->major * 10 + d->minor; }

/* Values of CUdevice_attribute that all of these GPUs and the emulator share. */
static const struct {
  short attribute;
  int value;
} fixed[] = {
    {1, 1024},                                      /* threads per block */
    {2, 1024},                                      /* block dimensions */
    {3, 1024},        {4, 64},     {5, 2147483647}, /* grid dimensions */
    {6, 65535},       {7, 65535},  {8, 49152},      /* shared memory per block without opting in */
    {9, 65536},                                     /* constant memory */
    {10, 32},                                       /* lanes per warp */
    {11, 2147483647},                               /* maximum pitch */
    {12, 65536},                                    /* registers per block */
    {14, 512},                                      /* texture alignment */
    {15, 1},                                        /* copies overlap kernels */
    {17, 0},                                        /* no time limit */
    {18, 0},                                        /* not integrated */
    {19, 1},                                        /* maps host memory */
    {20, 0},                                        /* the default compute mode */
    {21, 131072}, /* largest textures and surfaces: attributes up to 29, and from 42 to 77 */
    {22, 131072},     {23, 65536}, {24, 16384},     {25, 16384},  {26, 16384},
    {27, 32768},      {28, 32768}, {29, 2048},      {30, 512}, /* surface alignment */
    {31, 1},                                                   /* kernels run concurrently */
    {32, 1},                                                   /* ECC */
    {33, 1},                                                   /* PCI bus, device and domain */
    {34, 0},          {50, 0},     {35, 0},                    /* no TCC */
    {40, 3},                                                   /* copy engines */
    {41, 1},                                                   /* unified addresses */
    {42, 32768},      {43, 2048},  {44, 1},         {45, 32768},  {46, 32768},
    {47, 8192},       {48, 8192},  {49, 32768},     {51, 32}, /* texture pitch alignment */
    {52, 32768},      {53, 32768}, {54, 2046},      {55, 32768},  {56, 131072},
    {57, 65536},      {58, 16384}, {59, 16384},     {60, 16384},  {61, 32768},
    {62, 2048},       {63, 32768}, {64, 32768},     {65, 2048},   {66, 32768},
    {67, 32768},      {68, 2046},  {69, 268435456}, {70, 131072}, {71, 65000},
    {72, 2097120},    {73, 32768}, {74, 32768},     {77, 32768},  {78, 1}, /* stream priorities */
    {79, 1},                       /* caches for global and local memory */
    {80, 1},          {82, 65536}, /* registers per multiprocessor */
    {83, 1},                       /* managed memory */
    {84, 0},          {85, 0},     {86, 0},         {87, 2}, /* ratio of single- to double-precision
                                                                speed */
    {88, 0}, /* pageable memory is not accessible by the device: programs that need it query this */
    {89, 1}, /* host and device may use managed memory concurrently */
    {90, 1},          {91, 1},     {92, 0},         {93, 0},      {94, 0},
    {95, 1},                                 /* cooperative launches, on one device */
    {96, 0},          {98, 0},     {99, 1},  /* cuMemHostRegister */
    {100, 0},         {101, 0},    {102, 1}, /* virtual memory management */
    {103, 0},         {104, 0},    {105, 0},        {107, 1}, /* compressible memory, as a hint */
    {109, 134213632}, /* an access policy window of the L2 cache, which has no effect */
    {110, 0},         {111, 1024},                            /* reserved shared memory per block */
    {112, 0},         {113, 1},    {114, 0},        {115, 1}, /* memory pools */
    {116, 0},         {117, 0},    {118, 0},        {119, 0},     {121, 0},
    {122, 1},         {123, 1},    {124, 0},        {125, 1},     {126, 1},
    {128, 0},         {129, 1}, /* functions have one device address in all contexts */
    {130, 0},         {131, -1},   {132, 0},        {133, 0},     {134, 0},
    {135, 0},         {136, 0},    {137, 0},        {138, 0},     {139, 0},
    {140, 0},         {141, 0},    {142, 0},        {143, 0},     {144, 0},
    {145, 0},         {146, 0},    {147, 0},
};

bool gpu_attribute(const Gpu *d, int attribute, int *value) {
  const Arch *a = gpu_arch(d);
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
  case 108:
    return *value = d->major >= 8 ? d->l2_bytes / 4 * 3 : 0,
           true;                                 /* L2 share for persisting data */
  case 120: return *value = d->major >= 9, true; /* clusters */
  case 127: return *value = d->major >= 9, true; /* tensor maps */
  default: break;
  }
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (fixed[i].attribute == attribute) return *value = fixed[i].value, true;
  return false;
}

CUuuid gpu_uuid(void) { return (CUuuid){"kgen's emulator"}; }
