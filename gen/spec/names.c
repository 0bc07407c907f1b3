/* names.c: what a spec may call a kernel, a tile, a variable. */
#include <string.h>

#include "spec/spec_reader.h"

/* Words that cannot name anything in C, C++20 or CUDA, and what CUDA declares everywhere. */
static const char *const reserved[] = {"alignas",
                                       "alignof",
                                       "and",
                                       "and_eq",
                                       "asm",
                                       "auto",
                                       "bitand",
                                       "bitor",
                                       "blockDim",
                                       "blockIdx",
                                       "bool",
                                       "break",
                                       "case",
                                       "catch",
                                       "char",
                                       "char16_t",
                                       "char32_t",
                                       "char8_t",
                                       "class",
                                       "co_await",
                                       "co_return",
                                       "co_yield",
                                       "compl",
                                       "concept",
                                       "const",
                                       "const_cast",
                                       "consteval",
                                       "constexpr",
                                       "constinit",
                                       "continue",
                                       "decltype",
                                       "default",
                                       "delete",
                                       "do",
                                       "double",
                                       "dynamic_cast",
                                       "else",
                                       "enum",
                                       "explicit",
                                       "export",
                                       "extern",
                                       "false",
                                       "float",
                                       "for",
                                       "friend",
                                       "goto",
                                       "gridDim",
                                       "if",
                                       "inline",
                                       "int",
                                       "long",
                                       "main",
                                       "mutable",
                                       "namespace",
                                       "new",
                                       "noexcept",
                                       "not",
                                       "not_eq",
                                       "nullptr",
                                       "operator",
                                       "or",
                                       "or_eq",
                                       "private",
                                       "protected",
                                       "public",
                                       "register",
                                       "reinterpret_cast",
                                       "requires",
                                       "restrict",
                                       "return",
                                       "short",
                                       "signed",
                                       "sizeof",
                                       "static",
                                       "static_assert",
                                       "static_cast",
                                       "struct",
                                       "switch",
                                       "template",
                                       "this",
                                       "threadIdx",
                                       "thread_local",
                                       "throw",
                                       "true",
                                       "try",
                                       "typedef",
                                       "typeid",
                                       "typename",
                                       "union",
                                       "unsigned",
                                       "using",
                                       "virtual",
                                       "void",
                                       "volatile",
                                       "warpSize",
                                       "wchar_t",
                                       "while",
                                       "xor",
                                       "xor_eq"};

/* What the headers that nvcc includes by itself declare or define, apart from cudaSomething and
 * atomicSomething: a kernel of such a name does not compile. */
static const char *const library[] = {
    "BUFSIZ",       "CHAR_BIT",    "CUuuid",      "EOF",          "EXIT_FAILURE",
    "EXIT_SUCCESS", "FILE",        "HUGE_VAL",    "INFINITY",     "INT_MAX",
    "INT_MIN",      "M_PI",        "NAN",         "NULL",         "RAND_MAX",
    "UINT_MAX",     "abort",       "abs",         "alloca",       "asctime",
    "asprintf",     "assert",      "atexit",      "atof",         "atoi",
    "atol",         "atoll",       "bcmp",        "bcopy",        "bsearch",
    "bzero",        "calloc",      "char1",       "char2",        "char3",
    "char4",        "clearenv",    "clearerr",    "clock",        "clock64",
    "clock_t",      "ctermid",     "ctime",       "cuserid",      "daddl",
    "daylight",     "ddivl",       "dfmal",       "difftime",     "dim3",
    "div",          "dmull",       "double1",     "double2",      "double3",
    "double4",      "dprintf",     "dsqrtl",      "dsubl",        "dysize",
    "ecvt",         "errno",       "exit",        "fadd",         "faddl",
    "fclose",       "fcloseall",   "fcvt",        "fdiv",         "fdivl",
    "fdopen",       "feof",        "ferror",      "fflush",       "ffma",
    "ffmal",        "ffs",         "ffsl",        "ffsll",        "fgetc",
    "fgetpos",      "fgets",       "fileno",      "float1",       "float2",
    "float3",       "float4",      "flockfile",   "fmemopen",     "fmul",
    "fmull",        "fopen",       "fopencookie", "fprintf",      "fputc",
    "fputs",        "fread",       "free",        "freopen",      "fscanf",
    "fseek",        "fseeko",      "fsetpos",     "fsqrt",        "fsqrtl",
    "fsub",         "fsubl",       "ftell",       "ftello",       "ftrylockfile",
    "funlockfile",  "fwrite",      "gcvt",        "getc",         "getchar",
    "getdate",      "getdelim",    "getenv",      "getline",      "getloadavg",
    "getpt",        "getsubopt",   "getw",        "gmtime",       "grantpt",
    "half",         "half2",       "initstate",   "int1",         "int16_t",
    "int2",         "int3",        "int32_t",     "int4",         "int64_t",
    "int8_t",       "intptr_t",    "isalnum",     "isalpha",      "isascii",
    "isblank",      "iscntrl",     "isctype",     "isdigit",      "isfinite",
    "isgraph",      "islower",     "isprint",     "ispunct",      "isspace",
    "isupper",      "isxdigit",    "labs",        "ldiv",         "libraryPropertyType",
    "linux",        "llabs",       "lldiv",       "llmax",        "llmin",
    "localtime",    "long1",       "long2",       "long3",        "long4",
    "longlong1",    "longlong2",   "malloc",      "max",          "max_align_t",
    "mblen",        "mbstowcs",    "mbtowc",      "memccpy",      "memchr",
    "memcmp",       "memcpy",      "memfrob",     "memmem",       "memmove",
    "mempcpy",      "memset",      "min",         "mkdtemp",      "mkostemp",
    "mkostemps",    "mkstemp",     "mkstemps",    "mktemp",       "mktime",
    "nanosleep",    "nullptr_t",   "nv_bfloat16", "nv_bfloat162", "offsetof",
    "pclose",       "perror",      "popen",       "printf",       "pselect",
    "ptrdiff_t",    "ptsname",     "putc",        "putchar",      "putenv",
    "puts",         "putw",        "qecvt",       "qfcvt",        "qgcvt",
    "qsort",        "rand",        "random",      "realloc",      "reallocarray",
    "realpath",     "remove",      "rename",      "renameat",     "rewind",
    "rpmatch",      "scanf",       "select",      "setbuf",       "setbuffer",
    "setenv",       "setlinebuf",  "setstate",    "setvbuf",      "short1",
    "short2",       "short3",      "short4",      "signbit",      "signgam",
    "size_t",       "snprintf",    "sprintf",     "srand",        "srandom",
    "sscanf",       "std",         "stderr",      "stdin",        "stdout",
    "stpcpy",       "stpncpy",     "strcasecmp",  "strcat",       "strcmp",
    "strcoll",      "strcpy",      "strcspn",     "strdup",       "strerror",
    "strfromd",     "strfromf",    "strfroml",    "strfry",       "strftime",
    "strlen",       "strncasecmp", "strncat",     "strncmp",      "strncpy",
    "strndup",      "strnlen",     "strptime",    "strsep",       "strsignal",
    "strspn",       "strtod",      "strtof",      "strtok",       "strtol",
    "strtold",      "strtoll",     "strtoq",      "strtoul",      "strtoull",
    "strtouq",      "strverscmp",  "strxfrm",     "system",       "tempnam",
    "tex1D",        "tex2D",       "tex3D",       "time",         "timegm",
    "timelocal",    "timezone",    "tmpfile",     "tmpnam",       "toascii",
    "tolower",      "toupper",     "tzname",      "tzset",        "uchar1",
    "uchar2",       "uchar3",      "uchar4",      "uint",         "uint1",
    "uint16_t",     "uint2",       "uint3",       "uint32_t",     "uint4",
    "uint64_t",     "uint8_t",     "uintptr_t",   "ullmax",       "ullmin",
    "ulong",        "ulong1",      "ulong2",      "ulong3",       "ulong4",
    "ulonglong1",   "ulonglong2",  "umax",        "umin",         "ungetc",
    "unix",         "unlockpt",    "unsetenv",    "ushort",       "ushort1",
    "ushort2",      "ushort3",     "ushort4",     "valloc",       "vasprintf",
    "vdprintf",     "vfprintf",    "vfscanf",     "vprintf",      "vscanf",
    "vsnprintf",    "vsprintf",    "vsscanf",     "wcstombs",     "wctomb"};

/* The same, of functions that have variants with f and l. */
static const char *const math[] = {"acos",
                                   "acosh",
                                   "asin",
                                   "asinh",
                                   "atan",
                                   "atan2",
                                   "atanh",
                                   "canonicalize",
                                   "cbrt",
                                   "ceil",
                                   "copysign",
                                   "cos",
                                   "cosh",
                                   "cospi",
                                   "cyl_bessel_i0",
                                   "cyl_bessel_i1",
                                   "drem",
                                   "erf",
                                   "erfc",
                                   "erfcinv",
                                   "erfcx",
                                   "erfinv",
                                   "exp",
                                   "exp10",
                                   "exp2",
                                   "expm1",
                                   "fabs",
                                   "fdim",
                                   "fdivide",
                                   "finite",
                                   "floor",
                                   "fma",
                                   "fmax",
                                   "fmaximum",
                                   "fmaximum_mag",
                                   "fmaximum_mag_num",
                                   "fmaximum_num",
                                   "fmaxmag",
                                   "fmin",
                                   "fminimum",
                                   "fminimum_mag",
                                   "fminimum_mag_num",
                                   "fminimum_num",
                                   "fminmag",
                                   "fmod",
                                   "frexp",
                                   "fromfp",
                                   "fromfpx",
                                   "gamma",
                                   "getpayload",
                                   "hypot",
                                   "ilogb",
                                   "isinf",
                                   "isnan",
                                   "j0",
                                   "j1",
                                   "jn",
                                   "ldexp",
                                   "lgamma",
                                   "llogb",
                                   "llrint",
                                   "llround",
                                   "log",
                                   "log10",
                                   "log1p",
                                   "log2",
                                   "logb",
                                   "lrint",
                                   "lround",
                                   "modf",
                                   "nan",
                                   "nearbyint",
                                   "nextafter",
                                   "nextdown",
                                   "nexttoward",
                                   "nextup",
                                   "norm",
                                   "norm3d",
                                   "norm4d",
                                   "normcdf",
                                   "normcdfinv",
                                   "pow",
                                   "rcbrt",
                                   "remainder",
                                   "remquo",
                                   "rhypot",
                                   "rint",
                                   "rnorm",
                                   "rnorm3d",
                                   "rnorm4d",
                                   "round",
                                   "roundeven",
                                   "rsqrt",
                                   "scalb",
                                   "scalbln",
                                   "scalbn",
                                   "setpayload",
                                   "setpayloadsig",
                                   "significand",
                                   "sin",
                                   "sincos",
                                   "sincospi",
                                   "sinh",
                                   "sinpi",
                                   "sqrt",
                                   "tan",
                                   "tanh",
                                   "tgamma",
                                   "totalorder",
                                   "totalordermag",
                                   "trunc",
                                   "ufromfp",
                                   "ufromfpx",
                                   "y0",
                                   "y1",
                                   "yn"};

static bool is_in(const char *const *table, size_t count, const char *s, size_t n) {
  for (size_t i = 0; i < count; i++)
    if (strlen(table[i]) == n && memcmp(table[i], s, n) == 0) return true;
  return false;
}
#define IS_IN(table, s, n) is_in(table, sizeof(table) / sizeof(*(table)), s, n)

bool is_identifier(const char *s) {
  const size_t n = strlen(s);
  if (n == 0 || n > NAME_LIMIT || (s[0] >= '0' && s[0] <= '9')) return false;
  return strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == n;
}

bool is_reserved(const char *s) {
  return IS_IN(reserved, s, strlen(s)) || strncmp(s, "__", 2) == 0;
}

/* The prefix and a capital: cudaMalloc. */
static bool has_prefix(const char *s, const char *prefix) {
  const size_t n = strlen(prefix);
  return strncmp(s, prefix, n) == 0 && s[n] >= 'A' && s[n] <= 'Z';
}

bool is_library_name(const char *s) {
  const size_t n = strlen(s);
  const bool variant = n > 1 && (s[n - 1] == 'f' || s[n - 1] == 'l');
  return IS_IN(library, s, n) || IS_IN(math, s, n) || (variant && IS_IN(math, s, n - 1)) ||
         has_prefix(s, "cuda") || has_prefix(s, "atomic");
}

/* --- what a tile's coordinates are called --- */

static void default_dims(int rank, const char *out[KGEN_MAX_RANK]) {
  static const char *const name[KGEN_MAX_RANK] = {"c0", "c1", "c2", "c3"};
  for (int d = 0; d < KGEN_MAX_RANK; d++) out[d] = rank == 1 ? "i" : name[d];
}

static void read_dim(SpecReader *r, const Yaml *list, int d, const char *out[KGEN_MAX_RANK]) {
  const char *name = read_name(r, list->item[d], "dimension");
  for (int i = 0; name && i < d; i++)
    if (strcmp(out[i], name) == 0) {
      diag_error(r->diag, list->item[d]->loc, "two dimensions are called '%s'", name);
      return;
    }
  if (name) out[d] = name;
}

void read_dims(SpecReader *r, const Yaml *node, int rank, const char *out[KGEN_MAX_RANK]) {
  default_dims(rank, out);
  if (!node || !rank || !expect_kind(r, node, "dims", YAML_LIST)) return;
  if (node->count != rank) {
    diag_error(r->diag, node->loc, "dims must have %d names, not %d", rank, node->count);
    return;
  }
  for (int d = 0; d < rank; d++) read_dim(r, node, d, out);
}
