#include "device/cupti.h"

#if KGEN_HAVE_CUDA

#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <math.h>

#include "device/library.h"

/* cupti_profiler_host.h is C++ (it includes <string>): these are its C structs that are used. */
typedef struct {
  size_t structSize;
  void *pPriv;
  int profilerType; /* 0: range profiler */
  const char *pChipName;
  const uint8_t *pCounterAvailabilityImage;
  void *pHostObject; /* out */
} HostInitialize;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
} HostDeinitialize;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
  const char **ppMetricNames;
  size_t numMetrics;
} HostAddMetrics;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
  size_t configImageSize; /* out */
} HostConfigSize;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
  size_t configImageSize;
  uint8_t *pConfigImage; /* filled */
} HostConfig;

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
} HostEvaluate;

typedef CUptiResult Call(void *params);

typedef struct {
  CUptiResult (*error)(CUptiResult, const char **);
  Call *initialize, *supported, *chip_name, *availability;
  Call *host_initialize, *host_deinitialize, *add_metrics, *config_size, *config, *evaluate;
  Call *enable, *disable, *data_size, *data_initialize, *set_config, *start, *stop, *decode;
} Api;

static const Symbol symbols[] = {
    {"cuptiGetResultString", offsetof(Api, error)},
    {"cuptiProfilerInitialize", offsetof(Api, initialize)},
    {"cuptiProfilerDeviceSupported", offsetof(Api, supported)},
    {"cuptiDeviceGetChipName", offsetof(Api, chip_name)},
    {"cuptiProfilerGetCounterAvailability", offsetof(Api, availability)},
    {"cuptiProfilerHostInitialize", offsetof(Api, host_initialize)},
    {"cuptiProfilerHostDeinitialize", offsetof(Api, host_deinitialize)},
    {"cuptiProfilerHostConfigAddMetrics", offsetof(Api, add_metrics)},
    {"cuptiProfilerHostGetConfigImageSize", offsetof(Api, config_size)},
    {"cuptiProfilerHostGetConfigImage", offsetof(Api, config)},
    {"cuptiProfilerHostEvaluateToGpuValues", offsetof(Api, evaluate)},
    {"cuptiRangeProfilerEnable", offsetof(Api, enable)},
    {"cuptiRangeProfilerDisable", offsetof(Api, disable)},
    {"cuptiRangeProfilerGetCounterDataSize", offsetof(Api, data_size)},
    {"cuptiRangeProfilerCounterDataImageInitialize", offsetof(Api, data_initialize)},
    {"cuptiRangeProfilerSetConfig", offsetof(Api, set_config)},
    {"cuptiRangeProfilerStart", offsetof(Api, start)},
    {"cuptiRangeProfilerStop", offsetof(Api, stop)},
    {"cuptiRangeProfilerDecodeData", offsetof(Api, decode)},
};

enum { METRIC_LOAD, METRIC_STORE, METRIC_LOAD_SECTORS, METRIC_STORE_SECTORS, METRICS };
enum { MAX_RANGES = 4 };
static const char *const metric[METRICS] = {
    [METRIC_LOAD] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    [METRIC_STORE] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    [METRIC_LOAD_SECTORS] = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    [METRIC_STORE_SECTORS] = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
};

struct Cupti {
  Arena *arena;
  Api api;
  CUcontext context;
  const char *metric[METRICS]; /* CUPTI's structs want them writable */
  void *host;
  uint8_t *config;
  size_t config_size;
};

#define PARAMS(type) ((type){.structSize = type##_STRUCT_SIZE})

static bool ok(const Cupti *c, CUptiResult result, const char *call, Text *why) {
  if (result == CUPTI_SUCCESS) return true;
  const char *text = "unknown error";
  c->api.error(result, &text);
  text_printf(why, "%s: %s (error %d)%s", call, text, (int)result,
              result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
                  ? ": the driver restricts profiling to root"
                  : "");
  return false;
}

#define TRY(c, function, params) ok((c), (c)->api.function(params), #function, why)

static bool open_api(Arena *a, Api *api, Text *why) {
  static const char *const host[] = {"libnvperf_host.so", NULL};
  static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL};
  /* libcupti opens libnvperf_host by bare name: open already, it is found. */
  Text ignored = text_new(a);
  library_open(a, host, &ignored);
  void *library = library_open(a, names, why);
  return library && library_symbols(library, symbols, sizeof symbols / sizeof *symbols, api, why);
}

/* The driver is open already, by the CUDA runtime. */
static bool current_context(Cupti *c, Text *why) {
  static const char *const names[] = {"libcuda.so.1", NULL};
  static const Symbol symbol = {"cuCtxGetCurrent", 0};
  CUresult (*get)(CUcontext *) = NULL;
  void *driver = library_open(c->arena, names, why);
  if (!driver || !library_symbols(driver, &symbol, 1, &get, why)) return false;
  if (get(&c->context) == CUDA_SUCCESS && c->context) return true;
  text_puts(why, "cuCtxGetCurrent: no context");
  return false;
}

static bool supported(Cupti *c, int index, Text *why) {
  CUpti_Profiler_Initialize_Params start = PARAMS(CUpti_Profiler_Initialize_Params);
  if (!TRY(c, initialize, &start)) return false;
  CUpti_Profiler_DeviceSupported_Params p = PARAMS(CUpti_Profiler_DeviceSupported_Params);
  p.cuDevice = index;
  p.api = CUPTI_PROFILER_RANGE_PROFILING;
  if (!TRY(c, supported, &p)) return false;
  if (p.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return true;
  text_puts(why, "this device's configuration does not support the range profiler");
  return false;
}

/* NULL, which chips known to this CUPTI do not need, if it cannot be had. */
static const uint8_t *availability(Cupti *c) {
  Text ignored = text_new(c->arena), *why = &ignored;
  CUpti_Profiler_GetCounterAvailability_Params p =
      PARAMS(CUpti_Profiler_GetCounterAvailability_Params);
  p.ctx = c->context;
  if (!TRY(c, availability, &p)) return NULL;
  p.pCounterAvailabilityImage = arena_alloc(c->arena, p.counterAvailabilityImageSize);
  return TRY(c, availability, &p) ? p.pCounterAvailabilityImage : NULL;
}

static bool open_host(Cupti *c, int index, Text *why) {
  CUpti_Device_GetChipName_Params chip = PARAMS(CUpti_Device_GetChipName_Params);
  chip.deviceIndex = (size_t)index;
  if (!TRY(c, chip_name, &chip)) return false;
  HostInitialize p = {.structSize = sizeof p, .pChipName = chip.pChipName};
  p.pCounterAvailabilityImage = availability(c);
  if (!TRY(c, host_initialize, &p)) return false;
  c->host = p.pHostObject;
  return true;
}

static bool configure(Cupti *c, Text *why) {
  HostAddMetrics add = {sizeof add, NULL, c->host, c->metric, METRICS};
  if (!TRY(c, add_metrics, &add)) return false;
  HostConfigSize size = {sizeof size, NULL, c->host, 0};
  if (!TRY(c, config_size, &size)) return false;
  c->config_size = size.configImageSize;
  c->config = arena_alloc(c->arena, c->config_size);
  HostConfig config = {sizeof config, NULL, c->host, c->config_size, c->config};
  return TRY(c, config, &config);
}

Cupti *cupti_open(Arena *a, int index, Text *why) {
  Cupti *c = ARENA_NEW(a, Cupti);
  c->arena = a;
  for (int i = 0; i < METRICS; i++) c->metric[i] = metric[i];
  const bool open = open_api(a, &c->api, why) && current_context(c, why) &&
                    supported(c, index, why) && open_host(c, index, why) && configure(c, why);
  return open ? c : NULL;
}

void cupti_close(Cupti *c) {
  HostDeinitialize p = {sizeof p, NULL, c->host};
  c->api.host_deinitialize(&p);
}

/* --- one measurement --- */

typedef struct {
  CUpti_RangeProfiler_Object *profiler;
  uint8_t *data;
  size_t size;
} Range;

static bool prepare_data(Cupti *c, Range *r, Text *why) {
  CUpti_RangeProfiler_GetCounterDataSize_Params size =
      PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params);
  size.pRangeProfilerObject = r->profiler;
  size.pMetricNames = c->metric;
  size.numMetrics = METRICS;
  size.maxNumOfRanges = MAX_RANGES;
  size.maxNumRangeTreeNodes = MAX_RANGES;
  if (!TRY(c, data_size, &size)) return false;
  r->size = size.counterDataSize;
  r->data = arena_alloc(c->arena, r->size);
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params p =
      PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  p.pRangeProfilerObject = r->profiler;
  p.counterDataSize = r->size;
  p.pCounterData = r->data;
  return TRY(c, data_initialize, &p);
}

static bool set_config(Cupti *c, const Range *r, Text *why) {
  CUpti_RangeProfiler_SetConfig_Params p = PARAMS(CUpti_RangeProfiler_SetConfig_Params);
  p.pRangeProfilerObject = r->profiler;
  p.configSize = c->config_size;
  p.pConfig = c->config;
  p.counterDataImageSize = r->size;
  p.pCounterDataImage = r->data;
  p.range = CUPTI_AutoRange;
  p.replayMode = CUPTI_KernelReplay;
  p.maxRangesPerPass = MAX_RANGES;
  p.numNestingLevels = 1;
  p.minNestingLevel = 1;
  p.targetNestingLevel = 1;
  return TRY(c, set_config, &p);
}

static bool evaluate(Cupti *c, const Range *r, Counters *out, Text *why) {
  double value[METRICS] = {0};
  HostEvaluate p = {.structSize = sizeof p,
                    .pHostObject = c->host,
                    .pCounterDataImage = r->data,
                    .counterDataImageSize = r->size,
                    .ppMetricNames = c->metric,
                    .numMetrics = METRICS,
                    .pMetricValues = value};
  if (!TRY(c, evaluate, &p)) return false;
  *out = (Counters){.known = true,
                    .load = llround(value[METRIC_LOAD]),
                    .store = llround(value[METRIC_STORE]),
                    .load_sectors = llround(value[METRIC_LOAD_SECTORS]),
                    .store_sectors = llround(value[METRIC_STORE_SECTORS])};
  return true;
}

static bool profile(Cupti *c, Range *r, bool (*launch)(void *), void *context, Text *why) {
  CUpti_RangeProfiler_Start_Params start = PARAMS(CUpti_RangeProfiler_Start_Params);
  CUpti_RangeProfiler_Stop_Params stop = PARAMS(CUpti_RangeProfiler_Stop_Params);
  CUpti_RangeProfiler_DecodeData_Params decode = PARAMS(CUpti_RangeProfiler_DecodeData_Params);
  start.pRangeProfilerObject = stop.pRangeProfilerObject = decode.pRangeProfilerObject =
      r->profiler;
  if (!TRY(c, start, &start)) return false;
  const bool launched = launch(context);
  if (!TRY(c, stop, &stop)) return false;
  if (!launched) text_puts(why, "the kernel did not run under the profiler");
  return launched && TRY(c, decode, &decode);
}

bool cupti_count(Cupti *c, bool (*launch)(void *), void *context, Counters *out, Text *why) {
  CUpti_RangeProfiler_Enable_Params enable = PARAMS(CUpti_RangeProfiler_Enable_Params);
  enable.ctx = c->context;
  if (!TRY(c, enable, &enable)) return false;
  Range r = {.profiler = enable.pRangeProfilerObject};
  const bool counted = prepare_data(c, &r, why) && set_config(c, &r, why) &&
                       profile(c, &r, launch, context, why) && evaluate(c, &r, out, why);
  CUpti_RangeProfiler_Disable_Params disable = PARAMS(CUpti_RangeProfiler_Disable_Params);
  disable.pRangeProfilerObject = r.profiler;
  return TRY(c, disable, &disable) && counted;
}

#endif
