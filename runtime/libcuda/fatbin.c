#include "libcuda/fatbin.h"

#include <ctype.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>

/* The record that nvcc makes for the runtime; of version 2, `more` lists fat binaries to link. */
typedef struct {
  uint32_t magic, version;
  const void *data;
  const void *const *more;
} Wrapper;

typedef struct {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes; /* behind the header */
} Header;

typedef struct {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t payload_bytes; /* up to the next entry */
  uint32_t compressed_bytes;
  uint32_t options, unknown;
  uint32_t arch; /* 90 */
  uint32_t bits, producer;
  uint64_t flags, reserved;
  uint64_t plain_bytes; /* when compressed */
} Entry;

enum { WRAPPER_MAGIC = 0x466243b1, KIND_PTX = 1, KIND_ELF = 2 };
#define HEADER_MAGIC 0xba55ed50u
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
enum { MAX_PLAIN = 256 << 20 };

/* Entries lie at multiples of 8 in memory that is the program's. */
typedef struct {
  const Entry *ptx; /* the best so far */
  bool machine_code;
  uint32_t newest; /* architecture of machine code or of PTX that is too new */
} Found;

static bool is_ptx_text(const char *s) {
  while (isspace((unsigned char)*s)) s++;
  return strncmp(s, "//", 2) == 0 || strncmp(s, "/*", 2) == 0 || strncmp(s, ".version", 8) == 0;
}

static void look_at(const Entry *e, int number, Found *found) {
  if (e->kind == KIND_ELF) found->machine_code = true;
  if (e->kind == KIND_ELF && e->arch > found->newest) found->newest = e->arch;
  if (e->kind != KIND_PTX) return;
  if (e->arch > (uint32_t)number) {
    if (e->arch > found->newest) found->newest = e->arch;
  } else if (!found->ptx || e->arch > found->ptx->arch) {
    found->ptx = e;
  }
}

static Found look_through(const Header *h, int number) {
  Found found = {0};
  const char *at = (const char *)h + h->header_bytes, *end = at + h->bytes;
  while (end - at >= (ptrdiff_t)sizeof(Entry)) {
    const Entry *e = (const void *)at;
    look_at(e, number, &found);
    if (!e->header_bytes || (uint64_t)(end - at) < e->header_bytes + e->payload_bytes) break;
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

static CUresult read_entry(Arena *a, const Entry *e, FatbinText *out, Text *why) {
  const char *from = (const char *)e + e->header_bytes;
  const bool packed = e->flags & (FLAG_LZ4 | FLAG_ZSTD);
  const size_t bytes = (size_t)(packed ? e->plain_bytes : e->payload_bytes);
  if (bytes > MAX_PLAIN) {
    text_puts(why, "PTX larger than 256 MiB");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  char *text = arena_alloc(a, bytes + 1);
  if (!packed) {
    memcpy(text, from, bytes);
  } else if (!unpack(e, from, text, bytes)) {
    text_puts(why, "compressed PTX that is damaged");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  *out = (FatbinText){text, strnlen(text, bytes)};
  return CUDA_SUCCESS;
}

static CUresult read_fatbin(Arena *a, const Header *h, int number, FatbinText *out, Text *why) {
  const Found found = look_through(h, number);
  if (found.ptx) return read_entry(a, found.ptx, out, why);
  if (found.machine_code)
    text_printf(why, "machine code alone, of sm_%u", found.newest);
  else if (found.newest)
    text_printf(why, "PTX of compute_%u alone", found.newest);
  else
    text_puts(why, "no code");
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static uint32_t magic_of(const void *image) {
  uint32_t magic;
  memcpy(&magic, image, sizeof magic);
  return magic;
}

/* Units without code are left out: that of nvcc's own library for kernels that launch others. */
static CUresult read_units(Arena *a, const void *const *unit, int number, FatbinText *out,
                           int *count, Text *why) {
  CUresult result = CUDA_SUCCESS;
  for (; *unit && *count < FATBIN_UNITS; unit++) {
    const CUresult one = read_fatbin(a, *unit, number, &out[*count], why);
    if (one)
      result = one;
    else
      ++*count;
  }
  return *count ? CUDA_SUCCESS : result;
}

CUresult fatbin_read(Arena *a, const void *image, int number, FatbinText *out, int *count,
                     Text *why) {
  *count = 0;
  if (memcmp(image,
             "\x7f"
             "ELF",
             4) == 0) {
    text_puts(why, "machine code alone (a cubin)");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  if (magic_of(image) == WRAPPER_MAGIC) {
    const Wrapper *w = image;
    if (w->version == 2 && w->more && *w->more)
      return read_units(a, w->more, number, out, count, why);
    image = w->data;
  }
  *count = 1;
  if (magic_of(image) == HEADER_MAGIC) return read_fatbin(a, image, number, out, why);
  if (!is_ptx_text(image)) {
    text_puts(why, "neither PTX nor a fat binary");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  const size_t n = strlen(image);
  *out = (FatbinText){arena_strndup(a, image, n), n};
  return CUDA_SUCCESS;
}
