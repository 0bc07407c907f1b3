/* SPDX-License-Identifier: MIT */
/* jit.h: compiles generated source to machine code or PTX, through the cache. */
#ifndef KGEN_DEVICE_JIT_H
#define KGEN_DEVICE_JIT_H

#include "device/cache.h"
#include "emit/plan.h"
#include "emit/render.h"

typedef enum { JIT_CUBIN, JIT_PTX } JitForm;

typedef struct {
  const char *image;
  size_t size;
  /* PTX from which a cubin was assembled; NULL for PTX, or if NVRTC does not provide it */
  const char *ptx;
  const char *log;  /* compiler log, including ptxas */
  int registers;    /* per thread; -1 for PTX, whose registers are not allocated yet */
  int spill_bytes;  /* number of spill stores and loads */
  int blocks_on_sm; /* blocks per SM; 0 if registers are unknown */
  bool cached;      /* found in the cache */
  double ms;        /* time for compiling or finding it */
} Jit;

typedef enum {
  JIT_OK,
  JIT_REJECTED, /* the source has errors: *why holds the compiler's log */
  JIT_UNUSABLE  /* no compiler, or it failed: *why names the failing call */
} JitStatus;

/* Compiles one plan's source for `arch` (sm_90; compute_90 is derived for PTX). */
JitStatus jit_compile(Arena *a, const Cache *cache, JitForm form, const char *arch,
                      const Plan *plan, const Rendered *source, Jit *out, Text *why);

/* True if jit_compile() would find it in the cache. */
bool jit_is_cached(Arena *a, const Cache *cache, JitForm form, const char *arch,
                   const Rendered *source);

/* The PTX of machine code, as JIT_PTX would compile it; jit->ptx must not be NULL. */
Jit jit_ptx(const Jit *jit);

#endif
