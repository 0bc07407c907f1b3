/* number.h: what elements are added in. */
#ifndef KGEN_NUMBER_H
#define KGEN_NUMBER_H

namespace {

/* Sums of integers wrap, which only unsigned ones may. */
template <class T> struct Number { using Sum = T; };
template <> struct Number<int> { using Sum = unsigned; };
template <> struct Number<long long> { using Sum = unsigned long long; };

} // namespace

#endif
