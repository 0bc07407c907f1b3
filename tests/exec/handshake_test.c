/* SPDX-License-Identifier: MIT */
/* The answer to the handshake of CUDA's runtime, and the driver that was built without it: it says
 * why, and serves the driver API as before. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { NOT_SUPPORTED = 801 };

typedef int Init(unsigned flags);
typedef int Count(int *count);
typedef int Find(const void **table, const void *id);
typedef int Answer(unsigned version, uint64_t seconds, uint64_t out[2]);

static void *symbol(void *library, const char *name) {
  void *found = dlsym(library, name);
  CHECK(found, "%s: %s", name, dlerror());
  if (!found) exit(1);
  return found;
}

/* Calls the handshake and keeps what it prints. */
static int call_answer(Answer *answer, uint64_t out[2], char *said, size_t room) {
  FILE *file = tmpfile();
  const int kept = dup(STDERR_FILENO);
  if (!file || kept < 0) return -1;
  dup2(fileno(file), STDERR_FILENO);
  const int result = answer(13000, 1, out);
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  rewind(file);
  said[fread(said, 1, room - 1, file)] = '\0';
  fclose(file);
  return result;
}

static void test(const char *path, bool answers) {
  static const unsigned char id[16] = {0xD4, 0x08, 0x20, 0x55, 0xBD, 0xE6, 0x70, 0x4B,
                                       0x8D, 0x34, 0xBA, 0x12, 0x3C, 0x66, 0xE1, 0xF2};
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(library, "%s: %s", path, dlerror());
  if (!library) return;
  Init *init;
  Count *count;
  Find *find;
  Answer *answer;
  *(void **)&init = symbol(library, "cuInit");
  *(void **)&count = symbol(library, "cuDeviceGetCount");
  *(void **)&find = symbol(library, "cuGetExportTable");
  int devices = 0;
  CHECK(init(0) == 0 && count(&devices) == 0 && devices == 1, "%s: %d devices", path, devices);
  const void *table = NULL;
  CHECK(find(&table, id) == 0 && table, "%s: no table", path);
  if (!table) return;
  memcpy(&answer, (const char *)table + sizeof(void *), sizeof answer);
  uint64_t out[2] = {0};
  char said[400];
  const int result = call_answer(answer, out, said, sizeof said);
  CHECK(result == (answers ? 0 : NOT_SUPPORTED), "%s: %d", path, result);
  CHECK((out[0] | out[1]) != 0 ? answers : !answers, "%s: %s digest", path, answers ? "no" : "a");
  CHECK((strstr(said, "-DKGEN_STATIC_CUDART=OFF") != NULL) == !answers, "%s says: %s", path, said);
}

int main(void) {
  test(DRIVER, true);
  test(DRIVER_API, false);
  return check_report("handshake");
}
