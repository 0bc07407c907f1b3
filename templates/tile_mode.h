/* tile_mode.h: behind the header of a tile that TMA or wgmma touches: that its function is the
 * hardware's mode. The defines stand for values, as in header.h. */
// kgen:begin
// clang-format off
#define MODE          128
#define MASK          0x380
#define COORDINATES   i / 64, i % 64
#define ELEMENT_BYTES 2
#define STEP          1
// clang-format on
// kgen:end
/* The tile for the hardware that moves it whole, TMA and wgmma. */
#ifndef NAME_MODE
#define NAME_MODE
enum { NAME_mode = MODE }; /* bytes that the swizzle of TMA and wgmma spans; 0: none */
#if defined(__cplusplus) && __cplusplus >= 201402L
/* The function is the mode: bits 7 and up of a row-major address XORed into those of its piece. */
NAME_FN bool NAME_swizzled() {
  for (int i = 0; i < NAME_elements; i += STEP) {
    const int byte = i * ELEMENT_BYTES;
    if (NAME_offset(COORDINATES) * ELEMENT_BYTES != (byte ^ ((byte & MASK) >> 3))) return false;
  }
  return true;
}
static_assert(NAME_swizzled(), "the hardware stores the tile in another way");
#endif
#endif
