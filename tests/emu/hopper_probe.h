/* SPDX-License-Identifier: MIT */
/* hopper_probe.h: kernels that find out what instructions of Hopper leave, on operands at which
 * they go wrong, for the emulator and for a GPU. data/hopper.txt has a line for each: the checksum
 * of what an H200 left, and the probe's name. */
#ifndef KGEN_TESTS_EMU_HOPPER_PROBE_H
#define KGEN_TESTS_EMU_HOPPER_PROBE_H

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "check.h"
#include "emu/emu.h"
#include "emu/isa_values.h"
#include "model/tensor_map.h"

enum { PROBE_MAPS = 16 };

/* The kernel k(in, out). Tensor maps are at the beginning of `in`; their addresses are offsets in
 * the input or, for targets of stores, in the output. */
typedef struct {
  const char *name, *ptx;
  unsigned blocks, threads, cluster;
  int maps;
  bool maps_of_out;
  TensorMap map[PROBE_MAPS];
  uint64_t in_bytes, out_bytes;
  unsigned char *in, *out; /* out: before and after the launch */
} Probe;

/* Does something with a probe, whose memory is its owner's. */
typedef void ProbeVisit(Probe *p, void *context);

static inline uint32_t probe_sum(const Probe *p) {
  uint64_t sum = 0;
  for (uint64_t at = 0; at < p->out_bytes; at += sizeof sum) {
    uint64_t word;
    memcpy(&word, p->out + at, sizeof word);
    sum = isa_hash(sum + word + 0x9e3779b97f4a7c15u);
  }
  return (uint32_t)sum;
}

static inline uint64_t probe_seed(const char *name, uint64_t more) {
  uint64_t state = isa_hash(more + 1);
  for (; *name; name++) state = state * 31 + (unsigned char)*name;
  return isa_hash(state);
}

/* --- elements --- */

/* How far floats are from 1: not far; anywhere, but finite; far below; a few of them anywhere. */
typedef enum { PROBE_TAME, PROBE_FINITE, PROBE_SMALL, PROBE_WILD, PROBE_REACHES } ProbeReach;

static inline bool probe_is_finite(IsaKind kind, uint64_t x) {
  const IsaFormat f = isa_format[kind];
  const uint64_t exponent = (1u << f.exponent) - 1, mantissa = (1ull << f.mantissa) - 1;
  if ((x >> f.mantissa & exponent) != exponent) return true;
  return kind == ISA_E4M3 && (x & mantissa) != mantissa;
}

static inline uint64_t probe_float(uint64_t *state, IsaKind kind, ProbeReach reach) {
  const IsaFormat f = isa_format[kind];
  const uint64_t near = isa_float(state, f, true), mantissa = (1ull << f.mantissa) - 1;
  const uint64_t sign = 1ull << (f.exponent + f.mantissa);
  if (reach == PROBE_TAME || (reach == PROBE_WILD && isa_pick(state, 24))) return near;
  if (reach == PROBE_SMALL) return (near & (sign | mantissa)) | isa_pick(state, 4) << f.mantissa;
  for (;;) {
    const uint64_t x = isa_float(state, f, false);
    if (reach == PROBE_WILD || probe_is_finite(kind, x)) return x;
  }
}

/* Fills in elements; integers have `bits` bits. */
static inline void probe_fill(uint64_t *state, IsaKind kind, unsigned bits, ProbeReach reach,
                              unsigned char *at, size_t bytes) {
  const unsigned size = kind == ISA_INT ? bits / 8 : isa_element_bits(kind, bits) / 8;
  for (size_t i = 0; i < bytes; i += size) {
    const uint64_t x = kind == ISA_INT ? isa_integer(state, bits) : probe_float(state, kind, reach);
    memcpy(at + i, &x, size);
  }
}

/* --- on the emulator --- */

static inline void probe_put_maps(const Probe *p, uint64_t in, uint64_t out) {
  for (int i = 0; i < p->maps; i++) {
    TensorMap m = p->map[i];
    m.address += p->maps_of_out ? out : in;
    const char *why = emu_tensor_map_encode(&m, p->in + TENSOR_MAP_BYTES * i);
    CHECK(!why, "%s: map %d: %s", p->name, i, why);
  }
}

/* Checked or unchecked: the results are equal, and no probe has an error. */
static inline void probe_emulate(Probe *p, bool judged) {
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, p->ptx, strlen(p->ptx));
  const uint64_t in = emu_alloc(memory, p->in_bytes, "in");
  const uint64_t out = emu_alloc(memory, p->out_bytes, "out");
  const void *args[] = {&in, &out};
  const EmuLaunch launch = {.kernel = "k",
                            .grid = {p->blocks, 1, 1},
                            .block = {p->threads, 1, 1},
                            .cluster = {p->cluster, 1, 1},
                            .args = args,
                            .threads = 1,
                            .unchecked = !judged};
  probe_put_maps(p, in, out);
  emu_copy_in(memory, in, p->in, p->in_bytes);
  emu_copy_in(memory, out, p->out, p->out_bytes);
  EmuResult *r = emu_launch(module, &launch);
  CHECK(!r->error[0] && !r->findings, "%s: %s%s", p->name, r->error,
        r->findings ? r->finding[0].message : "");
  emu_copy_out(memory, p->out, out, p->out_bytes);
  emu_result_free(r);
  emu_unload(module);
  emu_memory_free(memory);
}

#endif
