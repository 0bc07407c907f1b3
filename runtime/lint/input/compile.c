/* SPDX-License-Identifier: MIT */
#include "lint/input/compile.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/word_list.h"
#include "command/progress.h"
#include "device/library.h"
#include "device/nvcc.h"
#include "device/nvrtc.h"
#include "lint/input/flag.h"
#include "lint/input/signature.h"
#include "lint/input/template.h"

/* A variable that holds the address of a kernel named by --kernel, so that the compiler
 * instantiates it. Its initializer in the PTX gives the kernel's PTX name. */
#define PROBE "kgen_lint_kernel_%d"

/* The expression that the compiler resolves to the kernel, or "". */
static const char *probe_for(Arena *a, const LintKernelName *k, int number) {
  if (!lint_signature_needs_compiler(k)) return "";
  if (k->params)
    return arena_printf(a, "\n#line 1 \"--kernel\"\n__device__ void (*" PROBE ")%s = &(%s);\n",
                        number, k->params, k->name);
  return arena_printf(a, "\n#line 1 \"--kernel\"\n__device__ auto " PROBE " = &(%s);\n", number,
                      k->name);
}

/* Reads the kernel's PTX name from the probe, and turns the probe into a comment. */
static const char *take_probe(Arena *a, LintSource *s, int number) {
  const char *probe = arena_printf(a, PROBE " = ", number);
  char *ptx = arena_strndup(a, s->ptx, s->ptx_size);
  char *at = strstr(ptx, probe);
  if (!at) return NULL;
  const char *name = at + strlen(probe);
  const char *lowered = arena_strndup(a, name, strcspn(name, "; \n"));
  while (at > ptx && at[-1] != '\n') at--;
  memcpy(at, "//", 2);
  s->ptx = ptx;
  return lowered;
}

static int accept(const Options *o, LintSource *s, const char *ptx, size_t size, const char *log,
                  Diag *why) {
  if (o->verbose) diag_output(why, log, strlen(log));
  s->ptx = ptx;
  s->ptx_size = size;
  return 0;
}

/* --- options --- */

/* The options of both compilers. */
static WordList common_options(const Options *o, const LintSource *s) {
  WordList w = {.arena = s->arena};
  word_list_printf(&w, "-arch=compute%s", strchr(s->arch, '_'));
  word_list_printf(&w, "-std=%s", o->lint.std);
  word_list_add(&w, "-lineinfo");
  for (int i = 0; i < o->lint.flag.count; i++)
    word_list_add(&w, lint_flag_word(s->arena, o->lint.flag.item[i]));
  return w;
}

/* Include directories of cuda_fp16.h and the like, which nvcc finds by itself. */
static WordList nvrtc_options(const Options *o, const LintSource *s) {
  Arena *a = s->arena;
  WordList w = common_options(o, s);
  const char *header = library_toolkit_file(a, "include/cuda_fp16.h");
  for (int i = 0; i < o->lint.include.count; i++)
    word_list_printf(&w, "-I%s", o->lint.include.item[i]);
  for (int i = 0; i < o->lint.define.count; i++)
    word_list_printf(&w, "-D%s", o->lint.define.item[i]);
  word_list_printf(&w, "-I%s", path_folder(a, s->path));
  word_list_add(&w, "-device-int128");  /* nvcc has it by default */
  word_list_add(&w, "-default-device"); /* also generic lambdas and unannotated helpers */
  if (!header) return w;
  const char *include = path_folder(a, header);
  word_list_printf(&w, "-I%s", include);
  word_list_printf(&w, "-I%s/cccl", include); /* since CUDA 13 */
  return w;
}

static WordList nvcc_options(const Options *o, const LintSource *s) {
  WordList w = common_options(o, s);
  word_list_add(&w, "--expt-relaxed-constexpr"); /* NVRTC has it by default */
  word_list_add(&w, "--extended-lambda");
  return w;
}

/* --- the two compilers --- */

/* Opens the cache; if that fails, nothing is cached. */
static Cache open_cache(const Options *o, Arena *a) {
  Text why = text_new(a);
  return o->no_cache ? (Cache){0} : cache_open(a, &why);
}

static void tell_nvcc(void *progress) { progress_tell(progress, "nvcc compiles", 0, 0); }

static bool try_nvcc(const Options *o, const LintSource *s, const char *probe, NvccResult *out,
                     Text *why) {
  if (o->lint.text) {
    text_puts(why, "nvcc compiles files, and this is a text");
    return false;
  }
  const WordList w = nvcc_options(o, s);
  const Cache cache = open_cache(o, s->arena);
  Progress progress;
  progress_start(&progress, isatty(STDERR_FILENO) && !o->quiet);
  const NvccSource source = {.path = s->path,
                             .more = probe,
                             .option = w.word,
                             .options = w.count,
                             .include = o->lint.include.item,
                             .includes = o->lint.include.count,
                             .define = o->lint.define.item,
                             .defines = o->lint.define.count,
                             .wait = {tell_nvcc, &progress},
                             .cache = &cache};
  const bool ran = nvcc_compile(s->arena, &source, out, why);
  progress_end(&progress);
  return ran;
}

static bool lacks_header(const char *log) {
  return strstr(log, "cannot open source file") || strstr(log, "could not open source file") ||
         strstr(log, "No such file or directory");
}

/* Explains an error at the probe's expression, where the compiler only reports that it has no
 * type. */
static void explain_kernel(const LintSource *s, const LintKernelName *k, const char *log,
                           Diag *why) {
  Text list = text_new(s->arena);
  if (!strstr(log, "--kernel(")) return;
  if (!k->params && lint_template_choices(s, k->name, &list) > 1) {
    diag_say(why, DIAG_ARGUMENT, "--kernel '%s' may be any of these: give its parameters, too",
             k->name);
    diag_more(why, list.s);
    return;
  }
  list = text_new(s->arena);
  const bool any = lint_template_list(s, k->name, &list);
  diag_say(why, DIAG_ARGUMENT, "--kernel '%s%s' names no kernel%s", k->name,
           k->params ? k->params : "",
           any ? "; the file declares" : " that the file declares; it may need its namespace");
  diag_more(why, list.s);
}

/* True if ptxas reported it, for PTX that nvcc checks; NVRTC's PTX is rejected by the emulator, as
 * a module. */
static bool lacks_target(const char *log) { return strstr(log, "not supported on .target"); }

static int reject(const Options *o, LintSource *s, const LintKernelName *k, const char *compiler,
                  const char *log, Diag *why) {
  s->lacks_target = lacks_target(log);
  diag_log(why, log);
  explain_kernel(s, k, log, why);
  if (lacks_header(log))
    diag_hint(why, "give --include DIR%s",
              strcmp(compiler, "NVRTC") == 0
                  ? " for device headers; NVRTC has no C++ standard library: with nvcc in "
                    "$CUDA_HOME/bin or $PATH, whole programs are taken"
                  : "");
  for (int i = 0; i < o->lint.flag.count; i++) {
    const char *flag = o->lint.flag.item[i];
    if (*flag != '-' && strstr(log, arena_printf(s->arena, "option --%s found", flag)))
      diag_hint(why, "names that compilers have short need their dash: --flag -%s", flag);
  }
  diag_say(why, DIAG_REJECTED, "%s rejects %s", compiler, s->path);
  return EXIT_REJECTED;
}

/* Reports that nvcc cannot start its host compiler, which is not the source's error. */
static int report_no_host(const char *log, Diag *why) {
  diag_output(why, log, strlen(log));
  diag_say(why, DIAG_REJECTED, "nvcc cannot start its host compiler");
  diag_hint(why, "nvcc needs gcc and g++ in $PATH, or what $NVCC_CCBIN names");
  return EXIT_FAILED;
}

/* Tries NVRTC first, which takes a third of nvcc's time but accepts no host code. If both reject
 * the source, nvcc's log is shown only if NVRTC failed at a header. */
static int compile(const Options *o, LintSource *s, const LintKernelName *k, const char *probe,
                   Diag *why) {
  Arena *a = s->arena;
  const WordList w = nvrtc_options(o, s);
  const NvrtcSource input = {s->path, arena_printf(a, "%s%s", s->text, probe), w.word, w.count,
                             true};
  NvrtcResult first = {0};
  NvccResult second = {0};
  Text no_nvrtc = text_new(a), no_nvcc = text_new(a);
  const bool ran = nvrtc_compile(a, &input, &first, &no_nvrtc);
  if (ran && first.accepted)
    return accept(o, s, first.image, strnlen(first.image, first.size), first.log, why);
  const bool ran_nvcc = try_nvcc(o, s, probe, &second, &no_nvcc);
  if (second.cached && o->verbose) diag_note(why, "nvcc's PTX was in the cache");
  if (ran_nvcc && second.accepted) return accept(o, s, second.ptx, second.size, second.log, why);
  if (second.no_host && (!ran || lacks_header(first.log))) return report_no_host(second.log, why);
  if (ran_nvcc && (!ran || lacks_header(first.log)))
    return reject(o, s, k, "nvcc", second.log, why);
  if (ran && !ran_nvcc && lacks_header(first.log)) diag_note(why, "%s", no_nvcc.s);
  if (ran) return reject(o, s, k, "NVRTC", first.log, why);
  diag_say(why, DIAG_REJECTED, "NVRTC cannot be used, nor nvcc: a .ptx file needs neither");
  diag_more(why, arena_printf(a, "  %s\n  %s\n", no_nvrtc.s, no_nvcc.s));
  return EXIT_FAILED;
}

static int compile_one(const Options *o, LintSource *s, const LintKernelName *k, Diag *why) {
  const int code = compile(o, s, k, probe_for(s->arena, k, 0), why);
  if (!code) s->instance = take_probe(s->arena, s, 0);
  return code;
}

/* A mangled name may belong to a template, which is instantiated only through an expression; the
 * signature in the name provides one. */
int lint_compile(const Options *o, LintSource *s, Diag *why) {
  const LintKernelName k = lint_signature_read(s->arena, o->lint.kernel ? o->lint.kernel : "");
  const int code = compile_one(o, s, &k, why);
  if (code || !k.is_mangled || strstr(s->ptx, k.name)) return code;
  const char *signature = lint_signature_of(s->arena, k.name);
  if (!signature) return 0;
  const LintKernelName other = lint_signature_read(s->arena, signature);
  LintSource with = *s;
  Diag *nothing = diag_new(s->arena);
  if (compile_one(o, &with, &other, nothing) == 0) *s = with;
  return 0;
}

/* --- several kernels at once --- */

static bool has(const LintBuild *b, const char *kernel) {
  for (int i = 0; i < b->kernels; i++)
    if (strcmp(b->kernel[i], kernel) == 0) return true;
  return false;
}

/* Returns the expressions of all kernels that need one, and adds these kernels to the build. */
static const char *probe_for_all(Arena *a, LintBuild *b, int kernels, const char *const *kernel) {
  Text all = text_new(a);
  for (int i = 0; i < kernels; i++) {
    if (!kernel[i] || has(b, kernel[i])) continue;
    const LintKernelName k = lint_signature_read(a, kernel[i]);
    const char *probe = probe_for(a, &k, b->kernels);
    if (!*probe) continue;
    text_puts(&all, probe);
    b->kernel[b->kernels++] = kernel[i];
  }
  return all.s;
}

const LintBuild *lint_compile_all(Arena *a, const Options *o, int kernels,
                                  const char *const *kernel) {
  static const LintKernelName several = {.name = ""};
  LintBuild *b = ARENA_NEW(a, LintBuild);
  b->kernel = ARENA_ARRAY(a, const char *, (size_t)kernels + 1);
  b->instance = ARENA_ARRAY(a, const char *, (size_t)kernels + 1);
  LintSource s;
  Diag *nothing = diag_new(a);
  const char *probe = probe_for_all(a, b, kernels, kernel);
  if (b->kernels < 2 || !lint_flag_check(o, nothing) || lint_source_load(a, o, &s, nothing) ||
      s.is_ptx || compile(o, &s, &several, probe, nothing))
    return NULL;
  for (int i = 0; i < b->kernels; i++) {
    b->instance[i] = take_probe(a, &s, i);
    if (!b->instance[i]) return NULL;
  }
  b->arch = s.arch;
  b->ptx = s.ptx;
  b->ptx_size = s.ptx_size;
  return b;
}

bool lint_compile_take(const LintBuild *b, const char *kernel, LintSource *s) {
  if (!b || !kernel || strcmp(b->arch, s->arch) != 0) return false;
  for (int i = 0; i < b->kernels; i++) {
    if (strcmp(b->kernel[i], kernel) != 0) continue;
    s->ptx = b->ptx;
    s->ptx_size = b->ptx_size;
    s->instance = b->instance[i];
    return true;
  }
  return false;
}
