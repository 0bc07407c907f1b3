/* SPDX-License-Identifier: MIT */
#include "lint/input/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "lint/input/file_value.h"
#include "spec/spec_schema.h"

enum { MAX_EXTENT = INT32_MAX, MAX_LAUNCHES = 1000 };

/* The file while it is read. `out` holds what its launches share, then one launch after another. */
typedef struct {
  FileReader r;
  const Options *given; /* on the command line */
  Options common;
  const char *chosen; /* --kernel: of which launches; NULL: of all */
  int named;          /* launches with a name so far, chosen or not */
  const Yaml **name;
  LintFileLaunch *out;
  LintFile *file;
} Reading;

/* --- which file --- */

const char *lint_file_path(Arena *a, const char *path) {
  if (folder_exists(path)) {
    const char *within = arena_printf(a, "%s/" LINT_FILE_NAME, path);
    return access(within, F_OK) == 0 ? within : NULL;
  }
  return text_ends_with(path, ".yaml") || text_ends_with(path, ".yml") ? path : NULL;
}

const char *lint_file_within(Arena *a, const char *path) {
  struct dirent **entry;
  const char *first = NULL;
  const int count = scandir(path, &entry, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    const char *within = arena_printf(a, "%s/%s", path, entry[i]->d_name);
    const bool launch = entry[i]->d_name[0] != '.' && folder_exists(within);
    if (!first && launch && lint_file_path(a, within)) first = within;
    free(entry[i]);
  }
  if (count >= 0) free(entry);
  return first;
}

/* --- what all launches share --- */

static const char *std_word(int i) {
  static const char *const names[] = {"c++11", "c++14", "c++17", "c++20"};
  return i < 4 ? names[i] : NULL;
}

static void read_version(void *to, const Key *key, const Yaml *value) {
  const Reading *f = to;
  int version;
  key_number(&f->r.in, key, value, &version);
}

static void read_source(void *to, const Key *key, const Yaml *value) {
  Reading *f = to;
  (void)key;
  if (!value) return;
  const char *file = path_beside(f->r.in.arena, f->r.path, value->text);
  const int why = folder_exists(file) ? EISDIR : access(file, R_OK) != 0 ? errno : 0;
  if (why) diag_error(f->r.in.diag, value->loc, "%s: %s", value->text, strerror(why));
  f->common.lint.file = file;
}

/* The command line takes precedence over the file. */
static void read_arch(void *to, const Key *key, const Yaml *value) {
  Reading *f = to;
  (void)key;
  if (!value) return;
  const char **names = ARENA_ARRAY(f->r.in.arena, const char *, (size_t)arch_count);
  for (int i = 0; i < arch_count; i++) names[i] = arch_choice(i);
  const int i = read_choice(&f->r.in, value, "arch", names, arch_count);
  if (i >= 0 && !f->given->arch) f->common.arch = &arch_table[i];
}

static void read_std(void *to, const Key *key, const Yaml *value) {
  Reading *f = to;
  const char *names[] = {std_word(0), std_word(1), std_word(2), std_word(3)};
  (void)key;
  const int i = value ? read_choice(&f->r.in, value, "std", names, 4) : -1;
  if (i >= 0) f->common.lint.std = names[i];
}

/* The file's options come before those on the command line. */
static void read_words(Reading *f, const Key *key, const Yaml *value, bool folder,
                       OptionList *out) {
  OptionList all = {0};
  for (int i = 0; value && i < value->count; i++) {
    const Yaml *word = value->item[i];
    if (!expect_kind(&f->r.in, word, key->name, YAML_TEXT)) continue;
    option_list_add(f->r.in.arena, &all,
                    folder ? path_beside(f->r.in.arena, f->r.path, word->text) : word->text);
  }
  for (int i = 0; i < out->count; i++) option_list_add(f->r.in.arena, &all, out->item[i]);
  *out = all;
}

static void read_include(void *to, const Key *key, const Yaml *value) {
  read_words(to, key, value, true, &((Reading *)to)->common.lint.include);
}

static void read_define(void *to, const Key *key, const Yaml *value) {
  read_words(to, key, value, false, &((Reading *)to)->common.lint.define);
}

static void read_flags(void *to, const Key *key, const Yaml *value) {
  read_words(to, key, value, false, &((Reading *)to)->common.lint.flag);
}

static void take_count(const Reading *f, const Key *key, const Yaml *value, uint64_t *out) {
  if (value) lint_file_count(&f->r, value, key->name, key->min, key->max, out);
}

static void read_seed(void *to, const Key *key, const Yaml *value) {
  take_count(to, key, value, &((Reading *)to)->common.seed);
}

/* --- a launch --- */

static void read_launch_name(void *to, const Key *key, const Yaml *value) {
  Reading *f = to;
  (void)key;
  if (!value) return;
  f->out->launch.name = value->text;
  for (int i = 0; i < f->named; i++)
    if (strcmp(f->name[i]->text, value->text) == 0)
      diag_error(f->r.in.diag, value->loc, "the launch on line %d is called '%s', too",
                 f->name[i]->loc.line, value->text);
  f->name[f->named++] = value;
}

static void read_kernel(void *to, const Key *key, const Yaml *value) {
  Reading *f = to;
  (void)key;
  if (value) f->out->options.lint.kernel = value->text;
}

/* One number, or up to three; what is left out is 1. */
static void read_extents(const Reading *f, const Key *key, const Yaml *value, uint32_t out[3]) {
  if (!value) return;
  const bool list = value->kind == YAML_LIST;
  if (list && (value->count < 1 || value->count > 3)) {
    diag_error(f->r.in.diag, value->loc, "%s has %d dimensions, but must have 1 to 3", key->name,
               value->count);
    return;
  }
  out[0] = out[1] = out[2] = 1;
  for (int d = 0; d < (list ? value->count : 1); d++) {
    uint64_t v = 1;
    lint_file_count(&f->r, list ? value->item[d] : value, key->name, 1, MAX_EXTENT, &v);
    out[d] = (uint32_t)v;
  }
}

static void read_grid(void *to, const Key *key, const Yaml *value) {
  read_extents(to, key, value, ((Reading *)to)->out->launch.grid);
}

static void read_block(void *to, const Key *key, const Yaml *value) {
  read_extents(to, key, value, ((Reading *)to)->out->launch.block);
}

static void read_cluster(void *to, const Key *key, const Yaml *value) {
  read_extents(to, key, value, ((Reading *)to)->out->launch.cluster);
}

static void read_smem(void *to, const Key *key, const Yaml *value) {
  Reading *f = to;
  uint64_t bytes = 0;
  take_count(f, key, value, &bytes);
  f->out->launch.smem = (uint32_t)bytes;
}

static void read_programmatic(void *to, const Key *key, const Yaml *value) {
  Reading *f = to;
  bool programmatic = false;
  if (!value || !read_bool(&f->r.in, value, key->name, &programmatic)) return;
  f->out->launch.programmatic = programmatic;
  if (programmatic && f->out == f->file->launch)
    diag_error(f->r.in.diag, value->loc,
               "programmatic: the first launch has none before it, so leave this out");
}

static void read_max_conflicts(void *to, const Key *key, const Yaml *value) {
  Reading *f = to;
  uint64_t most = 0;
  if (!value || f->given->lint.max_conflicts >= 0) return;
  take_count(f, key, value, &most);
  f->out->launch.max_conflicts = (int64_t)most;
}

static void read_max_steps(void *to, const Key *key, const Yaml *value) {
  take_count(to, key, value, &((Reading *)to)->out->launch.max_steps);
}

static void read_launch_seed(void *to, const Key *key, const Yaml *value) {
  take_count(to, key, value, &((Reading *)to)->out->launch.seed);
}

static void read_args(void *to, const Key *key, const Yaml *value) {
  Reading *f = to;
  LintLaunch *l = &f->out->launch;
  LintValue *arg;
  if (value && lint_file_values(&f->r, value, key->name, &l->args, &arg)) l->arg = arg;
}

/* Only buffers, textures and surfaces may be given in addition to the arguments: nothing could use
 * a number. */
static void read_memory(void *to, const Key *key, const Yaml *value) {
  Reading *f = to;
  LintLaunch *l = &f->out->launch;
  if (!value || !expect_kind(&f->r.in, value, key->name, YAML_LIST)) return;
  LintValue *memory = ARENA_ARRAY(f->r.in.arena, LintValue, (size_t)value->count + 1);
  l->memories = value->count;
  l->memory = memory;
  for (int i = 0; i < l->memories; i++)
    if (lint_file_value(&f->r, value->item[i], &memory[i]) && memory[i].kind != LINT_BUF &&
        memory[i].kind != LINT_IMAGE)
      diag_error(f->r.in.diag, memory[i].loc,
                 "memory holds buffers, with 'bytes', 'count' or 'hold', textures and surfaces");
}

static void read_variables(void *to, const Key *key, const Yaml *value) {
  Reading *f = to;
  LintLaunch *l = &f->out->launch;
  (void)key;
  if (!value) return;
  LintVariable *v = ARENA_ARRAY(f->r.in.arena, LintVariable, (size_t)value->count + 1);
  for (int i = 0; i < value->count; i++) {
    v[i].name = value->pair[i].key->text;
    lint_file_variable(&f->r, value->pair[i].value, &v[i].value, &v[i].filled);
  }
  l->variables = value->count;
  l->variable = v;
}

static void read_expect(void *to, const Key *key, const Yaml *value) {
  Reading *f = to;
  LintLaunch *l = &f->out->launch;
  (void)key;
  if (!value) return;
  LintExpect *e = ARENA_ARRAY(f->r.in.arena, LintExpect, (size_t)value->count + 1);
  for (int i = 0; i < value->count; i++) {
    lint_file_expect(&f->r, value->pair[i].value, &e[i]);
    e[i].want.name = value->pair[i].key->text;
  }
  l->expects = value->count;
  l->expect = e;
}

// clang-format off
static const Key launch_keys[] = {
    {.name = "name", .kind = VALUE_TEXT, .read = read_launch_name,
     .about = "what reports and --kernel call the launch; default: the kernel"},
    {.name = "kernel", .kind = VALUE_TEXT, .read = read_kernel,
     .about = "its name, as --kernel takes it; of a source with one kernel not needed"},
    {.name = "grid", .required = true, .read = read_grid, .about = "blocks: x, or [x, y, z]",
     .shape = {.kinds = 1 << VALUE_EXPR | 1 << VALUE_LIST, .item = VALUE_EXPR, .fewest = 1, .most = 3, .least = 1}},
    {.name = "block", .required = true, .read = read_block, .about = "threads per block: x, or [x, y, z]",
     .shape = {.kinds = 1 << VALUE_EXPR | 1 << VALUE_LIST, .item = VALUE_EXPR, .fewest = 1, .most = 3, .least = 1}},
    {.name = "cluster", .read = read_cluster, .about = "blocks of a cluster; default: what the kernel declares",
     .shape = {.kinds = 1 << VALUE_EXPR | 1 << VALUE_LIST, .item = VALUE_EXPR, .fewest = 1, .most = 3, .least = 1}},
    {.name = "smem", .kind = VALUE_EXPR, .max = INT32_MAX, .read = read_smem,
     .about = "dynamic shared memory, in bytes; default 0"},
    {.name = "seed", .kind = VALUE_EXPR, .max = INT64_MAX, .read = read_launch_seed,
     .about = "of what is random; default: the file's"},
    {.name = "args", .kind = VALUE_LIST, .read = read_args,
     .about = "one a parameter: text as --arg has it, {i32: 1}, or a map",
     .shape = {.table = &lint_value_table, .values = true}},
    {.name = "memory", .kind = VALUE_LIST, .read = read_memory,
     .about = "buffers that no argument is, each at its address: what a saved launch points to",
     .shape = {.table = &lint_value_table, .values = true}},
    {.name = "variables", .kind = VALUE_MAP, .read = read_variables,
     .about = "what __constant__ and __device__ variables hold, by name"},
    {.name = "expect", .kind = VALUE_MAP, .read = read_expect,
     .about = "what buffers, by name or argument, must hold after the launch: a file, or a map"},
    {.name = "programmatic", .kind = VALUE_BOOL, .read = read_programmatic,
     .about = "begins before the launch before it has ended, as with cudaLaunchAttributeProgrammaticStreamSerialization; it has "
              "that launch's memory, and `at` names its buffers"},
    {.name = "max_conflicts", .kind = VALUE_EXPR, .max = INT64_MAX, .read = read_max_conflicts,
     .about = "wavefronts above the ideal that are not a failure; default: any"},
    {.name = "max_steps", .kind = VALUE_EXPR, .min = 1, .max = INT64_MAX, .read = read_max_steps,
     .about = "instructions that a warp may execute; default 2^24"},
};
KEY_TABLE(launch_table, launch_keys);

static const Key file_keys[] = {
    {.name = "version", .kind = VALUE_NUMBER, .min = 1, .max = 1, .required = true,
     .read = read_version, .about = "1"},
    {.name = "source", .kind = VALUE_TEXT, .required = true, .read = read_source,
     .about = "the .cu or .ptx file, from this file's folder"},
    {.name = "arch", .kind = VALUE_TEXT, .read = read_arch, .about = "of the device; default: of PTX its target, else sm_90",
     .shape = {.choice = arch_choice}},
    {.name = "std", .kind = VALUE_TEXT, .read = read_std, .about = "C++ standard; default c++17",
     .shape = {.choice = std_word}},
    {.name = "include", .kind = VALUE_LIST, .read = read_include, .about = "folders of headers, from this file's folder"},
    {.name = "define", .kind = VALUE_LIST, .read = read_define, .about = "macros: NAME or NAME=V"},
    {.name = "flags", .kind = VALUE_LIST, .read = read_flags, .about = "of NVRTC and nvcc, as --flag takes them"},
    {.name = "seed", .kind = VALUE_EXPR, .max = INT64_MAX, .read = read_seed, .about = "of what is random; default 1"},
    {.name = "launches", .kind = VALUE_LIST, .max = MAX_LAUNCHES, .required = true,
     .about = "of its kernels", .shape = {.table = &launch_table, .fewest = 1}},
};
// clang-format on
static const KeyTable lint_file_table = {file_keys, sizeof file_keys / sizeof *file_keys, NULL, 0};

void lint_file_schema(Text *out) {
  spec_schema_of(&lint_file_table, "a lint.yaml of kgen " KGEN_VERSION, out);
}

/* --- the whole file --- */

/* Extents are spelled as on the command line. */
static const char *extents_text(Arena *a, const uint32_t v[3]) {
  return arena_printf(a, "%u,%u,%u", v[0], v[1], v[2]);
}

static bool is_chosen(const Reading *f, const LintFileLaunch *l) {
  if (!f->chosen) return true;
  return (l->launch.name && strcmp(l->launch.name, f->chosen) == 0) ||
         (l->options.lint.kernel && strcmp(l->options.lint.kernel, f->chosen) == 0);
}

static void read_launch(Reading *f, const Yaml *node) {
  Arena *a = f->r.in.arena;
  LintFileLaunch *l = f->out = &f->file->launch[f->file->launches];
  if (!expect_kind(&f->r.in, node, "a launch", YAML_MAP)) return;
  *l = (LintFileLaunch){.options = f->common,
                        .launch = {.max_steps = f->common.lint.max_steps,
                                   .max_conflicts = f->given->lint.max_conflicts,
                                   .seed = f->common.seed,
                                   .loc = node->loc}};
  keys_take(&f->r.in, node, &launch_table, node->loc, "a launch", f);
  const char *threads = lint_args_refusal(a, &l->launch);
  if (threads) diag_error(f->r.in.diag, node->loc, "%s", threads);
  l->options.lint.grid = extents_text(a, l->launch.grid);
  l->options.lint.block = extents_text(a, l->launch.block);
  if (!l->launch.name) l->launch.name = l->options.lint.kernel;
  l->chosen = is_chosen(f, l);
  f->file->launches++;
}

/* Keeps the launches that are chosen, and those that they begin early after. */
static void choose(Reading *f) {
  LintFile *file = f->file;
  int kept = 0;
  for (int i = file->launches - 1; i > 0; i--)
    file->launch[i - 1].chosen |= file->launch[i].chosen && file->launch[i].launch.programmatic;
  for (int i = 0; i < file->launches; i++)
    if (file->launch[i].chosen) file->launch[kept++] = file->launch[i];
  file->launches = kept;
}

static void chain(Reading *f) {
  for (int i = 1; i < f->file->launches; i++) {
    LintLaunch *l = &f->file->launch[i].launch, *before = &f->file->launch[i - 1].launch;
    if (!l->programmatic) continue;
    if (!before->chain) before->chain = ARENA_NEW(f->r.in.arena, LintChain);
    before->followed = true;
    l->chain = before->chain;
  }
}

static void read_launches(Reading *f, const Yaml *list) {
  const int before = diag_met(f->r.in.diag);
  if (!list || !expect_kind(&f->r.in, list, "launches", YAML_LIST)) return;
  f->file->launch = ARENA_ARRAY(f->r.in.arena, LintFileLaunch, (size_t)list->count + 1);
  f->name = ARENA_ARRAY(f->r.in.arena, const Yaml *, (size_t)list->count + 1);
  if (list->count > MAX_LAUNCHES || list->count < 1)
    diag_error(f->r.in.diag, list->loc, "launches has %d entries, but must have 1 to %d",
               list->count, MAX_LAUNCHES);
  for (int i = 0; i < list->count && i < MAX_LAUNCHES; i++) read_launch(f, list->item[i]);
  choose(f);
  chain(f);
  if (f->file->launches || diag_met(f->r.in.diag) != before) return;
  diag_error(f->r.in.diag, list->loc, "no launch is called '%s', nor has that kernel", f->chosen);
}

/* The command line may not give what the file gives. */
static void refuse_options(const Reading *f, const Yaml *root) {
  const LintOptions *o = &f->given->lint;
  const struct {
    bool given;
    const char *option;
  } row[] = {{o->grid, "grid"},
             {o->block, "block"},
             {o->cluster, "cluster"},
             {o->arg.count, "arg"},
             {o->variable.count, "variable"},
             {o->smem, "smem"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (row[i].given)
      diag_error(f->r.in.diag, root->loc, "the launches stand in this file: no --%s",
                 row[i].option);
}

static bool is_spec(const Yaml *root) {
  return yaml_get(root, "kernel") && !yaml_get(root, "source") && !yaml_get(root, "launches");
}

bool lint_file_read(Arena *a, Diag *d, const char *path, const Options *o, LintFile *out) {
  *out = (LintFile){.path = path};
  Reading f = {.r = {{a, d}, path}, .given = o, .common = *o, .file = out};
  f.chosen = o->lint.kernel;
  f.common.lint.kernel = NULL;
  const Yaml *root = yaml_read(a, d, path, NULL);
  if (!root || !expect_kind(&f.r.in, root, "the file", YAML_MAP)) return false;
  if (is_spec(root)) {
    diag_error(d, root->loc, "this is a spec: a lint.yaml has 'source' and 'launches'");
    diag_hint(d, "kgen explain %s shows its layout", path);
    return false;
  }
  refuse_options(&f, root);
  keys_take(&f.r.in, root, &lint_file_table, root->loc, NULL, &f);
  read_launches(&f, yaml_get(root, "launches"));
  return diag_count(d) == 0;
}
