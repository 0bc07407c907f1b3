/* SPDX-License-Identifier: MIT */
/* The cache: what is stored is found; whatever is broken, foreign or not permitted is a miss. */
#include "device/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"

static char folder[] = "/tmp/kgen-cache-test-XXXXXX";

static Cache open_at(Arena *a, const char *path) {
  setenv("KGEN_CACHE_DIR", path, 1);
  Text why = text_new(a);
  return cache_open(a, &why);
}

static const char *new_folder(Arena *a, const char *name) {
  return arena_printf(a, "%s/%s", folder, name);
}

static bool is_hit(Arena *a, const Cache *c, const char *key, const char *want, size_t n) {
  size_t size;
  const char *got = cache_get(a, c, key, &size);
  return got && size == n && memcmp(got, want, n) == 0;
}

static bool is_miss(Arena *a, const Cache *c, const char *key) {
  size_t size;
  return cache_get(a, c, key, &size) == NULL;
}

/* The path of the i-th file of a cache whose name contains `what`; NULL past the last. */
static const char *file_of(Arena *a, const Cache *c, const char *what, int i) {
  DIR *dir = opendir(c->folder);
  const char *path = NULL;
  for (struct dirent *e; dir && !path && (e = readdir(dir)) != NULL;)
    if (strstr(e->d_name, what) && i-- == 0) path = arena_printf(a, "%s/%s", c->folder, e->d_name);
  if (dir) closedir(dir);
  return path;
}

static const char *entry(Arena *a, const Cache *c, int i) { return file_of(a, c, ".entry", i); }

static int entries(Arena *a, const Cache *c) {
  int n = 0;
  while (entry(a, c, n)) n++;
  return n;
}

static void test_round_trip(Arena *a) {
  const Cache c = open_at(a, new_folder(a, "new/deep"));
  struct stat st;
  CHECK(c.folder && c.writable, "not opened");
  CHECK(stat(c.folder, &st) == 0 && (st.st_mode & 0777) == 0700, "mode %o", (unsigned)st.st_mode);
  CHECK(is_miss(a, &c, "key"), "hit in an empty cache");
  cache_put(a, &c, "key", "one\0two", 7);
  CHECK(is_hit(a, &c, "key", "one\0two", 7), "not found");
  CHECK(is_miss(a, &c, "kez"), "another key's value");
  cache_put(a, &c, "key", "replaced", 8);
  CHECK(is_hit(a, &c, "key", "replaced", 8), "not replaced");
  cache_put(a, &c, "empty", "", 0);
  CHECK(is_hit(a, &c, "empty", "", 0), "empty value");
  CHECK(entries(a, &c) == 2, "%d entries", entries(a, &c));
}

static void write_file(const char *path, const char *data, size_t n) {
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0) die("cannot write %s", path);
}

/* Every shorter file and every flipped byte is a miss; the next put heals it. */
static void test_damage(Arena *a) {
  const Cache c = open_at(a, new_folder(a, "damage"));
  static const char value[] = "machine code";
  cache_put(a, &c, "some key", value, sizeof value);
  const char *path = entry(a, &c, 0);
  size_t n;
  char *whole = file_read(a, path, 1 << 20, &n);
  CHECK(whole != NULL, "no entry");
  for (size_t cut = 0; whole && cut < n; cut++) {
    write_file(path, whole, cut);
    CHECK(is_miss(a, &c, "some key"), "cut to %zu of %zu bytes", cut, n);
  }
  for (size_t at = 0; whole && at < n; at++) {
    whole[at] ^= 1;
    write_file(path, whole, n);
    CHECK(is_miss(a, &c, "some key"), "byte %zu flipped", at);
    whole[at] ^= 1;
  }
  char *longer = arena_alloc(a, n + 1);
  memcpy(longer, whole, n);
  write_file(path, longer, n + 1);
  CHECK(is_miss(a, &c, "some key"), "one byte longer");
  cache_put(a, &c, "some key", value, sizeof value);
  CHECK(is_hit(a, &c, "some key", value, sizeof value), "not healed");
}

/* An entry of another key under this key's name is a miss, and so is what is no file. */
static void test_foreign(Arena *a) {
  const Cache c = open_at(a, new_folder(a, "foreign"));
  cache_put(a, &c, "mine", "mine", 4);
  const char *mine = entry(a, &c, 0);
  const Cache d = open_at(a, new_folder(a, "foreign2"));
  cache_put(a, &d, "other", "evil", 4);
  size_t n;
  const char *other = file_read(a, entry(a, &d, 0), 1 << 20, &n);
  write_file(mine, other, n);
  CHECK(is_miss(a, &c, "mine"), "another key's entry was believed");
  unlink(mine);
  cache_put(a, &c, "mine", "mine", 4);
  const char *aside = new_folder(a, "aside");
  CHECK(rename(mine, aside) == 0 && symlink(aside, mine) == 0, "cannot link");
  CHECK(is_miss(a, &c, "mine"), "a symbolic link was followed");
  unlink(mine);
  CHECK(mkdir(mine, 0700) == 0 && is_miss(a, &c, "mine"), "a folder was read");
  cache_put(a, &c, "mine", "mine", 4); /* cannot replace a directory: no crash, a miss */
  CHECK(is_miss(a, &c, "mine"), "a folder was replaced");
  CHECK(!file_of(a, &c, "tmp-", 0), "a temporary file stays");
  rmdir(mine);
  CHECK(mkfifo(mine, 0600) == 0 && is_miss(a, &c, "mine"), "a pipe was read");
}

static void test_folders(Arena *a) {
  const char *shared = new_folder(a, "shared");
  CHECK(mkdir(shared, 0700) == 0 && chmod(shared, 0770) == 0, "cannot make");
  CHECK(open_at(a, shared).folder == NULL, "a folder that others may write to was used");
  if (geteuid() == 0) {
    const char *theirs = new_folder(a, "theirs");
    CHECK(mkdir(theirs, 0700) == 0 && chown(theirs, 1, 1) == 0, "cannot give away");
    CHECK(open_at(a, theirs).folder == NULL, "another user's folder was used");
  }
  const char *file = new_folder(a, "file");
  write_file(file, "x", 1);
  CHECK(open_at(a, file).folder == NULL, "a file was used as a folder");
  CHECK(open_at(a, arena_printf(a, "%s/below", file)).folder == NULL, "below a file");
}

static void test_read_only(Arena *a) {
  const char *fixed = new_folder(a, "fixed");
  Cache c = open_at(a, fixed);
  cache_put(a, &c, "key", "value", 5);
  CHECK(chmod(fixed, 0500) == 0, "chmod");
  if (geteuid() == 0) {
    printf("as root every folder is writable: read-only is simulated\n");
    c.writable = false;
  } else {
    c = open_at(a, fixed);
    CHECK(!c.writable, "a read-only folder taken for writable");
  }
  CHECK(is_hit(a, &c, "key", "value", 5), "a read-only cache should still be read");
  cache_put(a, &c, "new", "value", 5);
  CHECK(is_miss(a, &c, "new"), "written to a read-only folder");
  chmod(fixed, 0700);
}

static void test_no_folder(Arena *a) {
  const Cache none = {0};
  cache_put(a, &none, "key", "value", 5);
  CHECK(is_miss(a, &none, "key"), "no folder, no hit");
}

/* Eight processes write and read the same few keys; every hit must be whole and right. */
static void test_concurrency(Arena *a) {
  enum { PROCESSES = 8, ROUNDS = 200, KEYS = 3, SIZE = 20000 };
  const Cache c = open_at(a, new_folder(a, "concurrent"));
  for (int p = 0; p < PROCESSES; p++) {
    if (fork() != 0) continue;
    Arena *mine = arena_new();
    char *value = arena_alloc(mine, SIZE);
    int bad = 0;
    for (int i = 0; i < ROUNDS; i++) {
      const int k = (i + p) % KEYS;
      const char *key = arena_printf(mine, "key %d", k);
      memset(value, 'a' + k, SIZE);
      size_t size;
      const char *got = cache_get(mine, &c, key, &size);
      if (got && (size != SIZE || memcmp(got, value, SIZE) != 0)) bad = 1;
      cache_put(mine, &c, key, value, SIZE);
    }
    _exit(bad);
  }
  for (int p = 0, status; p < PROCESSES; p++)
    CHECK(wait(&status) > 0 && status == 0, "a process saw a wrong entry: status %d", status);
  CHECK(entries(a, &c) == KEYS, "%d entries are left", entries(a, &c));
}

/* Makes every entry a second older, in place of waiting. */
static void age(Arena *a, const Cache *c) {
  const char *path;
  for (int i = 0; (path = entry(a, c, i)) != NULL; i++) {
    struct stat st;
    CHECK(stat(path, &st) == 0, "%s", path);
    struct timespec times[2] = {st.st_atim, st.st_mtim};
    times[1].tv_sec--;
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0, "%s", path);
  }
}

static void test_bound(Arena *a) {
  enum { COUNT = 20, SIZE = 1000 };
  Cache c = open_at(a, new_folder(a, "bounded"));
  c.max_bytes = 10 * SIZE;
  char *value = arena_alloc(a, SIZE);
  for (int i = 0; i < COUNT; i++) {
    cache_put(a, &c, arena_printf(a, "key %d", i), value, SIZE);
    age(a, &c);
    if (i >= 3) CHECK(is_hit(a, &c, "key 3", value, SIZE), "key 3 is in use, evicted at %d", i);
  }
  CHECK(entries(a, &c) == 9, "%d entries", entries(a, &c));
  CHECK(is_miss(a, &c, "key 0"), "the oldest was kept");
  CHECK(is_hit(a, &c, "key 19", value, SIZE), "the newest was evicted");
}

static bool is_there(Arena *a, const Cache *c, const char *name) {
  return access(arena_printf(a, "%s/%s", c->folder, name), F_OK) == 0;
}

/* Eviction removes entries and temporary files of kgen's, and nothing that a user keeps there. */
static void test_users_files(Arena *a) {
  static const char *const kept[] = {
      "notes.entry", "0123456789abcdef.entry", "tmp-notes",
      "tmp-012345",  "tmp-0123456789abcdef",   "0123456789abcdef0123456789abcdef.entry"};
  const char *left = "tmp-1123456789abcdef", *empty = "tmp-2123456789abcdef";
  Cache c = open_at(a, new_folder(a, "users"));
  c.max_bytes = 10;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    write_file(arena_printf(a, "%s/%s", c.folder, kept[i]), "precious", 8);
  write_file(arena_printf(a, "%s/%s", c.folder, left), "kgenjit1 and more", 17);
  write_file(arena_printf(a, "%s/%s", c.folder, empty), "", 0);
  const char *age = arena_printf(a, "touch -d '2 hours ago' %s/*", c.folder);
  CHECK(system(age) == 0, "cannot make them older");
  cache_put(a, &c, "key", "value", 5);
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    CHECK(is_there(a, &c, kept[i]), "%s was removed", kept[i]);
  CHECK(!is_there(a, &c, left) && !is_there(a, &c, empty), "a temporary file was left");
}

int main(void) {
  if (!mkdtemp(folder)) die("no folder for the test");
  Arena *a = arena_new();
  test_round_trip(a);
  test_damage(a);
  test_foreign(a);
  test_folders(a);
  test_read_only(a);
  test_no_folder(a);
  test_concurrency(a);
  test_bound(a);
  test_users_files(a);
  if (system(arena_printf(a, "rm -rf %s", folder)) != 0) die("cannot clean up");
  arena_free(a);
  return check_report("cache");
}
