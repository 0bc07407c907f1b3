/* SPDX-License-Identifier: MIT */
#include "spec/names.h"

#include <string.h>

/* Words that cannot be names in C, C++20 or CUDA, each between blanks. */
static const char reserved[] =
    " alignas alignof and and_eq asm auto bitand bitor blockDim blockIdx bool break case "
    "catch char char16_t char32_t char8_t class co_await co_return co_yield compl "
    "concept const const_cast consteval constexpr constinit continue decltype default "
    "delete do double dynamic_cast else enum explicit export extern false float for "
    "friend goto gridDim if inline int long main mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast "
    "requires restrict return short signed sizeof static static_assert static_cast "
    "struct switch template this threadIdx thread_local throw true try typedef typeid "
    "typename union unsigned using virtual void volatile warpSize wchar_t while xor "
    "xor_eq ";

/* Lower-case macros of compilers and of the C library, with which `dims` would collide. */
static const char macros[] = " assert errno linux stderr stdin stdout unix ";

static bool has_word(const char *words, const char *s) {
  const size_t n = strlen(s);
  for (const char *at = words; (at = strstr(at, s)) != NULL; at++)
    if (at[-1] == ' ' && at[n] == ' ') return true;
  return false;
}

bool is_macro(const char *s) { return is_identifier(s) && has_word(macros, s); }

bool is_identifier(const char *s) {
  const size_t n = strlen(s);
  if (n == 0 || n > NAME_LIMIT || (s[0] >= '0' && s[0] <= '9')) return false;
  return strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == n;
}

bool is_reserved(const char *s) {
  if (!is_identifier(s)) return false;
  if (s[0] == '_' && (s[1] == '_' || (s[1] >= 'A' && s[1] <= 'Z'))) return true;
  return has_word(reserved, s);
}
