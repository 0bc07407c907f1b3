/* cache_hint.h: loads and stores of device memory with a cache operator chosen at compile time. */
#ifndef KGEN_CACHE_HINT_H
#define KGEN_CACHE_HINT_H

namespace {

/* HINT 0: the default; 1: streaming (ld.global.cs), for data that is read once. */
template <int HINT, class T> __device__ __forceinline__ T global_load(const T *from) {
  if constexpr (HINT == 1)
    return __ldcs(from);
  else
    return *from;
}

/* HINT 0: the default; 1: streaming (st.global.cs); 2: write-through (st.global.wt). */
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
