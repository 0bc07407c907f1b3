/* ring.h: the position of a producer or a consumer in a ring of stages, each with mbarriers. */
#ifndef KGEN_RING_H
#define KGEN_RING_H

namespace {

/* A position in the ring: the stage, and the parity of its barriers' current phase. */
template <int STAGES> struct RingSlot {
  int stage = 0, parity = 0;
  __device__ __forceinline__ void next() {
    stage++;
    if (stage == STAGES) stage = 0, parity ^= 1;
  }
  __device__ __forceinline__ void skip(int stages) {
    stage += stages;
    parity ^= stage / STAGES & 1;
    stage %= STAGES;
  }
};

} // namespace

#endif
