/* SPDX-License-Identifier: MIT */
#include "lint/input/signature.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The parenthesis that the last closing one belongs to; NULL: there is none. */
static const char *opening_of_last(const char *s) {
  int depth = 0;
  for (const char *at = s + strlen(s); at > s; at--) {
    depth += (at[-1] == ')') - (at[-1] == '(');
    if (depth == 0) return at[-1] == '(' ? at - 1 : NULL;
  }
  return NULL;
}

LintKernelName lint_signature_read(Arena *a, const char *kernel) {
  const size_t n = strlen(kernel);
  if (strncmp(kernel, "void ", 5) == 0) return lint_signature_read(a, kernel + 5);
  LintKernelName k = {.name = kernel, .is_mangled = strncmp(kernel, "_Z", 2) == 0};
  const char *open = n && kernel[n - 1] == ')' ? opening_of_last(kernel) : NULL;
  if (!open || open == kernel) return k;
  k.name = arena_strndup(a, kernel, (size_t)(open - kernel));
  k.params = open;
  return k;
}

bool lint_signature_needs_compiler(const LintKernelName *k) {
  return k->params || strpbrk(k->name, "<:");
}

/* --- demangled --- */

typedef char *Demangle(const char *mangled, char *buffer, size_t *size, int *status);

const char *lint_signature_of(Arena *a, const char *mangled) {
  static const char *const library[] = {"libstdc++.so.6", "libc++abi.so.1"};
  const char *out = NULL;
  void *handle = NULL;
  Demangle *demangle = NULL;
  if (strncmp(mangled, "_Z", 2) != 0) return NULL;
  for (int i = 0; i < 2 && !handle; i++) handle = dlopen(library[i], RTLD_NOW | RTLD_LOCAL);
  void *symbol = handle ? dlsym(handle, "__cxa_demangle") : NULL;
  memcpy(&demangle, &symbol, sizeof symbol); /* the cast that POSIX permits for functions */
  char *text = demangle ? demangle(mangled, NULL, NULL, NULL) : NULL;
  if (text) out = arena_printf(a, "%s", strncmp(text, "void ", 5) == 0 ? text + 5 : text);
  free(text);
  if (handle) dlclose(handle);
  return out;
}

/* The parameters are in the last brackets at depth 0. */
const char *lint_signature_param(Arena *a, const char *signature, int i) {
  const char *begin = "", *at;
  int depth = 0, number = -1;
  for (at = signature; *at; at++) {
    if (strchr("(<[{", *at) && depth++ == 0 && *at == '(') {
      begin = at + 1;
      number = 0;
    }
    if (strchr(")>]}", *at) && --depth == 0 && number == i) break;
    if (*at != ',' || depth != 1 || number < 0) continue;
    if (number++ == i) return arena_strndup(a, begin, (size_t)(at - begin));
    begin = at + 1;
  }
  return number == i && *at ? arena_strndup(a, begin, (size_t)(at - begin)) : "";
}

bool lint_signature_is(const char *given, const char *signature) {
  for (;; given++, signature++) {
    given += strspn(given, " ");
    signature += strspn(signature, " ");
    if (*given != *signature) return false;
    if (!*given) return true;
  }
}
