/* SPDX-License-Identifier: MIT */
/* Mutations of real PTX: an error, a rejected launch, or a run that ends; never a crash or a hang.
 * EMU_FUZZ=rounds,seed. */
#include "emu/emu_nvrtc.h"

enum { BUFFER = 4096, MAX_STEPS = 20000 };

typedef struct {
  char *text;
  size_t length, capacity;
} Mutant;

static uint64_t state;

static uint64_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static size_t below(size_t n) { return n ? (size_t)(next_random() % n) : 0; }

static void insert(Mutant *t, size_t at, const char *what, size_t n) {
  if (t->length + n >= t->capacity) return;
  memmove(t->text + at + n, t->text + at, t->length - at);
  memcpy(t->text + at, what, n);
  t->length += n;
}

static void erase(Mutant *t, size_t at, size_t n) {
  if (n > t->length - at) n = t->length - at;
  memmove(t->text + at, t->text + at + n, t->length - at - n);
  t->length -= n;
}

static const char *const pieces[] = {"{",
                                     "}",
                                     ";",
                                     "[",
                                     "]",
                                     "(",
                                     ")",
                                     "@%p1 ",
                                     "!",
                                     "%r1",
                                     "%rd1",
                                     "%p1",
                                     "%f1",
                                     "_",
                                     "-1",
                                     "0",
                                     "65536",
                                     "4294967295",
                                     "0f7F800000",
                                     "18446744073709551615",
                                     ".u32",
                                     ".b64",
                                     ".v4",
                                     ".shared",
                                     ".global",
                                     ".local",
                                     ".param",
                                     "ret;",
                                     "exit;",
                                     "bar.sync 0;",
                                     "bar.sync 99;",
                                     "%tid.x",
                                     "<999999999>",
                                     "[2147483647]",
                                     ".align 65536",
                                     "bra $L__BB0_1;",
                                     "brx.idx %r1, x;",
                                     "call f;",
                                     "mov.u64 %rd1, -8;",
                                     "st.shared.u32 [%rd1], %r1;",
                                     "ld.local.u64 %rd1, [%rd1];",
                                     "cp.async.wait_all;",
                                     "shfl.sync.idx.b32 %r1, %r2, %r3, 31, %r4;",
                                     "bar.warp.sync %r1;",
                                     "atom.shared.add.u32 %r1, [%rd1], 1;",
                                     "trap;",
                                     "\"",
                                     "/*",
                                     "//"};

/* Repeats a piece of the text elsewhere. */
static void copy_piece(Mutant *t) {
  char piece[64];
  size_t n = 1 + below(sizeof piece - 1), from = below(t->length - n);
  memcpy(piece, t->text + from, n);
  insert(t, below(t->length), piece, n);
}

static void change_digit(Mutant *t) {
  size_t at = below(t->length);
  for (size_t i = 0; i < t->length; i++, at = (at + 1) % t->length) {
    if (t->text[at] < '0' || t->text[at] > '9') continue;
    t->text[at] = (char)('0' + below(10));
    return;
  }
}

static void mutate(Mutant *t) {
  const char *piece = pieces[below(sizeof pieces / sizeof *pieces)];
  switch (below(8)) {
  case 0: t->text[below(t->length)] = (char)next_random(); break;
  case 1: erase(t, below(t->length), 1 + below(8)); break;
  case 2: insert(t, below(t->length), piece, strlen(piece)); break;
  case 3: copy_piece(t); break;
  case 4: erase(t, below(t->length), below(200)); break;
  default: change_digit(t); break;
  }
}

enum { MAX_PARAMS = 64, MAX_PARAM_BYTES = 4096 };

/* Every parameter begins with the address of one buffer. True if the launch ran to its end. */
static bool launch_kernel(EmuMemory *memory, EmuModule *module, const EmuKernel *kernel) {
  static uint64_t values[MAX_PARAMS][MAX_PARAM_BYTES / sizeof(uint64_t)];
  const void *args[MAX_PARAMS];
  if (kernel->params > MAX_PARAMS) return false;
  for (int i = 0; i < kernel->params; i++)
    if (kernel->param[i].bytes > MAX_PARAM_BYTES) return false;
  const uint64_t buffer = emu_alloc(memory, BUFFER, "buffer");
  for (int i = 0; i < MAX_PARAMS; i++) {
    values[i][0] = buffer;
    args[i] = values[i];
  }
  EmuLaunch launch = {.kernel = kernel->name,
                      .grid = {1, 1, 1},
                      .block = {64, 1, 1},
                      .args = args,
                      .threads = 1,
                      .max_steps = MAX_STEPS};
  EmuResult *result = emu_launch(module, &launch);
  const bool ran = result && !result->error[0];
  emu_result_free(result);
  emu_free(memory, buffer);
  return ran;
}

/* Mutates a fresh copy of the text a few times, and launches every kernel that still loads. */
static void one_round(const char *ptx, size_t length, Mutant *t, int *loaded, int *ran) {
  memcpy(t->text, ptx, length);
  t->length = length;
  for (size_t n = 1 + below(3); n > 0; n--) mutate(t);
  if (below(16) == 0) t->length = below(t->length);
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, t->text, t->length);
  int errors, kernels;
  emu_errors(module, &errors);
  const EmuKernel *kernel = emu_kernels(module, &kernels);
  *loaded += errors == 0;
  for (int k = 0; errors == 0 && k < kernels; k++)
    *ran += launch_kernel(memory, module, &kernel[k]);
  emu_unload(module);
  emu_memory_free(memory);
}

int main(void) {
  Arena *a = arena_new();
  Text why = text_new(a);
  long rounds = CHECK_SANITIZED ? 100 : 400;
  state = 88172645463325252ull;
  const char *setting = getenv("EMU_FUZZ");
  if (setting) {
    char *end;
    rounds = strtol(setting, &end, 10);
    if (*end == ',') state = strtoull(end + 1, NULL, 10) | 1;
  }
  const char *source, *ptx = nvrtc_ptx(a, "clean", "90", &source, &why);
  if (!ptx) return check_skip("emu_fuzz_nvrtc", why.s);
  size_t length = strlen(ptx);
  Mutant t = {.capacity = length + 4096};
  t.text = malloc(t.capacity);
  int loaded = 0, ran = 0;
  printf("seed %llu\n", (unsigned long long)state);
  for (long i = 0; i < rounds; i++) one_round(ptx, length, &t, &loaded, &ran);
  printf("%ld mutations: %d load, %d launches\n", rounds, loaded, ran);
  CHECK(loaded > rounds / 50 && loaded < rounds, "%d of %ld mutations load", loaded, rounds);
  free(t.text);
  arena_free(a);
  return check_report("emu_fuzz_nvrtc");
}
