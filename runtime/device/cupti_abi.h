/* SPDX-License-Identifier: MIT */
/* cupti_abi.h: the parameters of CUPTI's range profiler, declared here so that kgen builds without
 * CUPTI: after cupti_target.h, cupti_profiler_target.h, cupti_profiler_host.h (which is C++) and
 * cupti_range_profiler.h of CUDA 13.0. Each struct starts with its size up to its last member;
 * later versions only add members. tests/device/abi_test.sh compares it with those headers. */
#ifndef KGEN_DEVICE_CUPTI_ABI_H
#define KGEN_DEVICE_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "device/cuda_driver.h"

enum {
  CUPTI_INSUFFICIENT_PRIVILEGES = 35,
  CUPTI_RANGE_PROFILING = 0,
  CUPTI_CONFIGURATION_IS_SUPPORTED = 3,
  CUPTI_AUTO_RANGE = 1,
  CUPTI_REPLAY_KERNEL = 2
};

typedef struct {
  size_t structSize;
  void *pPriv;
} CuptiInitialize;

typedef struct {
  size_t structSize;
  void *pPriv;
  DriverDevice cuDevice;
  unsigned isSupported; /* output, as all but the last */
  unsigned architecture, sli, vGpu, confidentialCompute, cmp, wsl;
  unsigned api;
} CuptiDeviceSupported;

typedef struct {
  size_t structSize;
  void *pPriv;
  size_t deviceIndex;
  const char *pChipName; /* out */
} CuptiGetChipName;

typedef struct {
  size_t structSize;
  void *pPriv;
  DriverContext ctx;
  size_t counterAvailabilityImageSize; /* output if the image is NULL */
  uint8_t *pCounterAvailabilityImage;  /* filled */
} CuptiGetCounterAvailability;

typedef struct {
  size_t structSize;
  void *pPriv;
  unsigned profilerType;
  const char *pChipName;
  const uint8_t *pCounterAvailabilityImage;
  void *pHostObject; /* out */
} CuptiHostInitialize;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
} CuptiHostDeinitialize;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
  const char **ppMetricNames;
  size_t numMetrics;
} CuptiHostAddMetrics;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
  size_t configImageSize; /* out */
} CuptiHostGetConfigSize;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
  size_t configImageSize;
  uint8_t *pConfigImage; /* filled */
} CuptiHostGetConfig;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
  const uint8_t *pCounterDataImage;
  size_t counterDataImageSize;
  size_t rangeIndex;
  const char **ppMetricNames;
  size_t numMetrics;
  double *pMetricValues; /* filled */
} CuptiHostEvaluate;

typedef struct CUpti_RangeProfiler_Object CuptiRangeProfiler;

typedef struct {
  size_t structSize;
  void *pPriv;
  DriverContext ctx;
  CuptiRangeProfiler *pRangeProfilerObject; /* out */
} CuptiRangeEnable;

/* Disable and Start. */
typedef struct {
  size_t structSize;
  void *pPriv;
  CuptiRangeProfiler *pRangeProfilerObject;
} CuptiRangeObject;

typedef struct {
  size_t structSize;
  void *pPriv;
  CuptiRangeProfiler *pRangeProfilerObject;
  const char **pMetricNames;
  size_t numMetrics;
  size_t maxNumOfRanges;
  uint32_t maxNumRangeTreeNodes;
  size_t counterDataSize; /* out */
} CuptiRangeGetDataSize;

typedef struct {
  size_t structSize;
  void *pPriv;
  CuptiRangeProfiler *pRangeProfilerObject;
  size_t counterDataSize;
  uint8_t *pCounterData;
} CuptiRangeInitializeData;

typedef struct {
  size_t structSize;
  void *pPriv;
  CuptiRangeProfiler *pRangeProfilerObject;
  size_t configSize;
  const uint8_t *pConfig;
  size_t counterDataImageSize;
  uint8_t *pCounterDataImage;
  unsigned range, replayMode;
  size_t maxRangesPerPass;
  uint16_t numNestingLevels, minNestingLevel;
  size_t passIndex;
  uint16_t targetNestingLevel;
} CuptiRangeSetConfig;

typedef struct {
  size_t structSize;
  void *pPriv;
  CuptiRangeProfiler *pRangeProfilerObject;
  size_t passIndex, targetNestingLevel; /* out */
  uint8_t isAllPassSubmitted;           /* out */
} CuptiRangeStop;

typedef struct {
  size_t structSize;
  void *pPriv;
  CuptiRangeProfiler *pRangeProfilerObject;
  size_t numOfRangeDropped; /* out */
} CuptiRangeDecode;

/* The value of structSize: excludes the padding after the last member. */
#define CUPTI_SIZE_TO(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

#endif
