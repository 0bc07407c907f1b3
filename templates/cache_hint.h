/* cache_hint.h: device memory accessed with a cache hint that is known when it is compiled. */
#ifndef KGEN_CACHE_HINT_H
#define KGEN_CACHE_HINT_H

namespace {

/* HINT 0: none, 1: streaming. */
template <int HINT, class T> __device__ __forceinline__ T global_load(const T *from) {
  if constexpr (HINT == 1)
    return __ldcs(from);
  else
    return *from;
}

/* HINT 0: none, 1: streaming, 2: write through. */
template <int HINT, class T> __device__ __forceinline__ void global_store(T *to, T value) {
  if constexpr (HINT == 1)
    __stcs(to, value);
  else if constexpr (HINT == 2)
    __stwt(to, value);
  else
    *to = value;
}

} // namespace

#endif
