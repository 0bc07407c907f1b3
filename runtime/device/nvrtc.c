/* SPDX-License-Identifier: MIT */
#include "device/nvrtc.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "device/library.h"
#include "device/nvrtc_signals.h"

/* The used part of nvrtc.h; its C ABI has been stable since CUDA 7. */
typedef struct Program Program;
typedef struct {
  int (*version)(int *major, int *minor);
  const char *(*error)(int result);
  int (*create)(Program **p, const char *text, const char *name, int headers,
                const char *const *header, const char *const *include);
  int (*destroy)(Program **p);
  int (*compile)(Program *p, int options, const char *const *option);
  int (*log_size)(Program *p, size_t *size);
  int (*log)(Program *p, char *log);
  int (*cubin_size)(Program *p, size_t *size);
  int (*cubin)(Program *p, char *image);
  int (*ptx_size)(Program *p, size_t *size);
  int (*ptx)(Program *p, char *image);
} Api;

static const Symbol symbols[] = {
    {"nvrtcVersion", offsetof(Api, version)},
    {"nvrtcGetErrorString", offsetof(Api, error)},
    {"nvrtcCreateProgram", offsetof(Api, create)},
    {"nvrtcDestroyProgram", offsetof(Api, destroy)},
    {"nvrtcCompileProgram", offsetof(Api, compile)},
    {"nvrtcGetProgramLogSize", offsetof(Api, log_size)},
    {"nvrtcGetProgramLog", offsetof(Api, log)},
    {"nvrtcGetCUBINSize", offsetof(Api, cubin_size)},
    {"nvrtcGetCUBIN", offsetof(Api, cubin)},
    {"nvrtcGetPTXSize", offsetof(Api, ptx_size)},
    {"nvrtcGetPTX", offsetof(Api, ptx)},
};
enum { SYMBOLS = sizeof symbols / sizeof *symbols };
/* NVRTC_ERROR_COMPILATION, and NVRTC_ERROR_INVALID_OPTION, which the log explains. */
enum { REJECTED = 6, REJECTED_OPTION = 5 };

/* NVRTC opens its builtins by a bare versioned name, which is found if they are already open. */
static void open_builtins(Arena *a, const Api *api) {
  int major, minor;
  if (api->version(&major, &minor) != 0) return;
  const char *versioned = arena_printf(a, "libnvrtc-builtins.so.%d.%d", major, minor);
  const char *const names[] = {versioned, "libnvrtc-builtins.so", NULL};
  Text ignored = text_new(a);
  library_open(a, names, &ignored);
}

static void hint_missing(Text *why) {
  text_printf(why, "\nkgen --version shows what was found; %s", library_get_nvrtc);
}

static bool api_open(Arena *a, Api *api, Text *why) {
  void *library = library_open(a, library_nvrtc, why);
  if (!library) hint_missing(why);
  if (!library || !library_symbols(library, symbols, SYMBOLS, api, why)) return false;
  open_builtins(a, api);
  return true;
}

const char *nvrtc_version(Arena *a) {
  Api api;
  int major, minor;
  Text ignored = text_new(a);
  if (!api_open(a, &api, &ignored) || api.version(&major, &minor) != 0) return NULL;
  return arena_printf(a, "%d.%d", major, minor);
}

const char *nvrtc_identity(Arena *a, Text *why) {
  const char *path = library_path(a, library_nvrtc, "nvrtcVersion", why);
  if (!path) {
    hint_missing(why);
    return NULL;
  }
  struct stat st;
  if (stat(path, &st) != 0) {
    text_printf(why, "%s: %s", path, strerror(errno));
    return NULL;
  }
  return arena_printf(a, "%s %lld bytes %lld.%09ld", path, (long long)st.st_size,
                      (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

typedef int GetSize(Program *, size_t *);
typedef int GetText(Program *, char *);

static int fetch(Arena *a, Program *p, GetSize *get_size, GetText *get, const char **out,
                 size_t *size) {
  int result = get_size(p, size);
  if (result != 0) return result;
  char *text = arena_alloc(a, *size + 1);
  *out = text;
  return get(p, text);
}

static bool failed(const Api *api, int result, const char *call, Text *why) {
  if (result == 0) return false;
  text_printf(why, "%s: %s", call, api->error(result));
  return true;
}

/* The PTX, or machine code with the PTX from which it was assembled. */
static bool take_image(Arena *a, const Api *api, Program *p, bool is_ptx, NvrtcResult *out,
                       Text *why) {
  const char *ptx = NULL;
  size_t ptx_size = 0;
  const int got_ptx = fetch(a, p, api->ptx_size, api->ptx, &ptx, &ptx_size);
  if (is_ptx) {
    out->image = ptx;
    out->size = ptx_size;
    return !failed(api, got_ptx, "nvrtcGetPTX", why);
  }
  if (got_ptx == 0 && ptx_size > 1) out->ptx = ptx;
  return !failed(api, fetch(a, p, api->cubin_size, api->cubin, &out->image, &out->size),
                 "nvrtcGetCUBIN", why);
}

static bool compile(Arena *a, const Api *api, Program *p, const NvrtcSource *s, NvrtcResult *out,
                    Text *why) {
  const void *inside;
  NvrtcSignals signals;
  memcpy(&inside, &api->compile, sizeof inside);
  nvrtc_signals_hold(&signals, inside);
  const int result = api->compile(p, s->options, s->option);
  nvrtc_signals_release(&signals);
  size_t log_size;
  if (failed(api, fetch(a, p, api->log_size, api->log, &out->log, &log_size), "nvrtcGetProgramLog",
             why))
    return false;
  if (result == REJECTED || result == REJECTED_OPTION) return true;
  if (failed(api, result, "nvrtcCompileProgram", why)) {
    text_printf(why, "\n%s", out->log);
    return false;
  }
  out->accepted = true;
  return take_image(a, api, p, s->ptx, out, why);
}

bool nvrtc_compile(Arena *a, const NvrtcSource *source, NvrtcResult *out, Text *why) {
  *out = (NvrtcResult){.log = ""};
  Api api;
  Program *p = NULL;
  if (!api_open(a, &api, why) ||
      failed(&api, api.create(&p, source->text, source->name, 0, NULL, NULL), "nvrtcCreateProgram",
             why))
    return false;
  const bool ok = compile(a, &api, p, source, out, why);
  api.destroy(&p);
  return ok;
}
