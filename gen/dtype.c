#include <string.h>

#include "spec.h"

const Dtype dtype_table[] = {
    {"u8", 1, "unsigned char"},   {"i8", 1, "signed char"},
    {"e4m3", 1, "unsigned char"}, {"e5m2", 1, "unsigned char"},
    {"u16", 2, "unsigned short"}, {"i16", 2, "short"},
    {"f16", 2, "unsigned short"}, {"bf16", 2, "unsigned short"},
    {"u32", 4, "unsigned int"},   {"i32", 4, "int"},
    {"f32", 4, "float"},          {"u64", 8, "unsigned long long"},
    {"i64", 8, "long long"},      {"f64", 8, "double"},
    {"c64", 8, "float2"},         {"c128", 16, "double2"},
    {"b8", 1, "unsigned char"},   {"b16", 2, "unsigned short"},
    {"b32", 4, "unsigned int"},   {"b64", 8, "unsigned long long"},
    {"b128", 16, "uint4"},
};
const int dtype_count = sizeof(dtype_table) / sizeof(*dtype_table);

const Dtype *dtype_find(const char *name) {
  for (int i = 0; i < dtype_count; i++)
    if (strcmp(dtype_table[i].name, name) == 0) return &dtype_table[i];
  return NULL;
}
