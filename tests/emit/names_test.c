/* SPDX-License-Identifier: MIT */
/* names_test.c: whatever the name of a spec, the emitted files compile together with every
 * library: each name in them is the spec's name with a word after it. There is no list of
 * libraries' names. */
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "nasty_names.h"

static const char tiles[] = "kernel: none\ntiles:\n"
                            "  EOF: {dtype: f32, tile: [4, 32], access: [{at: [0, lane]}]}\n"
                            "  EOF_bytes: {dtype: f64, tile: [32], access: [{at: [lane]}]}\n";

/* Replaces `from` by `to` in every word of the text that contains it. */
static const char *rename_words(Arena *a, const char *text, const char *from, const char *to) {
  Text out = text_new(a);
  for (const char *at; (at = strstr(text, from)); text = at + strlen(from)) {
    text_add(&out, text, (size_t)(at - text));
    text_puts(&out, to);
  }
  text_puts(&out, text);
  return out.s;
}

/* A kernel's name is in the comment, the symbol and the launcher, and nowhere else. */
static void check_kernel(Arena *a, const char *name, void *data) {
  const char *plain = data, *text = nasty_render(a, name, nasty_copy).text;
  CHECK(text, "%s is refused", name);
  if (!text || strncmp(name, "copy", 4) == 0) return;
  CHECK_STR(text, rename_words(a, plain, "zebra", name));
}

static void add_header(Arena *a, const char *name, void *data) {
  const char *text = nasty_render(a, name, nasty_none).text;
  CHECK(text, "%s is refused", name);
  if (text) text_puts(data, text);
  const char *two = nasty_render(a, name, tiles).text;
  CHECK(two, "%s is refused with tiles", name);
  if (two) text_puts(data, two);
}

static void check_compiler(Arena *a, const char *folder, const char *command) {
  const int status = system(arena_printf(a, "cd %s && %s >log 2>&1", folder, command));
  size_t length = 0;
  char *log = file_read(a, arena_printf(a, "%s/log", folder), 1 << 22, &length);
  if (log && length > 600) log[600] = 0;
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: %s", command, log ? log : "?");
}

/* Includes all emitted headers in one program, after the libraries' headers with such names. */
static void check_headers(Arena *a) {
  static const char *const include[] = {
      "assert.h", "complex.h", "ctype.h",      "dirent.h",   "errno.h",        "fcntl.h",
      "float.h",  "limits.h",  "math.h",       "poll.h",     "pthread.h",      "setjmp.h",
      "signal.h", "stddef.h",  "stdint.h",     "stdio.h",    "stdlib.h",       "string.h",
      "time.h",   "unistd.h",  "sys/socket.h", "sys/stat.h", "sys/sysmacros.h"};
  char folder[] = "/tmp/kgen-names-XXXXXX";
  if (!mkdtemp(folder)) die("no temporary folder");
  Text t = text_new(a);
  text_puts(&t, "#define _GNU_SOURCE\n");
  for (size_t i = 0; i < sizeof include / sizeof *include; i++)
    text_printf(&t, "#include <%s>\n", include[i]);
  nasty_each(a, add_header, &t);
  text_puts(&t, "int main(void) { return 0; }\n");
  file_write(arena_printf(a, "%s/all.c", folder), t.s, t.len);
  check_compiler(a, folder, "cc -std=c11 -Wno-unused-function all.c -o all");
  check_compiler(a, folder, "cc -std=gnu11 -Wno-unused-function all.c -o all");
  check_compiler(a, folder, "c++ -x c++ -std=gnu++17 -U_GNU_SOURCE all.c -o all");
  check_compiler(a, folder, "cd / && rm -r \"$OLDPWD\" && mkdir -p \"$OLDPWD\"");
  rmdir(folder);
}

int main(void) {
  Arena *a = arena_new();
  char *plain = arena_printf(a, "%s", nasty_render(a, "zebra", nasty_copy).text);
  CHECK(strstr(plain, "#define KERNEL zebra_kernel\n") && strstr(plain, "zebra_launch"), "%s",
        plain);
  CHECK(strstr(nasty_render(a, "copy_x", nasty_copy).text, "#define KERNEL copy_x\n"),
        "a name that begins with the family's is kept");
  CHECK(strstr(nasty_render(a, "copyx", nasty_copy).text, "#define KERNEL copyx_kernel\n"),
        "copyx does not begin with copy_");
  nasty_each(a, check_kernel, plain);
  check_headers(a);
  arena_free(a);
  return check_report("names_test");
}
