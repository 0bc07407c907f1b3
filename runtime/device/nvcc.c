/* SPDX-License-Identifier: MIT */
/* Runs nvcc in a scratch directory, and caches its results. */
#include "device/nvcc.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/die.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/word_list.h"
#include "device/library.h"
#include "device/process.h"

enum { MAX_OUTPUT = 256 << 20, MAX_PATH = 4096 };

/* nvcc is started in the scratch directory of one call, so bare names need no quotes. The source
 * has a name that no user's file has, which would otherwise be included instead. */
#define SOURCE "kgen_nvcc_source.cu"
#define WORDS  "kgen_nvcc_words"
#define PTX    "kgen_nvcc_ptx"
#define LOG    "kgen_nvcc_log"
#define FILES  "kgen_nvcc_files"

/* --- names without special characters for a shell --- */

static bool is_plain(const char *s, const char *marks) {
  for (; *s; s++)
    if (!isalnum((unsigned char)*s) && !strchr(marks, *s)) return false;
  return true;
}

/* $TMPDIR, else /tmp, if nvcc can write the directory's path into its shell commands. */
static const char *plain_parent(Arena *a) {
  char path[MAX_PATH];
  const char *given = scratch_parent();
  if (given[0] == '/') return is_plain(given, "/._-+") ? given : "/tmp";
  if (!getcwd(path, sizeof path) || !is_plain(path, "/._-+") || !is_plain(given, "/._-+"))
    return "/tmp";
  return arena_printf(a, "%s/%s", path, given);
}

/* --- names from users: passed to the preprocessor in a file, which no shell reads --- */

/* A word of GNU's response files: white space ends words, and a backslash makes the next character
 * literal. */
static void put_word(Text *out, const char *option, const char *value) {
  text_puts(out, option);
  for (; *value; value++) {
    if (!isalnum((unsigned char)*value) && !strchr("/._-=", *value)) text_puts(out, "\\");
    text_add(out, value, 1);
  }
  text_puts(out, "\n");
}

/* The path, made absolute if necessary; NULL with errno set. */
static const char *absolute(Arena *a, const char *path) {
  char here[MAX_PATH];
  if (path[0] == '/') return path;
  return getcwd(here, sizeof here) ? arena_printf(a, "%s/%s", here, path) : NULL;
}

/* One call of nvcc. */
typedef struct {
  Arena *arena;
  Scratch scratch;
  int links;
  const char **linked; /* the directory of link number i */
} Call;

static const char *link_path(const Call *c, int i) {
  return scratch_file(c->arena, &c->scratch, arena_printf(c->arena, "kgen_folder_%d_", i));
}

/* ptxas rejects PTX with file names that contain a quote: such a directory is accessed through a
 * link. NULL with errno set. */
static const char *reach(Call *c, const char *path) {
  const char *whole = absolute(c->arena, path);
  if (!whole || !strpbrk(whole, "\"\\\n\r")) return whole;
  const char *link = link_path(c, c->links);
  if (symlink(whole, link) != 0) return NULL;
  c->linked[c->links++] = path;
  return link;
}

static bool put_folder(Call *c, Text *out, const char *option, const char *path) {
  const char *folder = reach(c, path);
  if (folder) put_word(out, option, folder);
  return folder != NULL;
}

/* The program's directory comes first for quoted names, and last for names in angle brackets. */
static bool put_words(Call *c, Text *out, const NvccSource *s) {
  const char *folder = path_folder(c->arena, s->path);
  c->linked = ARENA_ARRAY(c->arena, const char *, (size_t)s->includes + 2);
  bool ok = put_folder(c, out, "-iquote", folder);
  for (int i = 0; i < s->includes; i++) ok = put_folder(c, out, "-I", s->include[i]) && ok;
  for (int i = 0; i < s->defines; i++) put_word(out, "-D", s->define[i]);
  return put_folder(c, out, "-I", folder) && ok;
}

static const char *replace_all(Arena *a, const char *text, const char *from, const char *to) {
  Text out = text_new(a);
  for (const char *at; (at = strstr(text, from)) != NULL; text = at + strlen(from)) {
    text_add(&out, text, (size_t)(at - text));
    text_puts(&out, to);
  }
  text_puts(&out, text);
  return out.s;
}

/* A name as nvcc writes it into PTX. */
static const char *escape(Arena *a, const char *name) {
  Text out = text_new(a);
  for (; *name; name++) {
    if (strchr("\"\\\n", *name)) text_puts(&out, "\\");
    text_add(&out, *name == '\n' ? "n" : name, 1);
  }
  return out.s;
}

/* Replaces the links by the directories' own names. */
static const char *restore_folders(const Call *c, const char *text, bool is_ptx) {
  for (int i = 0; i < c->links; i++) {
    const char *folder = is_ptx ? escape(c->arena, c->linked[i]) : c->linked[i];
    text = replace_all(c->arena, text, link_path(c, i), folder);
  }
  return text;
}

static bool write_file(const Call *c, const char *name, const char *text, Text *why) {
  const char *path = scratch_file(c->arena, &c->scratch, name);
  if (file_create(path, text, strlen(text))) return true;
  text_printf(why, "%s: %s", path, strerror(errno));
  return false;
}

static bool write_input(Call *c, const NvccSource *source, Text *why) {
  Text words = text_new(c->arena);
  const char *name = path_name(source->path);
  if (strpbrk(name, "\"\n\r")) {
    text_puts(why, "nvcc cannot include a file whose name holds a quote or a line break");
    return false;
  }
  if (!put_words(c, &words, source)) {
    text_printf(why, "%s: %s", source->path, strerror(errno));
    return false;
  }
  const char *text = arena_printf(c->arena, "#include \"%s\"\n%s", name, source->more);
  return write_file(c, WORDS, words.s, why) && write_file(c, SOURCE, text, why);
}

/* --- the call --- */

/* mode: -ptx, or -M for the list of included files. */
static WordList command(Arena *a, const char *nvcc, const NvccSource *s, const char *mode,
                        const char *out) {
  const char *const own[] = {"-Xcompiler", ("@" WORDS), "-o", out, SOURCE};
  WordList words = {.arena = a};
  word_list_add(&words, nvcc);
  word_list_add(&words, mode);
  for (int i = 0; i < s->options; i++) {
    if (!is_plain(s->option[i], "_=.+-,:/")) die("nvcc's option %s", s->option[i]);
    word_list_add(&words, s->option[i]);
  }
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) word_list_add(&words, own[i]);
  return words;
}

static const char *find_nvcc(Arena *a) {
  const char *path = library_toolkit_file(a, "bin/nvcc");
  const char *whole = path ? absolute(a, path) : NULL;
  return whole ? whole : "nvcc";
}

static bool open_call(Call *c, Text *why) {
  const char *parent = plain_parent(c->arena);
  if (scratch_open(c->arena, &c->scratch, parent)) return true;
  text_printf(why, "%s: no temporary folder: %s", parent, strerror(errno));
  return false;
}

/* The output of nvcc, or NULL. */
static const char *output(const Call *c, const char *name, bool is_ptx) {
  size_t size;
  const char *path = scratch_file(c->arena, &c->scratch, name);
  const char *text = file_read(c->arena, path, MAX_OUTPUT, &size);
  return text ? restore_folders(c, text, is_ptx) : NULL;
}

/* nvcc's exit status in that mode; -1 with the reason in *why. */
static int run(const Call *c, const NvccSource *s, const char *mode, const char *out, Text *why) {
  Arena *a = c->arena;
  return process_run(a, command(a, find_nvcc(a), s, mode, out).word,
                     scratch_file(a, &c->scratch, LOG), &c->scratch, s->wait, why);
}

/* --- the cache: its key is everything that PTX depends on --- */

/* Identifies a program of the toolkit by its size and modification time. */
static void put_program(Text *key, const char *name) {
  struct stat st;
  const char *path = library_toolkit_file(key->arena, name);
  if (path && stat(path, &st) == 0)
    text_printf(key, "%s %lld %lld\n", path, (long long)st.st_size, (long long)st.st_mtim.tv_sec);
}

static void put_lines(Text *key, const char *const *line, int count) {
  for (int i = 0; i < count; i++) text_printf(key, "%s\n", line[i]);
  text_puts(key, "\n");
}

/* The next name in a make rule, in which a backslash escapes blanks; NULL after the last. */
static const char *next_name(Arena *a, const char **at) {
  Text name = text_new(a);
  while (**at && strchr(" \\\n", **at) && !(**at == '\\' && (*at)[1] == ' ')) ++*at;
  for (; **at && !strchr(" \n", **at); ++*at) {
    if (**at == '\\' && ((*at)[1] == ' ' || (*at)[1] == '#')) ++*at;
    if (**at == '$' && (*at)[1] == '$') ++*at;
    text_add(&name, *at, 1);
  }
  return name.len ? name.s : NULL;
}

/* Adds a file's name, as the user knows it, and a hash of its contents; false if it cannot be
 * read. */
static bool put_file(const Call *c, Text *key, const char *name) {
  enum { MAX_FILE = 256 << 20 };
  size_t size;
  Arena *a = arena_new();
  const char *path = name[0] == '/' ? name : scratch_file(a, &c->scratch, name);
  const char *text = file_read(a, path, MAX_FILE, &size);
  if (text)
    text_printf(key, "%s %zu %016" PRIx64 "\n", restore_folders(c, name, false), size,
                hash_bytes(HASH_START, text, size));
  arena_free(a);
  return text != NULL;
}

/* A #line directive gives the following text a name, which nvcc lists like a file. There is no such
 * file; SOURCE contains the text. */
static bool is_of_more(const Call *c, const NvccSource *s, const char *name) {
  return strstr(s->more, arena_printf(c->arena, "\"%s\"", name)) != NULL;
}

/* NULL if nvcc does not list the included files: it will report the error when it compiles. */
static const char *cache_key(const Call *c, const NvccSource *s) {
  Arena *a = c->arena;
  Text key = text_new(a), nothing = text_new(a);
  if (!s->cache || !s->cache->folder || run(c, s, "-M", FILES, &nothing) != 0) return NULL;
  size_t size;
  const char *rule = file_read(a, scratch_file(a, &c->scratch, FILES), MAX_OUTPUT, &size);
  const char *at = rule ? strstr(rule, " : ") : NULL;
  if (!at) return NULL;
  text_printf(&key, "kgen %s\nnvcc\n%s\n", KGEN_VERSION, absolute(a, s->path));
  put_program(&key, "bin/nvcc");
  put_program(&key, "nvvm/bin/cicc");
  put_lines(&key, s->option, s->options);
  put_lines(&key, s->include, s->includes);
  put_lines(&key, s->define, s->defines);
  at += strlen(" : ");
  for (const char *name; (name = next_name(a, &at)) != NULL;)
    if (!is_of_more(c, s, name) && !put_file(c, &key, name)) return NULL;
  return key.s;
}

/* The value of an entry: the log, its NUL, the PTX. */
static bool from_cache(Arena *a, const NvccSource *s, const char *key, NvccResult *out) {
  size_t size;
  const char *value = key ? cache_get(a, s->cache, key, &size) : NULL;
  const char *end = value ? memchr(value, '\0', size) : NULL;
  if (!end) return false;
  *out = (NvccResult){.accepted = true,
                      .log = value,
                      .ptx = end + 1,
                      .size = size - (size_t)(end + 1 - value),
                      .cached = true};
  return true;
}

static void to_cache(Arena *a, const NvccSource *s, const char *key, const NvccResult *r) {
  Text value = text_new(a);
  if (!key || !r->accepted) return;
  text_add(&value, r->log, strlen(r->log) + 1);
  text_add(&value, r->ptx, r->size);
  cache_put(a, s->cache, key, value.s, value.len);
}

/* --- compiling --- */

static int compile(const Call *c, const NvccSource *s, NvccResult *out, Text *why) {
  const char *key = cache_key(c, s);
  if (from_cache(c->arena, s, key, out)) return 0;
  const int status = run(c, s, "-ptx", PTX, why);
  const char *log = output(c, LOG, false);
  *out = (NvccResult){.log = log ? log : ""};
  if (status == 0) out->ptx = output(c, PTX, true);
  if (out->ptx) out->size = strlen(out->ptx);
  out->accepted = out->ptx != NULL;
  out->no_host = !out->accepted && strstr(out->log, "host compiler properties") != NULL;
  to_cache(c->arena, s, key, out);
  return status;
}

bool nvcc_compile(Arena *a, const NvccSource *source, NvccResult *out, Text *why) {
  Call c = {.arena = a};
  *out = (NvccResult){.log = ""};
  if (!open_call(&c, why)) return false;
  const int status = write_input(&c, source, why) ? compile(&c, source, out, why) : -1;
  scratch_close(&c.scratch);
  return status >= 0;
}
