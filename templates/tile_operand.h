/* tile_operand.h: follows the header of a tile that wgmma reads, with its matrix descriptor. kgen
 * replaces the defined names, as in header.h. */
// kgen:begin
// clang-format off
#define GUARD         NAME_OPERAND_K
#define WHOSE         k
#define LEADING       NAME_leading_k
#define LEADING_BYTES 0
#define STRIDE        NAME_stride_k
#define STRIDE_BYTES  1024
#define MODE_FIELD    1
#define DESCRIBE      NAME_descriptor_k
#define PARAMETERS    int row, int k
#define PLAIN         row * 64 + k
#define ELEMENT_BYTES 2
// clang-format on
// kgen:end
#ifndef GUARD
#define GUARD
/* The descriptor's leading and stride dimension byte offsets. */
enum { LEADING = LEADING_BYTES, STRIDE = STRIDE_BYTES };
/* wgmma's descriptor of the operand that begins at these coordinates, at a multiple of 8 rows; rows
 * run along WHOSE. NAME_tile: the tile's 32-bit address in shared memory, aligned to NAME_align. */
NAME_FN unsigned long long DESCRIBE(unsigned NAME_tile, PARAMETERS) {
  return (((NAME_tile + ELEMENT_BYTES * (unsigned)(PLAIN)) & 0x3ffff) >> 4) |
         LEADING / 16ull << 16 | STRIDE / 16ull << 32 | MODE_FIELD * 1ull << 62;
}
#endif
