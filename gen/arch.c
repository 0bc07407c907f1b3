#include <string.h>

#include "spec.h"

enum { KIB = 1024 };

/* Source: CUDA C++ Programming Guide 13.0, technical specifications per compute capability. A name
 * with `a` is the same chip with its own instructions. */
const Arch arch_table[] = {
    {"sm_75", 64 * KIB, 64 * KIB, 32, 16},     {"sm_80", 163 * KIB, 164 * KIB, 64, 32},
    {"sm_86", 99 * KIB, 100 * KIB, 48, 16},    {"sm_87", 163 * KIB, 164 * KIB, 48, 16},
    {"sm_89", 99 * KIB, 100 * KIB, 48, 24},    {"sm_90", 227 * KIB, 228 * KIB, 64, 32},
    {"sm_90a", 227 * KIB, 228 * KIB, 64, 32},  {"sm_100", 227 * KIB, 228 * KIB, 64, 32},
    {"sm_100a", 227 * KIB, 228 * KIB, 64, 32}, {"sm_103", 227 * KIB, 228 * KIB, 64, 32},
    {"sm_103a", 227 * KIB, 228 * KIB, 64, 32}, {"sm_110", 227 * KIB, 228 * KIB, 48, 24},
    {"sm_110a", 227 * KIB, 228 * KIB, 48, 24}, {"sm_120", 99 * KIB, 100 * KIB, 48, 24},
    {"sm_120a", 99 * KIB, 100 * KIB, 48, 24},  {"sm_121", 99 * KIB, 100 * KIB, 48, 24},
    {"sm_121a", 99 * KIB, 100 * KIB, 48, 24},
};
const int arch_count = sizeof(arch_table) / sizeof(*arch_table);

const Arch *arch_find(const char *name) {
  for (int i = 0; i < arch_count; i++)
    if (strcmp(arch_table[i].name, name) == 0) return &arch_table[i];
  return NULL;
}
