/* tile_mode.h: follows the header of a tile that TMA or wgmma accesses, and asserts that the index
 * function is the hardware's swizzle mode. kgen replaces the defined names, as in header.h. */
// kgen:begin
// clang-format off
#define MODE          128
#define MASK          0x380
#define COORDINATES   i / 64, i % 64
#define ELEMENT_BYTES 2
#define STEP          1
// clang-format on
// kgen:end
/* The tile as TMA and wgmma see it. */
#ifndef NAME_MODE
#define NAME_MODE
enum { NAME_mode = MODE }; /* bytes that the swizzle of TMA and wgmma spans; 0: none */
#if defined(__cplusplus) && __cplusplus >= 201402L
/* True if the function is that mode: address bits from 7 up are XORed into bits from 4 up. */
NAME_FN bool NAME_swizzled() {
  for (int i = 0; i < NAME_elements; i += STEP) {
    const int byte = i * ELEMENT_BYTES;
    if (NAME_offset(COORDINATES) * ELEMENT_BYTES != (byte ^ ((byte & MASK) >> 3))) return false;
  }
  return true;
}
static_assert(NAME_swizzled(), "TMA and wgmma swizzle this tile in another way");
#endif
#endif
