/* reference.h: the right answers, family by family; see Family.reference. */
#ifndef KGEN_REFERENCE_H
#define KGEN_REFERENCE_H

#include "judge/problem.h"

void reference_aos_to_soa(Arena *a, const Problem *p);
void reference_banks(Arena *a, const Problem *p);
void reference_colsum(Arena *a, const Problem *p);
void reference_conv2d(Arena *a, const Problem *p);
void reference_copy(Arena *a, const Problem *p);
void reference_fft(Arena *a, const Problem *p);
void reference_gemm(Arena *a, const Problem *p);
void reference_member(Arena *a, const Problem *p);
void reference_reduce(Arena *a, const Problem *p);
void reference_rowsum(Arena *a, const Problem *p);
void reference_scan(Arena *a, const Problem *p);
void reference_scan_rows(Arena *a, const Problem *p);
void reference_soa_to_aos(Arena *a, const Problem *p);
void reference_transpose(Arena *a, const Problem *p);
void reference_vector_read(Arena *a, const Problem *p);

#endif
