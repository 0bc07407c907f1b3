/* jit.h: from generated source to machine code or PTX, through the cache. */
#ifndef KGEN_DEVICE_JIT_H
#define KGEN_DEVICE_JIT_H

#include "device/cache.h"
#include "emit/plan.h"
#include "emit/render.h"

typedef enum { JIT_CUBIN, JIT_PTX } JitForm;

typedef struct {
  const char *image;
  size_t size;
  const char *ptx;  /* that a cubin was assembled from; NULL for PTX, or if NVRTC keeps none */
  const char *log;  /* the compiler's, ptxas included */
  int registers;    /* per thread; -1 for PTX, whose registers are not allocated yet */
  int spill_bytes;  /* stores and loads of spilled registers */
  int blocks_on_sm; /* resident blocks; 0 if registers are unknown */
  bool cached;      /* found in the cache */
  double ms;        /* compiling, or finding it, took */
} Jit;

typedef enum {
  JIT_OK,
  JIT_REJECTED, /* the source has errors: *why holds the compiler's log */
  JIT_UNUSABLE  /* no compiler, or it failed: *why says which call */
} JitStatus;

/* Compiles one plan's source for `arch` (sm_90; compute_90 is derived for PTX). */
JitStatus jit_compile(Arena *a, const Cache *cache, JitForm form, const char *arch,
                      const Plan *plan, const Rendered *source, Jit *out, Text *why);

/* Whether jit_compile would find it in the cache. */
bool jit_is_cached(Arena *a, const Cache *cache, JitForm form, const char *arch,
                   const Rendered *source);

/* The PTX of machine code, as JIT_PTX compiles it; jit->ptx must not be NULL. */
Jit jit_ptx(const Jit *jit);

#endif
