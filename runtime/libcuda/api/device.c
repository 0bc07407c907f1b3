/* SPDX-License-Identifier: MIT */
/* device.c: the API functions for devices, of which there is one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcuda/state/call.h"

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
  if (!result) *out = gpu_uuid();
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
  return gpu_attribute(driver()->device, attribute, out) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
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

/* CUdevprop has the device properties of CUDA 2. */
static CUresult get_properties(int *out, CUdevice device) {
  static const int from[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  const CUresult result = check(device, out);
  for (size_t i = 0; !result && i < sizeof from / sizeof *from; i++)
    gpu_attribute(driver()->device, from[i], &out[i]);
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

typedef struct {
  unsigned domain, bus, device, function;
} Place;

/* Parses [domain:]bus:device.function, or domain:bus:device; false for anything else. */
static bool parse_place(const char *id, Place *p) {
  *p = (Place){0};
  if (sscanf(id, "%x:%x:%x.%x", &p->domain, &p->bus, &p->device, &p->function) >= 3) return true;
  p->domain = 0;
  return sscanf(id, "%x:%x.%x", &p->bus, &p->device, &p->function) == 3;
}

static CUresult get_by_bus_id(CUdevice *out, const char *id) {
  Place own, asked;
  if (!out || !id || !parse_place(bus_id, &own) || !parse_place(id, &asked))
    return CUDA_ERROR_INVALID_VALUE;
  if (memcmp(&own, &asked, sizeof own) != 0) return CUDA_ERROR_INVALID_DEVICE;
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

/* CUdevice_P2PAttribute describes another device, and there is none. */
static CUresult get_peer_attribute(int *out, CUdevice from, CUdevice to) {
  const CUresult result = check(from, out);
  if (result || to) return result ? result : CUDA_ERROR_INVALID_DEVICE;
  return CUDA_ERROR_INVALID_DEVICE;
}

CU_API CUresult cuDeviceGetP2PAttribute(int *out, int attribute, CUdevice from, CUdevice to) {
  (void)attribute;
  SERVE(NEED_INIT, get_peer_attribute(out, from, to));
}
