/* number.h: the type in which elements are added. */
#ifndef KGEN_NUMBER_H
#define KGEN_NUMBER_H

namespace {

/* Sums of integers wrap around, which C++ defines for unsigned types only. */
template <class T> struct Number { using Sum = T; };
template <> struct Number<int> { using Sum = unsigned; };
template <> struct Number<long long> { using Sum = unsigned long long; };

} // namespace

#endif
