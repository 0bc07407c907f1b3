/* SPDX-License-Identifier: MIT */
/* The range profiler: metrics, and one measurement. */
#include "device/cupti.h"

#include <math.h>

#include "device/cupti_abi.h"
#include "device/library.h"

typedef unsigned Result; /* 0 is success */
typedef Result Call(void *params);

typedef struct {
  Result (*error)(Result, const char **);
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

enum { MAX_RANGES = 4, MAX_METRICS = 8 };

/* A metric, and the member of Counters that it is added to. */
typedef struct {
  const char *name;
  size_t counter;
} Metric;

typedef struct {
  bool exact, apart; /* as in Counters */
  int count;
  Metric metric[MAX_METRICS];
} MetricSet;

#define WAVEFRONTS(unit, op) unit "_data_pipe_lsu_wavefronts_mem_shared_op_" op ".sum"
#define SECTORS(op)          "l1tex__t_sectors_pipe_lsu_mem_global_op_" op ".sum"

/* The first set that the chip supports is counted. The sm__sass_... counters exclude lost
 * arbitration, and count ldmatrix and stmatrix separately. Example: on an H200 a 128x128 f64
 * transpose counts 3072 loads by sm__sass_..., but 3100 to 3108 by l1tex__..., varying from run to
 * run. Some chips have separate counters for copies and wgmma. */
static const MetricSet metric_sets[] = {
    {true,
     true,
     8,
     {{WAVEFRONTS("sm__sass_l1tex", "ld"), offsetof(Counters, load)},
      {WAVEFRONTS("sm__sass_l1tex", "ldsm"), offsetof(Counters, load)},
      {WAVEFRONTS("sm__sass_l1tex", "st"), offsetof(Counters, store)},
      {WAVEFRONTS("sm__sass_l1tex", "stsm"), offsetof(Counters, store)},
      {WAVEFRONTS("sm__sass_l1tex", "ldgsts"), offsetof(Counters, copy)},
      {WAVEFRONTS("sm__sass_l1tex", "gmma"), offsetof(Counters, wgmma)},
      {SECTORS("ld"), offsetof(Counters, load_sectors)},
      {SECTORS("st"), offsetof(Counters, store_sectors)}}},
    {true,
     false,
     6,
     {{WAVEFRONTS("sm__sass_l1tex", "ld"), offsetof(Counters, load)},
      {WAVEFRONTS("sm__sass_l1tex", "ldsm"), offsetof(Counters, load)},
      {WAVEFRONTS("sm__sass_l1tex", "st"), offsetof(Counters, store)},
      {WAVEFRONTS("sm__sass_l1tex", "stsm"), offsetof(Counters, store)},
      {SECTORS("ld"), offsetof(Counters, load_sectors)},
      {SECTORS("st"), offsetof(Counters, store_sectors)}}},
    {false,
     false,
     4,
     {{WAVEFRONTS("l1tex_", "ld"), offsetof(Counters, load)},
      {WAVEFRONTS("l1tex_", "st"), offsetof(Counters, store)},
      {SECTORS("ld"), offsetof(Counters, load_sectors)},
      {SECTORS("st"), offsetof(Counters, store_sectors)}}},
};

struct Cupti {
  Arena *arena;
  Api api;
  DriverContext context;
  const MetricSet *set;
  /* names of the set: CUPTI's structs take pointers to mutable data */
  const char *metric[MAX_METRICS];
  void *host;
  uint8_t *config;
  size_t config_size;
  CuptiRangeProfiler *profiler; /* NULL: not enabled */
  uint8_t *data;                /* result of one measurement */
  size_t data_size;
};

static bool ok(const Cupti *c, Result result, const char *call, Text *why) {
  if (result == 0) return true;
  const char *text = "unknown error";
  c->api.error(result, &text);
  text_printf(why, "%s: %s (error %d)%s", call, text, (int)result,
              result == CUPTI_INSUFFICIENT_PRIVILEGES ? ": the driver restricts profiling to root"
                                                      : "");
  return false;
}

#define TRY(c, function, params) ok((c), (c)->api.function(params), #function, why)

static bool open_api(Arena *a, Api *api, Text *why) {
  static const char *const host[] = {"libnvperf_host.so", NULL};
  /* libcupti opens libnvperf_host by its bare name, which is found if the library is already
   * open. */
  Text ignored = text_new(a);
  library_open(a, host, &ignored);
  void *library = library_open(a, library_cupti, why);
  return library && library_symbols(library, symbols, sizeof symbols / sizeof *symbols, api, why);
}

static bool supported(Cupti *c, int index, Text *why) {
  CuptiInitialize start = {.structSize = sizeof start};
  if (!TRY(c, initialize, &start)) return false;
  CuptiDeviceSupported p = {.structSize = CUPTI_SIZE_TO(CuptiDeviceSupported, api),
                            .cuDevice = index,
                            .api = CUPTI_RANGE_PROFILING};
  if (!TRY(c, supported, &p)) return false;
  if (p.isSupported == CUPTI_CONFIGURATION_IS_SUPPORTED) return true;
  text_puts(why, "this device's configuration does not support the range profiler");
  return false;
}

/* NULL if it is unavailable; chips known to this CUPTI do not need it. */
static const uint8_t *availability(Cupti *c) {
  Text ignored = text_new(c->arena), *why = &ignored;
  CuptiGetCounterAvailability p = {.structSize = sizeof p, .ctx = c->context};
  if (!TRY(c, availability, &p)) return NULL;
  p.pCounterAvailabilityImage = arena_alloc(c->arena, p.counterAvailabilityImageSize);
  return TRY(c, availability, &p) ? p.pCounterAvailabilityImage : NULL;
}

static bool open_host(Cupti *c, int index, Text *why) {
  CuptiGetChipName chip = {.structSize = sizeof chip, .deviceIndex = (size_t)index};
  if (!TRY(c, chip_name, &chip)) return false;
  CuptiHostInitialize p = {.structSize = sizeof p, .pChipName = chip.pChipName};
  p.pCounterAvailabilityImage = availability(c);
  if (!TRY(c, host_initialize, &p)) return false;
  c->host = p.pHostObject;
  return true;
}

static bool configure(Cupti *c, Text *why) {
  CuptiHostAddMetrics add = {sizeof add, NULL, c->host, c->metric, (size_t)c->set->count};
  if (!TRY(c, add_metrics, &add)) return false;
  CuptiHostGetConfigSize size = {sizeof size, NULL, c->host, 0};
  if (!TRY(c, config_size, &size)) return false;
  c->config_size = size.configImageSize;
  c->config = arena_alloc(c->arena, c->config_size);
  CuptiHostGetConfig config = {sizeof config, NULL, c->host, c->config_size, c->config};
  return TRY(c, config, &config);
}

static void close_host(Cupti *c) {
  CuptiHostDeinitialize p = {sizeof p, NULL, c->host};
  c->api.host_deinitialize(&p);
}

/* A host object with an unsupported metric cannot be used further. */
static bool choose_set(Cupti *c, int index, const MetricSet *set, Text *why) {
  c->set = set;
  for (int i = 0; i < set->count; i++) c->metric[i] = set->metric[i].name;
  if (!open_host(c, index, why)) return false;
  if (configure(c, why)) return true;
  close_host(c);
  return false;
}

static bool choose_metrics(Cupti *c, int index, Text *why) {
  Text ignored = text_new(c->arena);
  const int last = sizeof metric_sets / sizeof *metric_sets - 1;
  for (int i = 0; i < last; i++)
    if (choose_set(c, index, &metric_sets[i], &ignored)) return true;
  return choose_set(c, index, &metric_sets[last], why);
}

/* On an H200 the first start takes 0.14 s, later ones 6 ms. */
static bool enable(Cupti *c, Text *why) {
  CuptiRangeEnable p = {.structSize = sizeof p, .ctx = c->context};
  if (c->profiler) return true;
  if (!TRY(c, enable, &p)) return false;
  c->profiler = p.pRangeProfilerObject;
  CuptiRangeGetDataSize size = {.structSize = sizeof size,
                                .pRangeProfilerObject = c->profiler,
                                .pMetricNames = c->metric,
                                .numMetrics = (size_t)c->set->count,
                                .maxNumOfRanges = MAX_RANGES,
                                .maxNumRangeTreeNodes = MAX_RANGES};
  if (!TRY(c, data_size, &size)) return false;
  if (c->data_size < size.counterDataSize) c->data = arena_alloc(c->arena, size.counterDataSize);
  c->data_size = size.counterDataSize;
  return true;
}

void cupti_rest(Cupti *c) {
  CuptiRangeObject disable = {sizeof disable, NULL, c->profiler};
  if (c->profiler) c->api.disable(&disable);
  c->profiler = NULL;
}

void cupti_close(Cupti *c) {
  cupti_rest(c);
  close_host(c);
}

Cupti *cupti_open(Arena *a, int index, DriverContext context, Text *why) {
  Cupti *c = ARENA_NEW(a, Cupti);
  c->arena = a;
  c->context = context;
  if (!open_api(a, &c->api, why) || !supported(c, index, why) || !choose_metrics(c, index, why))
    return NULL;
  if (enable(c, why)) return c;
  cupti_close(c);
  return NULL;
}

/* --- one measurement --- */

static bool set_config(Cupti *c, Text *why) {
  CuptiRangeInitializeData data = {sizeof data, NULL, c->profiler, c->data_size, c->data};
  CuptiRangeSetConfig p = {
      .structSize = CUPTI_SIZE_TO(CuptiRangeSetConfig, targetNestingLevel),
      .pRangeProfilerObject = c->profiler,
      .configSize = c->config_size,
      .pConfig = c->config,
      .counterDataImageSize = c->data_size,
      .pCounterDataImage = c->data,
      .range = CUPTI_AUTO_RANGE,
      .replayMode = CUPTI_REPLAY_KERNEL,
      .maxRangesPerPass = MAX_RANGES,
      .numNestingLevels = 1,
      .minNestingLevel = 1,
      .targetNestingLevel = 1,
  };
  return TRY(c, data_initialize, &data) && TRY(c, set_config, &p);
}

static bool evaluate(Cupti *c, Counters *out, Text *why) {
  double value[MAX_METRICS] = {0};
  CuptiHostEvaluate p = {.structSize = sizeof p,
                         .pHostObject = c->host,
                         .pCounterDataImage = c->data,
                         .counterDataImageSize = c->data_size,
                         .ppMetricNames = c->metric,
                         .numMetrics = (size_t)c->set->count,
                         .pMetricValues = value};
  if (!TRY(c, evaluate, &p)) return false;
  *out = (Counters){.known = true, .exact = c->set->exact, .apart = c->set->apart};
  for (int i = 0; i < c->set->count; i++)
    *(int64_t *)((char *)out + c->set->metric[i].counter) += llround(value[i]);
  return true;
}

static bool profile(Cupti *c, bool (*launch)(void *), void *context, Text *why) {
  CuptiRangeObject start = {sizeof start, NULL, c->profiler};
  CuptiRangeStop stop = {.structSize = CUPTI_SIZE_TO(CuptiRangeStop, isAllPassSubmitted),
                         .pRangeProfilerObject = c->profiler};
  CuptiRangeDecode decode = {.structSize = sizeof decode, .pRangeProfilerObject = c->profiler};
  if (!TRY(c, start, &start)) return false;
  const bool launched = launch(context);
  if (!TRY(c, stop, &stop)) return false;
  if (!launched) text_puts(why, "the kernel did not run under the profiler");
  return launched && TRY(c, decode, &decode);
}

bool cupti_count(Cupti *c, bool (*launch)(void *), void *context, Counters *out, Text *why) {
  return enable(c, why) && set_config(c, why) && profile(c, launch, context, why) &&
         evaluate(c, out, why);
}
