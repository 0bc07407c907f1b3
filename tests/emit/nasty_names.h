/* SPDX-License-Identifier: MIT */
/* nasty_names.h: names that libraries have: functions, types and macros of the C library and of
 * CUDA, and words of kgen's own. */
#ifndef KGEN_TESTS_EMIT_NASTY_NAMES_H
#define KGEN_TESTS_EMIT_NASTY_NAMES_H

#include "emit/render.h"
#include "shipped.h"

static const char nasty_names[] =
    "LONG_MAX CUDA_R_32F dev_t drand48 clock_gettime aligned_alloc gid_t CUDART_VERSION "
    "fpclassify double2int abs acos atan2 ceil cos cosf cospi erfcinv exp10 fdividef fma fmaxf "
    "hypot ilogb isfinite isinf isnan j0 jn lgamma llrint log1p max min modf nan nearbyint "
    "norm3d normcdf pow rcbrt remquo rhypot rint rsqrt scalbn signbit sin sincos sinpi sqrt tanh "
    "tgamma trunc umax umin llmax ullmin yn malloc free calloc realloc memcpy memset memmove "
    "strlen strcmp strdup strtol printf puts fopen read write open close send recv select signal "
    "raise time clock gmtime mktime nanosleep getenv setenv system exit abort atexit qsort "
    "bsearch rand srand random getopt sleep usleep fork pipe dup environ errno stdin stdout "
    "stderr assert offsetof NULL EOF BUFSIZ CHAR_BIT INT_MAX UINT_MAX SHRT_MIN LLONG_MAX "
    "ULONG_MAX RAND_MAX EXIT_FAILURE INFINITY NAN HUGE_VAL M_PI M_E FP_NAN FLT_MAX DBL_EPSILON "
    "SIZE_MAX INT64_MAX PTRDIFF_MAX CLOCKS_PER_SEC SEEK_SET SIGINT EINVAL ENOMEM O_RDONLY size_t "
    "ptrdiff_t int8_t uint64_t intptr_t uid_t pid_t off_t time_t clock_t FILE div_t wint_t "
    "pthread_t sigset_t fpos_t locale_t max_align_t dim3 float4 double2 uchar4 longlong2 half "
    "half2 nv_bfloat16 uint ulong cudaStream_t cudaError_t cudaMalloc cudaSuccess "
    "cudaMemcpyAsync CUstream CUdevice cuInit CUDA_VERSION CUDART_CB CUDA_SUCCESS CUDA_R_16F "
    "HOST device host global shared constant managed clock64 atomicAdd atomicCAS tex1D tex2D "
    "surf2Dread make_float4 float2int int2float longlong2double rsqrtf frsqrt_rn fadd_rn mul24 "
    "umul24 syncthreads threadfence shfl popc clz brev ffs ffsll fns lane_id grid_constant "
    "launch_bounds warpsize blockDimX std linux unix i386 x86_64 vector string swap copysign move "
    "index rindex y1 gamma drem finite significand basename dirname link unlink remove rename "
    "truncate ftruncate poll wait kill times stat lstat major minor makedev st_atime sa_handler "
    "si_pid h_addr htons ntohl toupper isalpha isdigit putc getc getchar ungetc TMP_MAX L_tmpnam "
    "CUDA_CB CUDARTAPI _exit nvrtc kernel launch name_launch x_kernel main_ NAME NAME_FN KERNEL "
    "LAUNCH Elem kLayout kBlockX KgenLayout KGEN_FN i row col ";

static const char nasty_none[] = "kernel: none\ndtype: f32\ntile: [4, 32]\ndims: [y, x]\n"
                                 "access: [{name: errno, at: [0, lane]}]\n";
static const char nasty_copy[] = "kernel: copy\ndtype: f32\n";

/* Calls `visit` with each of them. */
static inline void nasty_each(Arena *a, void (*visit)(Arena *, const char *, void *), void *data) {
  for (const char *at = nasty_names; *at;) {
    const size_t n = strcspn(at, " ");
    visit(a, arena_strndup(a, at, n), data);
    at += n + 1;
  }
}

/* Renders a spec with that name; .text is NULL if the generator rejects it. */
static inline Rendered nasty_render(Arena *a, const char *name, const char *rest) {
  const char *text = arena_printf(a, "version: 1\nname: '%s'\n%s", name, rest);
  const Source source = {"nasty.yaml", text, strlen(text)};
  const SpecOptions options = {.templates = templates_open(a, TEMPLATE_DIR), .source = &source};
  Diag *d = diag_new(a);
  const Spec *spec = spec_read(a, d, "nasty.yaml", &options);
  const Plan *plan = spec ? plan_make(a, d, spec) : NULL;
  return plan ? render_plan(a, d, plan, options.templates) : (Rendered){NULL, NULL};
}

#endif
