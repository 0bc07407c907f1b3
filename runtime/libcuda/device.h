/* device.h: the device that programs see: an H200 unless $KGEN_EXEC_AS names another architecture.
 */
#ifndef KGEN_LIBCUDA_DEVICE_H
#define KGEN_LIBCUDA_DEVICE_H

#include "libcuda/abi.h"
#include "model/tile.h"

typedef struct {
  const char *arch; /* sm_90 */
  const char *name;
  int major, minor;
  int processors;
  uint64_t memory_bytes;
  int clock_khz, memory_khz, bus_bits;
  int l2_bytes;
} DeviceModel;

/* NULL if kgen knows no GPU of the architecture. */
const DeviceModel *device_model(const char *arch);
/* The limits of its blocks and multiprocessors. */
const Arch *device_arch(const DeviceModel *d);
/* Its number as in PTX's .target: 90. */
int device_number(const DeviceModel *d);

/* The value of a CUdevice_attribute, which programs and the runtime ask for; false if it has none.
 */
bool device_attribute(const DeviceModel *d, int attribute, int *value);
CUuuid device_uuid(void);

#endif
