/* SPDX-License-Identifier: MIT */
#include "libcuda/image/fatbin.h"

#include <ctype.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>

#include "libcuda/gpu.h"
#include "libcuda/image/cubin_lines.h"

/* The wrapper that nvcc generates. In version 2, `more` lists the fat binaries to link. */
typedef struct {
  uint32_t magic, version;
  const void *data;
  const void *const *more;
} Wrapper;

typedef struct {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes; /* number of bytes after the header */
} Header;

typedef struct {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t payload_bytes; /* number of bytes up to the next entry */
  uint32_t compressed_bytes;
  uint32_t options, unknown;
  uint32_t arch; /* architecture, such as 90 */
  uint32_t bits, producer;
  uint64_t flags, reserved;
  uint64_t plain_bytes; /* size before compression */
} Entry;

enum { WRAPPER_MAGIC = 0x466243b1, KIND_PTX = 1, KIND_ELF = 2 };
#define HEADER_MAGIC 0xba55ed50u
/* FLAG_OWN: for one architecture only, such as compute_90a. The values were read from nvcc's fat
 * binaries. */
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, FLAG_OWN = 0x100000 };
enum { MAX_PLAIN = 256 << 20 };

/* The best entries of a fat binary. They are at multiples of 8 bytes in the program's memory. */
typedef struct {
  const Entry *ptx, *machine; /* the best so far */
  const Entry *newest;        /* newest machine code of any architecture */
  const Entry *later;         /* oldest PTX that is too new for the device */
  const Entry *others;        /* code for one other GPU only */
} Found;

static bool is_ptx_text(const char *s) {
  while (isspace((unsigned char)*s)) s++;
  return strncmp(s, "//", 2) == 0 || strncmp(s, "/*", 2) == 0 || strncmp(s, ".version", 8) == 0;
}

/* Prefers the newest architecture, and compute_90a over compute_90. */
static bool is_better(const Entry *e, const Entry *best) {
  if (!best || e->arch != best->arch) return !best || e->arch > best->arch;
  return (e->flags & FLAG_OWN) > (best->flags & FLAG_OWN);
}

static void look_at(const Entry *e, int number, Found *found) {
  if (e->kind != KIND_ELF && e->kind != KIND_PTX) return;
  const Entry **best = e->kind == KIND_ELF ? &found->machine : &found->ptx;
  const bool too_new = e->arch > (uint32_t)number;
  if (e->kind == KIND_ELF && is_better(e, found->newest)) found->newest = e;
  if (too_new && e->kind == KIND_PTX && (!found->later || e->arch < found->later->arch))
    found->later = e;
  const bool is_others = (e->flags & FLAG_OWN) && e->arch != (uint32_t)number;
  if (is_others && (!found->others || e->kind == KIND_PTX)) found->others = e;
  if (!too_new && !is_others && is_better(e, *best)) *best = e;
}

static bool is_packed(const Entry *e) { return e->flags & (FLAG_LZ4 | FLAG_ZSTD); }

static bool is_aligned(const void *p) { return (uintptr_t)p % sizeof(uint64_t) == 0; }

/* True if a complete entry of at most `room` bytes begins there. */
static bool is_whole(const Entry *e, size_t room) {
  if (!is_aligned(e) || room < sizeof *e || e->header_bytes < sizeof *e || e->header_bytes > room)
    return false;
  if (e->payload_bytes > room - e->header_bytes) return false;
  return !is_packed(e) || e->compressed_bytes <= e->payload_bytes;
}

static Found look_through(const Header *h, int number) {
  Found found = {0};
  const char *at = (const char *)h + h->header_bytes, *end = at + h->bytes;
  for (const Entry *e = (const void *)at; is_whole(e, (size_t)(end - at)); e = (const void *)at) {
    look_at(e, number, &found);
    at += e->header_bytes + e->payload_bytes;
  }
  return found;
}

static bool unpack(const Entry *e, const char *from, char *to, size_t room) {
  if (e->flags & FLAG_LZ4) {
    const int n = LZ4_decompress_safe(from, to, (int)e->compressed_bytes, (int)room);
    return n >= 0 && (size_t)n == room;
  }
  const size_t n = ZSTD_decompress(to, room, from, e->compressed_bytes);
  return !ZSTD_isError(n) && n == room;
}

/* Returns the contents of an entry, with a NUL if they were compressed; NULL if they are
 * damaged. */
static const char *contents(Arena *a, const Entry *e, size_t *bytes) {
  const char *from = (const char *)e + e->header_bytes;
  *bytes = (size_t)(is_packed(e) ? e->plain_bytes : e->payload_bytes);
  if (!is_packed(e)) return from;
  if (*bytes > MAX_PLAIN) return NULL;
  char *plain = arena_alloc(a, *bytes + 1);
  plain[*bytes] = '\0';
  return unpack(e, from, plain, *bytes) ? plain : NULL;
}

static CUresult read_text(Arena *a, const Entry *e, PtxUnit *out, Diag *diag) {
  size_t bytes;
  const char *text = contents(a, e, &bytes);
  if (!text || bytes > MAX_PLAIN) {
    diag_say(diag, DIAG_INPUT, "%s",
             text || bytes > MAX_PLAIN ? "PTX larger than 256 MiB"
                                       : "compressed PTX that is damaged");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  bytes = strnlen(text, bytes);
  *out = (PtxUnit){.ptx = arena_strndup(a, text, bytes), .bytes = bytes};
  return CUDA_SUCCESS;
}

/* Machine code alone suffices if ptxas has embedded its PTX. */
static CUresult read_machine(Arena *a, Cubin cubin, PtxUnit *out, int room, int *count) {
  *count = cubin_ptx(a, cubin, out, room);
  cubin_lines_restore(a, out, *count);
  return *count ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static Cubin cubin_of(Arena *a, const Entry *e) {
  Cubin c = {NULL, 0};
  if (e) c.data = contents(a, e, &c.bytes);
  return c;
}

/* The "a" of compute_90a and sm_90a. */
static const char *suffix(const Entry *e) { return e && e->flags & FLAG_OWN ? "a" : ""; }

/* Adds how to build PTX to the report of machine code alone. Code for sm_90a (own) is built as PTX
 * only if compute_90a is named. */
static CUresult lacks_ptx(bool own, int number, Diag *diag) {
  const char *suffix = own ? "a" : "";
  diag_hint(diag,
            "the emulator executes PTX: build with nvcc -gencode arch=compute_%d%s,"
            "code=compute_%d%s, or with -lineinfo, which keeps PTX beside machine code; with NVRTC "
            "use nvrtcGetPTX, or compile with --generate-line-info",
            number, suffix, number, suffix);
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* Reports PTX that is too new. Libraries often contain PTX only for the newest GPU, and machine
 * code for others. */
static CUresult is_later(Arena *a, const Found *found, int number, Diag *diag) {
  const Entry *e = found->later;
  const char *as = arena_printf(a, "sm_%u", e->arch);
  diag_say(diag, DIAG_INPUT, "%sPTX of compute_%u%s, which an sm_%d cannot run",
           found->newest ? "machine code and " : "", e->arch, suffix(e), number);
  if (gpu_find(as)) diag_hint(diag, "--arch %s has the program see a GPU that can", as);
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* Reports code for one other GPU: sm_90a code runs on an sm_90, but on no later GPU. */
static CUresult is_others_alone(Arena *a, const Entry *e, int number, Diag *diag) {
  const char *as = arena_printf(a, "sm_%u", e->arch);
  diag_say(diag, DIAG_INPUT, "PTX of compute_%u%s, which runs on an %s alone, and not on an sm_%d",
           e->arch, suffix(e), as, number);
  if (gpu_find(as)) diag_hint(diag, "--arch %s has the program see that GPU", as);
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static CUresult read_fatbin(Arena *a, const Header *h, int number, PtxUnit *out, int room,
                            int *count, Diag *diag) {
  const Found found = look_through(h, number);
  const Cubin cubin = cubin_of(a, found.machine);
  *count = 1;
  if (found.ptx) {
    const CUresult result = read_text(a, found.ptx, out, diag);
    out->machine = cubin;
    return result;
  }
  if (cubin.data && !read_machine(a, cubin, out, room, count)) return CUDA_SUCCESS;
  if (found.later) return is_later(a, &found, number, diag);
  if (found.others && found.others->kind == KIND_PTX)
    return is_others_alone(a, found.others, number, diag);
  if (found.newest)
    diag_say(diag, DIAG_INPUT, "machine code alone, of sm_%u%s", found.newest->arch,
             suffix(found.newest));
  else
    diag_say(diag, DIAG_INPUT, "no code");
  const Entry *e = found.newest;
  return lacks_ptx(e && e->arch == (uint32_t)number && e->flags & FLAG_OWN, number, diag);
}

static uint32_t magic_of(const void *image) {
  uint32_t magic;
  memcpy(&magic, image, sizeof magic);
  return magic;
}

/* Reads all units. Units without PTX, such as NVIDIA's device runtime library, are left out. If
 * there are no others, `diag` has the reason for the first. */
static CUresult read_units(Arena *a, const void *const *unit, int number, PtxUnit *out, int *count,
                           Diag *diag) {
  CUresult result = CUDA_SUCCESS;
  for (int more; *unit && *count < FATBIN_UNITS; unit++) {
    Diag *unused = diag_new(a);
    const CUresult one = read_fatbin(a, *unit, number, &out[*count], FATBIN_UNITS - *count, &more,
                                     result ? unused : diag);
    if (one)
      result = one;
    else
      *count += more;
  }
  return *count ? CUDA_SUCCESS : result;
}

static CUresult read_cubin(Arena *a, Cubin cubin, int number, PtxUnit *out, int *count,
                           Diag *diag) {
  if (!read_machine(a, cubin, out, FATBIN_UNITS, count)) return CUDA_SUCCESS;
  const char *arch = cubin_arch(a, cubin), *own = arena_printf(a, "sm_%da", number);
  diag_say(diag, DIAG_INPUT, "machine code alone (a cubin%s%s)", arch ? " of " : "",
           arch ? arch : "");
  return lacks_ptx(arch && strcmp(arch, own) == 0, number, diag);
}

size_t fatbin_bytes(const void *image, size_t room) {
  Header h;
  if (room < sizeof h) return 0;
  memcpy(&h, image, sizeof h);
  if (h.magic != HEADER_MAGIC || h.header_bytes < sizeof h || h.header_bytes > room) return 0;
  return h.bytes <= room - h.header_bytes ? h.header_bytes + (size_t)h.bytes : 0;
}

/* Returns the image that a wrapper points to. A wrapper exists only in the program's memory, so its
 * size is unknown. */
static const void *unwrap(const void *image, size_t bytes, const void *const **more) {
  Wrapper w;
  if (bytes != SIZE_MAX || magic_of(image) != WRAPPER_MAGIC) return image;
  memcpy(&w, image, sizeof w);
  if (w.version == 2 && w.more && *w.more) *more = w.more;
  return w.data;
}

static CUresult read_image(Arena *a, const void *image, size_t bytes, int number, PtxUnit *out,
                           int *count, Diag *diag) {
  const void *const *more = NULL;
  if (cubin_is(image)) return read_cubin(a, (Cubin){image, bytes}, number, out, count, diag);
  image = unwrap(image, bytes, &more);
  if (more) return read_units(a, more, number, out, count, diag);
  const size_t whole = magic_of(image) == HEADER_MAGIC ? fatbin_bytes(image, bytes) : 0;
  if (whole && !is_aligned(image)) image = arena_strndup(a, image, whole);
  if (whole) return read_fatbin(a, image, number, out, FATBIN_UNITS, count, diag);
  const size_t n = is_ptx_text(image) ? strlen(image) : 0;
  *count = 1;
  *out = (PtxUnit){.ptx = arena_strndup(a, image, n), .bytes = n};
  return CUDA_SUCCESS;
}

/* Checks that the extracted text is PTX: an entry may contain anything under that kind, including
 * machine code. */
CUresult fatbin_read(Arena *a, const void *image, size_t bytes, int number, PtxUnit *out,
                     int *count, Diag *diag) {
  *count = 0;
  const CUresult result = read_image(a, image, bytes, number, out, count, diag);
  for (int i = 0; !result && i < *count; i++) {
    if (is_ptx_text(out[i].ptx)) continue;
    diag_say(diag, DIAG_INPUT, "neither PTX nor a fat binary");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  return result;
}
