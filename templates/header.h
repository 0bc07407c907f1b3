/* header.h: the header that `kernel: none` emits for a tile. kgen replaces the defined names by
 * values, and repeats the line of kgen:each once for each group of lanes. */
// kgen:begin
// clang-format off
#define PARAMETERS    int row, int col
#define OFFSET        row * 33 + col
#define COORDINATES   i / 32, i % 32
#define ELEMENTS      1056
#define BYTES         4224
#define ALIGN         128
#define ELEMENT_BYTES 4
#define BANKS         32
#define BANK_BYTES    4
#define LANE_BYTES    4
#define PLACES        {32, 1, 1, 0}
#define LANES         {{0, 32, 32}}
#define MESSAGE       "access 'drain'"
// clang-format on
// kgen:end
#ifndef NAME_FN
#if !defined(__cplusplus)
#define NAME_FN static inline
#elif !defined(__CUDACC__)
#define NAME_FN constexpr
#else
#define NAME_FN __host__ __device__ constexpr
#endif

NAME_FN int NAME_offset(PARAMETERS) { return OFFSET; }
enum { NAME_elements = ELEMENTS, NAME_bytes = BYTES, NAME_align = ALIGN };
#if defined(__cplusplus) && __cplusplus >= 201402L
/* True if lanes served together are aligned, in the tile, and need no bank for two words. Lanes are
 * runs {first, count, step} of row-major indices, at a grid of offsets {count, step} twice. */
template <unsigned RUNS>
NAME_FN bool NAME_free(int bytes, const int (&lanes)[RUNS][3], const int (&grid)[4]) {
  const int unit = bytes > BANK_BYTES ? bytes : BANK_BYTES;
  for (int place = 0; place < grid[0] * grid[2]; place++) {
    int served[BANKS] = {}; // for each bank: the word that it serves, plus 1
    for (auto &run : lanes)
      for (int k = 0; k < run[1]; k++) {
        const int i = run[0] + k * run[2] + place % grid[0] * grid[1] + place / grid[0] * grid[3];
        const int byte = NAME_offset(COORDINATES) * ELEMENT_BYTES, at = byte / unit;
        int &last = served[at % (BANKS * BANK_BYTES / unit)];
        if (byte % bytes || byte + bytes > NAME_bytes || (last && last != at + 1)) return false;
        last = at + 1;
      }
  }
  return true;
}
// kgen:each
static_assert(NAME_free(LANE_BYTES, LANES, PLACES), MESSAGE);
// kgen:end
#endif
#endif
