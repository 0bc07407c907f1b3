/* SPDX-License-Identifier: MIT */
/* abi.h: the part of CUDA's driver API that this library uses, as in cuda.h of CUDA 13.0. It is
 * declared here, so that kgen builds without a toolkit. tests/libcuda/abi_test.sh compares it with
 * cuda.h if there is one. */
#ifndef KGEN_LIBCUDA_ABI_H
#define KGEN_LIBCUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Exports a function; everything else in this library is hidden. */
#define CU_API __attribute__((visibility("default")))

typedef enum {
#define ERROR(name, number, text) name = number,
#include "libcuda/error.def"
#undef ERROR
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct Context *CUcontext;
typedef struct Module *CUmodule;
typedef struct Module *CUlibrary;
typedef struct Function *CUfunction;
typedef struct Function *CUkernel; /* either type may be used for the other */
typedef struct Stream *CUstream;
typedef struct Event *CUevent;
typedef struct Graph *CUgraph;
typedef struct Node *CUgraphNode;

#define STREAM_LEGACY     ((CUstream)1)
#define STREAM_PER_THREAD ((CUstream)2)

typedef struct {
  unsigned char bytes[16];
} CUuuid;

/* --- launches --- */

typedef enum {
  LAUNCH_IGNORE = 0,
  LAUNCH_COOPERATIVE = 2,
  LAUNCH_CLUSTER_DIMENSION = 4,
  LAUNCH_PROGRAMMATIC = 6,
  LAUNCH_PRIORITY = 8
} CUlaunchAttributeID;

typedef union {
  char pad[64];
  int cooperative, programmatic, priority;
  struct {
    unsigned x, y, z;
  } cluster;
  uint64_t alignment;
} CUlaunchAttributeValue;

typedef struct {
  CUlaunchAttributeID id;
  char pad[4];
  CUlaunchAttributeValue value;
} CUlaunchAttribute;

typedef struct {
  unsigned grid[3], block[3], shared_bytes;
  CUstream stream;
  CUlaunchAttribute *attribute;
  unsigned attributes;
} CUlaunchConfig;

/* The type of a graph edge. A programmatic edge begins at the kernel's programmatic port. */
enum { EDGE_FULL, EDGE_PROGRAMMATIC };
typedef struct {
  unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

/* Keys in the list `extra` of cuLaunchKernel. */
#define LAUNCH_PARAM_END            ((void *)0)
#define LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define LAUNCH_PARAM_BUFFER_SIZE    ((void *)2)

typedef enum {
  FUNCTION_MAX_THREADS,
  FUNCTION_SHARED_BYTES,
  FUNCTION_CONST_BYTES,
  FUNCTION_LOCAL_BYTES,
  FUNCTION_REGISTERS,
  FUNCTION_PTX_VERSION,
  FUNCTION_BINARY_VERSION,
  FUNCTION_CACHE_MODE_CA,
  FUNCTION_MAX_DYNAMIC_SHARED,
  FUNCTION_CARVEOUT,
  FUNCTION_CLUSTER_MUST_BE_SET,
  FUNCTION_CLUSTER_WIDTH,
  FUNCTION_CLUSTER_HEIGHT,
  FUNCTION_CLUSTER_DEPTH,
  FUNCTION_NON_PORTABLE_CLUSTER,
  FUNCTION_CLUSTER_POLICY,
  FUNCTION_ATTRIBUTES
} CUfunction_attribute;

/* --- memory --- */

typedef enum { MEMORY_HOST = 1, MEMORY_DEVICE, MEMORY_ARRAY, MEMORY_UNIFIED } CUmemorytype;

typedef struct {
  int type, id;
} CUmemLocation;

/* --- arrays, textures and surfaces --- */

typedef struct Array *CUarray;
typedef struct Mipmap *CUmipmappedArray;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;

typedef enum {
  FORMAT_U8 = 1,
  FORMAT_U16 = 2,
  FORMAT_U32 = 3,
  FORMAT_S8 = 8,
  FORMAT_S16 = 9,
  FORMAT_S32 = 10,
  FORMAT_HALF = 16,
  FORMAT_FLOAT = 32
} CUarray_format;

enum { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBEMAP = 4, ARRAY_GATHER = 8 };

typedef struct {
  size_t width, height;
  CUarray_format format;
  unsigned channels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct {
  size_t width, height, depth;
  CUarray_format format;
  unsigned channels, flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef enum { RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCH } CUresourcetype;

typedef struct {
  CUresourcetype type;
  union {
    CUarray array;
    CUmipmappedArray mipmap;
    struct {
      CUdeviceptr address;
      CUarray_format format;
      unsigned channels;
      size_t width; /* for linear memory, in bytes */
      size_t height, pitch;
    } memory;
    int reserved[32];
  };
  unsigned flags;
} CUDA_RESOURCE_DESC;

enum { TEXTURE_AS_INTEGERS = 1, TEXTURE_NORMALISED = 2, TEXTURE_SRGB = 16, TEXTURE_SEAMLESS = 64 };

typedef struct {
  int addressing[3];
  int filter; /* 1: linear */
  unsigned flags, anisotropy;
  int level_filter;
  float bias, least_level, most_level, border[4];
  int reserved[12];
} CUDA_TEXTURE_DESC;

typedef struct {
  int format;
  size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer, reserved[16];
} CUDA_RESOURCE_VIEW_DESC;

#endif
