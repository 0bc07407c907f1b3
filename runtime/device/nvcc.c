#include "device/nvcc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"
#include "base/file.h"
#include "device/child.h"
#include "device/library.h"

enum { MAX_OUTPUT = 256 << 20, MAX_PATH = 4096 };

/* In the scratch folder of one call, where nvcc is started: bare names need no quotes. The source
 * is called as no user's file is, which would be included in its place. */
#define SOURCE "kgen_nvcc_source.cu"
#define WORDS  "kgen_nvcc_words"
#define PTX    "kgen_nvcc_ptx"
#define LOG    "kgen_nvcc_log"

/* --- names that a shell leaves alone --- */

static bool is_plain(const char *s, const char *marks) {
  for (; *s; s++)
    if (!isalnum((unsigned char)*s) && !strchr(marks, *s)) return false;
  return true;
}

/* $TMPDIR, else /tmp: nvcc writes the folder's path into its commands. */
static const char *scratch_parent(Arena *a) {
  char path[MAX_PATH];
  const char *given = getenv("TMPDIR");
  if (!given || !*given) return "/tmp";
  if (given[0] == '/') return is_plain(given, "/._-+") ? given : "/tmp";
  if (!getcwd(path, sizeof path) || !is_plain(path, "/._-+") || !is_plain(given, "/._-+"))
    return "/tmp";
  return arena_printf(a, "%s/%s", path, given);
}

/* --- what users named: the preprocessor reads it from a file, which no shell sees --- */

/* GNU's response files: words apart by white space, any character literal behind a backslash. */
static void put_word(Text *out, const char *option, const char *value) {
  text_puts(out, option);
  for (; *value; value++) {
    if (!isalnum((unsigned char)*value) && !strchr("/._-=", *value)) text_puts(out, "\\");
    text_add(out, value, 1);
  }
  text_puts(out, "\n");
}

/* The working folder before a relative path; NULL with errno set. */
static const char *absolute(Arena *a, const char *path) {
  char here[MAX_PATH];
  if (path[0] == '/') return path;
  return getcwd(here, sizeof here) ? arena_printf(a, "%s/%s", here, path) : NULL;
}

/* One call. */
typedef struct {
  Arena *arena;
  Scratch scratch;
  int links;
  const char **linked; /* the folder that link number i stands for */
} Call;

static const char *link_path(const Call *c, int i) {
  return scratch_file(c->arena, &c->scratch, arena_printf(c->arena, "kgen_folder_%d_", i));
}

/* ptxas rejects the names of files that nvcc puts into PTX where they hold a quote: such a folder
 * is reached by a link. NULL with errno set. */
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

/* The program's folder comes first for quoted names, and last for those in angle brackets. */
static bool put_words(Call *c, Text *out, const NvccSource *s) {
  const char *slash = strrchr(s->path, '/');
  const char *folder = !slash ? "."
                       : slash == s->path
                           ? "/"
                           : arena_strndup(c->arena, s->path, (size_t)(slash - s->path));
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

/* As nvcc writes names into PTX. */
static const char *escape(Arena *a, const char *name) {
  Text out = text_new(a);
  for (; *name; name++) {
    if (strchr("\"\\\n", *name)) text_puts(&out, "\\");
    text_add(&out, *name == '\n' ? "n" : name, 1);
  }
  return out.s;
}

/* The folders' own names in place of their links. */
static const char *restore_folders(const Call *c, const char *text, bool is_ptx) {
  for (int i = 0; i < c->links; i++) {
    const char *folder = is_ptx ? escape(c->arena, c->linked[i]) : c->linked[i];
    text = replace_all(c->arena, text, link_path(c, i), folder);
  }
  return text;
}

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool write_file(const Call *c, const char *name, const char *text, Text *why) {
  const char *path = scratch_file(c->arena, &c->scratch, name);
  if (file_create(path, text, strlen(text))) return true;
  text_printf(why, "%s: %s", path, strerror(errno));
  return false;
}

static bool write_input(Call *c, const NvccSource *source, Text *why) {
  Text words = text_new(c->arena);
  const char *name = name_of(source->path);
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

static const char **command(Arena *a, const char *nvcc, const NvccSource *s) {
  static const char *const own[] = {"-Xcompiler", ("@" WORDS), "-o", PTX, SOURCE};
  enum { OWN = sizeof own / sizeof *own };
  const char **word = ARENA_ARRAY(a, const char *, (size_t)s->options + OWN + 3);
  int n = 0;
  word[n++] = nvcc;
  word[n++] = "-ptx";
  for (int i = 0; i < s->options; i++) {
    if (!is_plain(s->option[i], "_=.+-,:/")) die("nvcc's option %s", s->option[i]);
    word[n++] = s->option[i];
  }
  for (int i = 0; i < OWN; i++) word[n++] = own[i];
  return word;
}

static const char *find_nvcc(Arena *a) {
  const char *path = library_toolkit_file(a, "bin/nvcc");
  const char *whole = path ? absolute(a, path) : NULL;
  return whole ? whole : "nvcc";
}

static bool open_call(Call *c, Text *why) {
  const char *parent = scratch_parent(c->arena);
  if (scratch_open(c->arena, &c->scratch, parent)) return true;
  text_printf(why, "%s: no temporary folder: %s", parent, strerror(errno));
  return false;
}

/* What nvcc wrote, or NULL. */
static const char *output(const Call *c, const char *name, bool is_ptx) {
  size_t size;
  const char *path = scratch_file(c->arena, &c->scratch, name);
  const char *text = file_read(c->arena, path, MAX_OUTPUT, &size);
  return text ? restore_folders(c, text, is_ptx) : NULL;
}

bool nvcc_compile(Arena *a, const NvccSource *source, NvccResult *out, Text *why) {
  Call c = {.arena = a};
  if (!open_call(&c, why)) return false;
  int status = -1;
  if (write_input(&c, source, why))
    status = child_run(a, command(a, find_nvcc(a), source), scratch_file(a, &c.scratch, LOG),
                       &c.scratch, source->wait, why);
  const char *log = output(&c, LOG, false);
  *out = (NvccResult){.log = log ? log : ""};
  if (status == 0) out->ptx = output(&c, PTX, true);
  if (out->ptx) out->size = strlen(out->ptx);
  out->accepted = out->ptx != NULL;
  scratch_close(&c.scratch);
  return status >= 0;
}
