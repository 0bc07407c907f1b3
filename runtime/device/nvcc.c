#include "device/nvcc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "device/child.h"
#include "device/library.h"

enum { MAX_OUTPUT = 256 << 20 };

/* What lies in the scratch folder of one call. */
typedef struct {
  const char *source, *ptx, *log;
} Files;

static bool open_scratch(Arena *a, Scratch *s, Files *f, Text *why) {
  const char *parent = getenv("TMPDIR");
  if (!parent || !*parent) parent = "/tmp";
  if (!scratch_open(a, s, parent)) {
    text_printf(why, "%s: no temporary folder: %s", parent, strerror(errno));
    return false;
  }
  *f = (Files){scratch_file(a, s, "source.cu"), scratch_file(a, s, "ptx"),
               scratch_file(a, s, "log")};
  return true;
}

static bool write_source(const char *path, const char *text, Text *why) {
  if (file_create(path, text, strlen(text))) return true;
  text_printf(why, "%s: %s", path, strerror(errno));
  return false;
}

static const char **command(Arena *a, const char *nvcc, const Files *f, const char *const *option,
                            int options) {
  const char **word = ARENA_ARRAY(a, const char *, (size_t)options + 6);
  int n = 0;
  word[n++] = nvcc;
  word[n++] = "-ptx";
  for (int i = 0; i < options; i++) word[n++] = option[i];
  word[n++] = "-o";
  word[n++] = f->ptx;
  word[n++] = f->source;
  return word;
}

bool nvcc_compile(Arena *a, const char *text, const char *const *option, int options,
                  NvccResult *out, Text *why) {
  Scratch s;
  Files f;
  const char *nvcc = library_toolkit_file(a, "bin/nvcc");
  if (!open_scratch(a, &s, &f, why)) return false;
  int status = -1;
  if (write_source(f.source, text, why))
    status = child_run(command(a, nvcc ? nvcc : "nvcc", &f, option, options), f.log, &s, why);
  size_t length;
  const char *log = file_read(a, f.log, MAX_OUTPUT, &length);
  *out = (NvccResult){.log = log ? log : ""};
  if (status == 0) out->ptx = file_read(a, f.ptx, MAX_OUTPUT, &out->size);
  out->accepted = out->ptx != NULL;
  scratch_close(&s);
  return status >= 0;
}
