#include "device/host_compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "device/cache.h"
#include "device/child.h"

/* Where the compiler finds the file to write, and what it is to be: products and sums stay two
 * roundings, and all that the prelude's vectors need is there, as translate.c has asked for. */
enum { OUTPUT = 3, MOST_BYTES = 64 << 20 };
static const char *const words[] = {"-x",
                                    "c",
                                    "-std=gnu11",
                                    "-O1",
                                    "-fexpensive-optimizations",
                                    "-w",
                                    "-fPIC",
                                    "-shared",
                                    "-pipe",
                                    "-mavx2",
                                    "-mfma",
                                    "-mbmi2",
                                    "-mpopcnt",
                                    "-mavx512f",
                                    "-mavx512bw",
                                    "-mavx512dq",
                                    "-mavx512vl",
                                    "-mprefer-vector-width=512",
                                    "-ffp-contract=off",
                                    "-o",
                                    "/proc/self/fd/3",
                                    "-"};
enum { WORDS = sizeof words / sizeof *words };

/* --- files that have no name, so that nothing is left behind --- */

static int file_of(const char *text, size_t length) {
  const int fd = memfd_create("kgen", MFD_CLOEXEC);
  if (fd >= 0 && file_put(fd, text, length) && lseek(fd, 0, SEEK_SET) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

/* --- the compiler --- */

/* What --exec has a program load before its libraries is not for the compiler. */
static bool start(Arena *a, const char *compiler, int in, int out, pid_t *child) {
  static const char *const change[] = {"LD_PRELOAD", NULL};
  const char *argument[WORDS + 2] = {compiler};
  memcpy(argument + 1, words, sizeof words);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in, 0);
  posix_spawn_file_actions_adddup2(&files, out, OUTPUT);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setsigmask(&how, &none);
  /* posix_spawnp takes its words as pointers to mutable, and does not write them. */
  const int error = posix_spawnp(child, compiler, &files, &how, (char *const *)(uintptr_t)argument,
                                 child_environment(a, change));
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return error == 0;
}

/* False, too, where the program ignores its children's ends, or waits for any: what the compiler
 * wrote may end anywhere then. */
static bool succeeded(pid_t child) {
  int status = 0;
  pid_t ended;
  do ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The shared object, or NULL. */
static char *compile(Arena *a, const char *text, size_t length, size_t *size) {
  const char *const compilers[] = {getenv("CC"), "cc", "gcc", "clang"};
  const int in = file_of(text, length), out = file_of("", 0);
  pid_t child;
  bool started = false;
  for (size_t i = 0; in >= 0 && out >= 0 && !started && i < sizeof compilers / sizeof *compilers;
       i++)
    started = compilers[i] && *compilers[i] && start(a, compilers[i], in, out, &child);
  char *object = NULL;
  if (started && succeeded(child))
    object = file_read(a, arena_printf(a, "/proc/self/fd/%d", out), MOST_BYTES, size);
  if (in >= 0) close(in);
  if (out >= 0) close(out);
  return object;
}

/* --- loading --- */

static const char *key_of(Arena *a, const char *text, size_t length) {
  Text key = text_new(a);
  text_puts(&key, "native\n");
  for (int i = 0; i < WORDS; i++) text_printf(&key, "%s ", words[i]);
  text_add(&key, text, length);
  return key.s;
}

/* The loader knows what is loaded by its name, and a number may be another file's by now: no path
 * has as many slashes as another one. */
static const void *load(Arena *a, const char *object, size_t size) {
  static atomic_int loads;
  const int fd = file_of(object, size), slashes = 1 + atomic_fetch_add(&loads, 1);
  if (fd < 0) return NULL;
  Text path = text_new(a);
  text_puts(&path, "/proc/self/fd");
  for (int i = 0; i < slashes; i++) text_puts(&path, "/");
  text_printf(&path, "%d", fd);
  void *loaded = dlopen(path.s, RTLD_NOW | RTLD_LOCAL);
  close(fd);
  return loaded ? dlsym(loaded, "native_runs") : NULL;
}

/* Only what could be loaded is kept. */
const void *host_compile(void *context, const char *text, size_t length) {
  (void)context;
  Arena *a = arena_new();
  size_t size;
  Text why = text_new(a);
  const char *key = key_of(a, text, length);
  const Cache cache = cache_open(a, &why);
  const char *object = cache_get(a, &cache, key, &size);
  const bool kept = object != NULL;
  if (!kept) object = compile(a, text, length, &size);
  const void *runs = object ? load(a, object, size) : NULL;
  if (runs && !kept) cache_put(a, &cache, key, object, size);
  arena_free(a);
  return runs;
}

const EmuTranslator *host_translator(void) {
  /* About a second of interpreting, and of compiling. */
  static const EmuTranslator translator = {.compile = host_compile, .after = 1 << 25};
  const char *wanted = getenv("KGEN_NATIVE");
  return wanted && strcmp(wanted, "1") == 0 ? &translator : NULL;
}
