/* vector.h: the types of vectorized loads and stores, which move elements as plain bits. */
#ifndef KGEN_VECTOR_H
#define KGEN_VECTOR_H

namespace {

/* The type whose load or store is one instruction of BYTES bytes, at an address aligned to them. */
template <int BYTES> struct Vector;
template <> struct Vector<1> { using Type = unsigned char; };
template <> struct Vector<2> { using Type = unsigned short; };
template <> struct Vector<4> { using Type = unsigned; };
template <> struct Vector<8> { using Type = uint2; };
template <> struct Vector<16> { using Type = uint4; };

} // namespace

#endif
