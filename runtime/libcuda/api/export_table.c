/* SPDX-License-Identifier: MIT */
/* export_table.c: the tables of functions that CUDA's runtime requests from the driver by UUID, in
 * addition to the API. Their contents are known from other implementations of this interface; only
 * the functions that a runtime of CUDA 12 or 13 calls are implemented. The first word of most
 * tables is the table's size in bytes. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libcuda/api/handshake.h"
#include "libcuda/state/call.h"
#include "libcuda/state/context.h"
#include "libcuda/state/module.h"

typedef void Slot(void);

static CUresult unknown(void) {
  return api_missing("a function that CUDA's runtime has of the driver");
}

/* --- modules and contexts for the runtime --- */

static CUresult load(CUmodule *out, const void *image) {
  SERVE(NEED_CONTEXT, module_load(out, image, NULL));
}

static CUresult load_with(CUmodule *out, const void *image, void *a, void *b, unsigned c) {
  (void)a, (void)b, (void)c;
  SERVE(NEED_CONTEXT, module_load(out, image, NULL));
}

static CUresult load_header(const void *image, CUmodule *out, void *a, void *b, unsigned c) {
  (void)a, (void)b, (void)c;
  SERVE(NEED_CONTEXT, module_load(out, image, NULL));
}

static CUresult primary(CUcontext *out, CUdevice device) {
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  *out = context_primary();
  return CUDA_SUCCESS;
}

static void ignore(size_t value) { (void)value; }
static CUresult succeed(void) { return CUDA_SUCCESS; }

/* --- data that the runtime stores with a context --- */

typedef void Destroy(CUcontext, void *, void *);

static CUresult put(Context *c, void *key, void *value, Destroy *destroy) {
  return c ? context_keep(c, key, value, destroy) : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult storage_put(CUcontext context, void *key, void *value, Destroy *destroy) {
  SERVE(NEED_NOTHING, put(context_or_current(context), key, value, destroy));
}

static CUresult drop(Context *c, void *key) {
  return c ? context_forget(c, key) : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult storage_delete(CUcontext context, void *key) {
  SERVE(NEED_NOTHING, drop(context_or_current(context), key));
}

static CUresult get(void **value, Context *c, void *key) {
  return c ? context_recall(c, key, value) : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult storage_get(void **value, CUcontext context, void *key) {
  SERVE(NEED_NOTHING, get(value, context_or_current(context), key));
}

/* --- buffers for tools, of which there are none --- */

static void tool_buffer(void **out, size_t *bytes) {
  static char buffer[1 << 14]; /* all flags are off: one word per function of the runtime */
  *out = buffer;
  *bytes = sizeof buffer;
}

static void small_tool_buffer(void **out, size_t *bytes) {
  static char buffer[16];
  *out = buffer;
  *bytes = 14;
}

static CUresult context_check(CUcontext context, unsigned *flags, const void **out) {
  (void)context, (void)out;
  *flags = 0;
  return CUDA_SUCCESS;
}

static unsigned zero(void) { return 0; }

/* --- the tables --- */

enum { SLOTS = 64 };

typedef struct {
  uint8_t id[16];
  int slots;
  bool sized; /* slot 0 is the size */
  struct {
    int at;
    Slot *function;
  } known[8];
} Row;

static CUresult answer(unsigned version, uint64_t seconds, uint64_t out[2]);

#define SLOT(at, function)                                                                         \
  { at, (Slot *)function }
static const Row rows[] = {
    {{0x6B, 0xD5, 0xFB, 0x6C, 0x5B, 0xF4, 0xE7, 0x4A, 0x89, 0x87, 0xD9, 0x39, 0x12, 0xFD, 0x9D,
      0xF9},
     13,
     true,
     {SLOT(1, load), SLOT(2, primary), SLOT(6, load_with), SLOT(7, ignore), SLOT(8, load_header),
      SLOT(12, succeed)}},
    {{0x42, 0xD8, 0x5A, 0x81, 0x23, 0xF6, 0xCB, 0x47, 0x82, 0x98, 0xF6, 0xE7, 0x8A, 0x3A, 0xEC,
      0xDC},
     4,
     true,
     {{0, NULL}}},
    {{0xA0, 0x94, 0x79, 0x8C, 0x2E, 0x74, 0x2E, 0x74, 0x93, 0xF2, 0x08, 0x00, 0x20, 0x0C, 0x0A,
      0x66},
     7,
     true,
     {SLOT(2, tool_buffer), SLOT(6, small_tool_buffer)}},
    {{0xC6, 0x93, 0x33, 0x6E, 0x11, 0x21, 0xDF, 0x11, 0xA8, 0xC3, 0x68, 0xF3, 0x55, 0xD8, 0x95,
      0x93},
     4,
     false,
     {SLOT(0, storage_put), SLOT(1, storage_delete), SLOT(2, storage_get)}},
    {{0x0C, 0xA5, 0x0B, 0x8C, 0x10, 0x04, 0x92, 0x9A, 0x89, 0xA7, 0xD0, 0xDF, 0x10, 0xE7, 0x72,
      0x86},
     2,
     true,
     {{0, NULL}}},
    {{0x19, 0x5B, 0xCB, 0xF4, 0xD6, 0x7D, 0x02, 0x4A, 0xAC, 0xC5, 0x1D, 0x29, 0xCE, 0xA6, 0x31,
      0xAE},
     3,
     true,
     {{0, NULL}}},
    {{0xB1, 0x05, 0x41, 0xE1, 0xF7, 0xC7, 0xC7, 0x4A, 0x9F, 0x64, 0xF2, 0x23, 0xBE, 0x99, 0xF1,
      0xE2},
     26,
     true,
     {SLOT(13, succeed)}},
    {{0xD4, 0x08, 0x20, 0x55, 0xBD, 0xE6, 0x70, 0x4B, 0x8D, 0x34, 0xBA, 0x12, 0x3C, 0x66, 0xE1,
      0xF2},
     3,
     true,
     {SLOT(1, answer)}},
    {{0x26, 0x3E, 0x88, 0x60, 0x7C, 0xD2, 0x61, 0x43, 0x92, 0xF6, 0xBB, 0xD5, 0x00, 0x6D, 0xFA,
      0x7E},
     4,
     true,
     {SLOT(2, context_check), SLOT(3, zero)}},
    /* A runtime of CUDA 13.4 or later calls its slots 39 and 51 if a tool is attached. */
    {{0x21, 0x31, 0x8C, 0x60, 0x97, 0x14, 0x32, 0x48, 0x8C, 0xA6, 0x41, 0xFF, 0x73, 0x24, 0xC8,
      0xF2},
     64,
     true,
     {{0, NULL}}},
};
enum { RUNTIME_TABLE = 0, HANDSHAKE_TABLE = 7, TABLES = sizeof rows / sizeof *rows };

typedef union {
  size_t bytes;
  Slot *function;
} Word;

static Word *table(int i) {
  static Word tables[TABLES][SLOTS];
  return tables[i];
}

static void fill(int i) {
  Word *t = table(i);
  for (int k = 0; k < rows[i].slots; k++) t[k].function = (Slot *)unknown;
  for (size_t k = 0; k < sizeof rows[i].known / sizeof *rows[i].known; k++)
    if (rows[i].known[k].function) t[rows[i].known[k].at].function = rows[i].known[k].function;
  if (rows[i].sized) t[0].bytes = (size_t)rows[i].slots * sizeof *t;
}

#ifdef KGEN_STATIC_CUDART
static CUresult answer(unsigned version, uint64_t seconds, uint64_t out[2]) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const Word *own = table(HANDSHAKE_TABLE);
  handshake_answer(version, seconds, table(RUNTIME_TABLE), own, own[1].bytes, out);
  return CUDA_SUCCESS;
}
#else
static CUresult answer(unsigned version, uint64_t seconds, uint64_t out[2]) {
  (void)version, (void)seconds, (void)out;
  return api_missing("a program with CUDA's runtime (this kgen was built with "
                     "-DKGEN_STATIC_CUDART=OFF, for programs that use only the driver API)");
}
#endif

static CUresult find(const void **out, const CUuuid *id) {
  if (!out || !id) return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < TABLES; i++) {
    if (memcmp(id->bytes, rows[i].id, sizeof id->bytes) != 0) continue;
    fill(i);
    *out = table(i);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}

CU_API CUresult cuGetExportTable(const void **out, const CUuuid *id) {
  SERVE(NEED_NOTHING, find(out, id));
}
