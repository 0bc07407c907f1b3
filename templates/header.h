#ifndef NAME_H
#define NAME_H

// kgen:begin
#define NAME_RANK          2
#define NAME_ELEMENT_BYTES 4
#define NAME_EXTENT0       32
#define NAME_EXTENT1       32
#define NAME_EXTENT2       0
#define NAME_EXTENT3       0
#define NAME_PERIOD        0  // of a rank-1 tile: elements a row; 0: one row
#define NAME_STRIDE0       33 // elements from one row to the next, in the outermost dimension
#define NAME_STRIDE1       0
#define NAME_STRIDE2       0
#define NAME_XOR(row)      0 // what the last coordinate is XORed with
#define NAME_BANKS         32
#define NAME_BANK_BYTES    4
#define NAME_ALIGN         4 // bytes that strides are multiples of, for lanes of several elements
// The lanes that are served together, as coordinates: GROUP(access, bytes a lane, lanes)
#define NAME_GROUPS(GROUP)                                                                         \
  GROUP("fill", 4, (0, 0)(0, 1)(0, 2)(0, 3))                                                       \
  GROUP("drain", 4, (0, 0)(1, 0)(2, 0)(3, 0))
// kgen:end

#if defined(__CUDACC__)
#define NAME_FN __host__ __device__ __forceinline__ constexpr
#elif defined(__cplusplus)
#define NAME_FN inline constexpr
#else
#define NAME_FN static inline
#endif

/* NAME_AT: the offset as a constant expression. NAME_offset: the same as a function. Both count
 * elements; NAME_BYTES is the whole tile. */
#if NAME_RANK == 1
#if NAME_PERIOD
#define NAME_AT(i)                                                                                 \
  ((i) / NAME_PERIOD * NAME_STRIDE0 + ((i) % NAME_PERIOD ^ NAME_XOR((i) / NAME_PERIOD)))
#define NAME_BYTES                                                                                 \
  ((NAME_EXTENT0 + NAME_PERIOD - 1) / NAME_PERIOD * NAME_STRIDE0 * NAME_ELEMENT_BYTES)
#else
#define NAME_AT(i) (i)
#define NAME_BYTES (NAME_EXTENT0 * NAME_ELEMENT_BYTES)
#endif
NAME_FN int NAME_offset(int i) { return NAME_AT(i); }
#elif NAME_RANK == 2
#define NAME_AT(c0, c1) ((c0)*NAME_STRIDE0 + ((c1) ^ NAME_XOR(c0)))
#define NAME_BYTES      (NAME_EXTENT0 * NAME_STRIDE0 * NAME_ELEMENT_BYTES)
NAME_FN int NAME_offset(int c0, int c1) { return NAME_AT(c0, c1); }
#elif NAME_RANK == 3
#define NAME_ROW(c0, c1) ((c0)*NAME_EXTENT1 + (c1))
#define NAME_AT(c0, c1, c2)                                                                        \
  ((c0)*NAME_STRIDE0 + (c1)*NAME_STRIDE1 + ((c2) ^ NAME_XOR(NAME_ROW(c0, c1))))
#define NAME_BYTES (NAME_EXTENT0 * NAME_STRIDE0 * NAME_ELEMENT_BYTES)
NAME_FN int NAME_offset(int c0, int c1, int c2) { return NAME_AT(c0, c1, c2); }
#else
#define NAME_ROW(c0, c1, c2) (((c0)*NAME_EXTENT1 + (c1)) * NAME_EXTENT2 + (c2))
#define NAME_AT(c0, c1, c2, c3)                                                                    \
  ((c0)*NAME_STRIDE0 + (c1)*NAME_STRIDE1 + (c2)*NAME_STRIDE2 +                                     \
   ((c3) ^ NAME_XOR(NAME_ROW(c0, c1, c2))))
#define NAME_BYTES (NAME_EXTENT0 * NAME_STRIDE0 * NAME_ELEMENT_BYTES)
NAME_FN int NAME_offset(int c0, int c1, int c2, int c3) { return NAME_AT(c0, c1, c2, c3); }
#endif

/* The lanes of a group add one bit each, that of their first bank: the sum of the bits equals their
 * OR exactly if no bank comes twice. Lanes of several words must be aligned, so that the banks
 * behind the first follow. A list (0, 0)(0, 1) is walked by two macros that call each other. */
#ifdef __cplusplus
#define NAME_ASSERT static_assert
#else
#define NAME_ASSERT _Static_assert
#endif
#define NAME_BYTE(...) ((unsigned long long)NAME_AT(__VA_ARGS__) * NAME_ELEMENT_BYTES)
#define NAME_BIT(...)  (1ull << NAME_BYTE(__VA_ARGS__) / NAME_BANK_BYTES % NAME_BANKS)
#define NAME_SUM(...)  +NAME_BIT(__VA_ARGS__) NAME_SUM2
#define NAME_SUM2(...) +NAME_BIT(__VA_ARGS__) NAME_SUM
#define NAME_ANY(...)  | NAME_BIT(__VA_ARGS__) NAME_ANY2
#define NAME_ANY2(...) | NAME_BIT(__VA_ARGS__) NAME_ANY
#define NAME_LOW(...)  | NAME_BYTE(__VA_ARGS__) NAME_LOW2
#define NAME_LOW2(...) | NAME_BYTE(__VA_ARGS__) NAME_LOW
#define NAME_SUM_END
#define NAME_SUM2_END
#define NAME_ANY_END
#define NAME_ANY2_END
#define NAME_LOW_END
#define NAME_LOW2_END
#define NAME_JOIN(a, b)     NAME_JOIN_(a, b)
#define NAME_JOIN_(a, b)    a##b
#define NAME_EACH(f, lanes) (0 NAME_JOIN(f lanes, _END))
#define NAME_CHECK(access, bytes, lanes)                                                           \
  NAME_ASSERT(NAME_EACH(NAME_SUM, lanes) == NAME_EACH(NAME_ANY, lanes),                            \
              "two lanes of access '" access "' meet in a bank");                                  \
  NAME_ASSERT(NAME_EACH(NAME_LOW, lanes) % (bytes) == 0,                                           \
              "a lane of access '" access "' is misaligned");
NAME_GROUPS(NAME_CHECK)
#define NAME_STRIDE_ALIGNED(stride) ((stride)*NAME_ELEMENT_BYTES % NAME_ALIGN == 0)
NAME_ASSERT(NAME_STRIDE_ALIGNED(NAME_STRIDE0) && NAME_STRIDE_ALIGNED(NAME_STRIDE1) &&
                NAME_STRIDE_ALIGNED(NAME_STRIDE2),
            "a stride breaks the alignment of vectors");

/* Elements of different coordinates must not meet: a stride is at least what it steps over. */
#if NAME_PERIOD
NAME_ASSERT(NAME_STRIDE0 >= NAME_PERIOD, "rows overlap");
#elif NAME_RANK == 2
NAME_ASSERT(NAME_STRIDE0 >= NAME_EXTENT1, "rows overlap");
#elif NAME_RANK == 3
NAME_ASSERT(NAME_STRIDE1 >= NAME_EXTENT2, "rows overlap");
NAME_ASSERT(NAME_STRIDE0 >= NAME_EXTENT1 * NAME_STRIDE1, "planes overlap");
#elif NAME_RANK == 4
NAME_ASSERT(NAME_STRIDE2 >= NAME_EXTENT3, "rows overlap");
NAME_ASSERT(NAME_STRIDE1 >= NAME_EXTENT2 * NAME_STRIDE2, "planes overlap");
NAME_ASSERT(NAME_STRIDE0 >= NAME_EXTENT1 * NAME_STRIDE1, "blocks overlap");
#endif

#endif
