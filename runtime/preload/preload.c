/* SPDX-License-Identifier: MIT */
/* preload.c: libkgen_preload.so, which `kgen --exec` loads into a program and its children. ptxas
 * embeds PTX only in machine code with line information, so the library adds that option to the
 * program's compilers, and keeps the source strings that NVRTC compiles. It handles compilers that
 * are linked, and those that are looked up by dlsym(), as Python packages do. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/lines.h"
#include "preload/places.h"
#include "preload/sources.h"

#define EXPORTED __attribute__((visibility("default")))

typedef void *Lookup(void *restrict handle, const char *restrict name);

/* C has no conversion between object and function pointers. */
static PlaceCall *call_at(void *address) {
  PlaceCall *call;
  memcpy(&call, &address, sizeof call);
  return call;
}

static void *address_of(PlaceCall *call) {
  void *address;
  memcpy(&address, &call, sizeof address);
  return address;
}

static bool is_watched(const char *name) {
  return lines_is(name) || lines_name_is(name, "nvrtcCreateProgram");
}

/* The replacement for a function that the program calls by this name. */
static void *watched(const char *name, void *found) {
  PlaceCall *real = call_at(found);
  return address_of(lines_is(name) ? (PlaceCall *)lines_added((LinesCall *)real)
                                   : (PlaceCall *)sources_kept((SourcesCall *)real));
}

/* glibc's own: each version of it keeps the first one of a processor. */
static Lookup *own_dlsym(void) {
#ifdef __x86_64__
  void *found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
#else
  void *found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");
#endif
  return (Lookup *)call_at(found);
}

/* The next function after this library, which exports these names itself. */
static void *lookup_call(void *handle, const char *name) {
  void *found = own_dlsym()(handle == RTLD_DEFAULT ? RTLD_NEXT : handle, name);
  return found ? watched(name, found) : NULL;
}

/* RTLD_NEXT depends on the caller, so glibc's function must be reached by a jump, not a call.
 * Optimizing compilers use a jump for a tail call, and this library is built with optimization; if
 * they do not, the program in tests/exec/preload_test.sh calls itself endlessly. */
EXPORTED void *dlsym(void *restrict handle, const char *restrict name) {
  if (is_watched(name)) return lookup_call(handle, name);
  return own_dlsym()(handle, name);
}

/* A library that was opened later may see compilers that nothing else does: the ones that it
 * links. */
static void *lookup_from(const void *caller, const char *name) {
  Dl_info info;
  if (!dladdr(caller, &info)) return NULL;
  void *library = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
  void *found = library ? lookup_call(library, name) : NULL;
  if (library) dlclose(library); /* the library is loaded already, and stays loaded */
  return found;
}

static void *find_next(const void *caller, const char *name) {
  void *next = lookup_call(RTLD_NEXT, name);
  return next ? next : lookup_from(caller, name);
}

enum { INTERNAL_ERROR = 11 };

/* Compilers that are linked. */
#define LINKED(name)                                                                               \
  EXPORTED int name(void *of, int count, const char *const *option);                               \
  EXPORTED int name(void *of, int count, const char *const *option) {                              \
    void *next = find_next(__builtin_return_address(0), #name);                                    \
    return next ? ((LinesCall *)call_at(next))(of, count, option) : INTERNAL_ERROR;                \
  }
LINKED(nvrtcCompileProgram)
LINKED(nvJitLinkCreate)
LINKED(__nvJitLinkCreate_12_0)
LINKED(__nvJitLinkCreate_12_1)
LINKED(__nvJitLinkCreate_12_2)
LINKED(__nvJitLinkCreate_12_3)
LINKED(__nvJitLinkCreate_12_4)
LINKED(__nvJitLinkCreate_12_5)
LINKED(__nvJitLinkCreate_12_6)
LINKED(__nvJitLinkCreate_12_7)
LINKED(__nvJitLinkCreate_12_8)
LINKED(__nvJitLinkCreate_12_9)
LINKED(__nvJitLinkCreate_13_0)
LINKED(__nvJitLinkCreate_13_1)
LINKED(__nvJitLinkCreate_13_2)
LINKED(__nvJitLinkCreate_13_3)
LINKED(__nvJitLinkCreate_13_4)
LINKED(__nvJitLinkCreate_13_5)
#undef LINKED

EXPORTED SourcesCall nvrtcCreateProgram;
int nvrtcCreateProgram(void *program, const char *text, const char *name, int headers,
                       const char *const *header, const char *const *include) {
  void *next = find_next(__builtin_return_address(0), "nvrtcCreateProgram");
  if (!next) return INTERNAL_ERROR;
  return ((SourcesCall *)call_at(next))(program, text, name, headers, header, include);
}

/* --- the end --- */

typedef void ExitCall(void);

/* One per process. */
static _Atomic(ExitCall *) *exit_call(void) {
  static _Atomic(ExitCall *) call;
  return &call;
}

/* For the driver, which has records to write when a program ends without exit handlers. */
EXPORTED void kgen_preload_at_exit(ExitCall *call);
EXPORTED void kgen_preload_at_exit(ExitCall *call) { atomic_store(exit_call(), call); }

static _Noreturn void end(int status) {
  ExitCall *call = atomic_load(exit_call());
  if (call) call();
  for (;;) syscall(SYS_exit_group, status);
}

EXPORTED _Noreturn void _exit(int status) { end(status); }
EXPORTED _Noreturn void _Exit(int status) { end(status); }

/* For the driver, which quotes them. */
EXPORTED const char *kgen_preload_source(const char *path);
EXPORTED const char *kgen_preload_source(const char *path) { return sources_text(path); }
