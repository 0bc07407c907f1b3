/* SPDX-License-Identifier: MIT */
/* Records: written, read back, shared between processes, torn, stale, exported; and which one is
 * chosen. */
#include "tune/wisdom.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/yaml_tree.h"
#include "check.h"
#include "tune/choose.h"
#include "tune/t4.h"

enum { EACH = 200 };

static WisdomRecord record(Arena *a, int64_t vector, double median, bool final) {
  Param *set = ARENA_ARRAY(a, Param, 2), *problem = ARENA_ARRAY(a, Param, 1);
  set[0] = (Param){"vector", vector};
  set[1] = (Param){"d0", 64};
  problem[0] = (Param){"rows", 4096};
  return (WisdomRecord){.key = {.kernel = "transpose",
                                .spec = 0xfedcba9876543210,
                                .code = 0x0123456789abcdef,
                                .device = "NVIDIA \"H200\"",
                                .toolkit = "13.0",
                                .problem = {1, problem},
                                .unit = UNIT_MS},
                        .name = "t",
                        .arch = "sm_90",
                        .driver = "13.0",
                        .set = {2, set},
                        .final = final,
                        .median = median,
                        .noise = 0.001,
                        .samples = 15,
                        .place = "process 1, address 2",
                        .at = 1795336399};
}

static Wisdom read_file(Arena *a, const char *file) {
  Wisdom w = {.arena = a};
  wisdom_read(&w, file);
  return w;
}

static void append(Arena *a, const char *file, const WisdomRecord *r) {
  Diag *diag = diag_new(a);
  CHECK(wisdom_append(a, file, r, diag), "%s", diag_first(diag));
}

static void test_round_trip(Arena *a, const char *file) {
  WisdomRecord wrong = record(a, 8, 0, false);
  wrong.invalid = "correctness";
  wrong.why = "wrong result at rows=1\nout[0]: \"1\"";
  const WisdomRecord r = record(a, 4, 0.54125, true);
  append(a, file, &r);
  append(a, file, &wrong);
  const Wisdom w = read_file(a, file);
  CHECK(w.count == 2 && w.broken == 0, "%d records, %d broken", w.count, w.broken);
  Text one = text_new(a), two = text_new(a);
  wisdom_put(&one, &r);
  wisdom_put(&one, &wrong);
  for (int i = 0; i < w.count; i++) wisdom_put(&two, &w.record[i]);
  CHECK_STR(two.s, one.s);
  CHECK_STR(w.record[1].why, wrong.why);
}

/* A line that a full disk truncated is skipped, and the next record is on a line of its own. */
static void test_torn(Arena *a, const char *file) {
  Text t = text_new(a);
  const WisdomRecord r = record(a, 4, 0.5, true);
  wisdom_put(&t, &r);
  CHECK(file_write(file, t.s, t.len / 2), "cannot write");
  append(a, file, &r);
  const Wisdom w = read_file(a, file);
  CHECK(w.count == 1 && w.broken == 1, "%d records, %d broken", w.count, w.broken);
}

/* The reason for a line of which only a part was written, for which the system gives none. A size
 * limit simulates a full disk. It is permanent, so the test uses a process of its own. */
static void test_full(Arena *a, const char *file) {
  const struct rlimit limit = {1500, 1500};
  int status = 1;
  unlink(file);
  if (fork() == 0) {
    const WisdomRecord r = record(a, 4, 0.5, true);
    Diag *diag = diag_new(a);
    signal(SIGXFSZ, SIG_IGN);
    errno = EEXIST; /* left from an earlier call */
    bool ok = setrlimit(RLIMIT_FSIZE, &limit) == 0;
    for (int i = 0; i < EACH && ok; i++) ok = wisdom_append(a, file, &r, diag);
    _exit(!diag_count(diag) || !strstr(diag_first(diag), "No space left on device"));
  }
  wait(&status);
  CHECK(status == 0, "another reason than that there is no space");
}

static void test_writable(Arena *a, const char *file) {
  Diag *diag = diag_new(a);
  CHECK(wisdom_is_writable(a, file, diag) && !diag_count(diag), "%s", diag_first(diag));
  CHECK(!wisdom_is_writable(a, arena_printf(a, "%s/below", file), diag), "below a file");
  CHECK(strstr(diag_first(diag), "/below: Not a directory"), "%s", diag_first(diag));
}

/* Zeros, as a machine that lost its power leaves them, are a line like any other that is broken. */
static void test_zeros(Arena *a, const char *file) {
  Text t = text_new(a);
  const WisdomRecord r = record(a, 4, 0.5, true);
  text_add(&t, "\0\0\0\n", 4);
  wisdom_put(&t, &r);
  CHECK(file_write(file, t.s, t.len), "cannot write");
  const Wisdom w = read_file(a, file);
  CHECK(w.count == 1 && w.broken == 1, "%d records, %d broken", w.count, w.broken);
}

/* A value that is not a number is not a measurement: 1e999 would be infinity. */
static void test_numbers(Arena *a, const char *file) {
  static const char *const median[] = {"1e999", "nan", "-1", "0", "x", "0.5"};
  enum { COUNT = sizeof median / sizeof *median };
  Text t = text_new(a);
  for (int i = 0; i < COUNT; i++)
    text_printf(&t, "{\"wisdom\": 1, \"kernel\": \"k\", \"set\": {\"v\": 1}, \"median\": %s}\n",
                median[i]);
  CHECK(file_write(file, t.s, t.len), "cannot write");
  const Wisdom w = read_file(a, file);
  CHECK(w.count == 1 && w.broken == COUNT - 1, "%d records, %d broken", w.count, w.broken);
}

static void append_many(const char *file, int who) {
  Arena *a = arena_new();
  Diag *diag = diag_new(a);
  for (int i = 0; i < EACH; i++) {
    const WisdomRecord r = record(a, who * EACH + i, 1 + i, false);
    if (!wisdom_append(a, file, &r, diag)) _exit(1);
  }
  _exit(0);
}

static void test_two_at_once(Arena *a, const char *file) {
  bool seen[2 * EACH] = {false};
  unlink(file);
  for (int who = 0; who < 2; who++)
    if (fork() == 0) append_many(file, who);
  for (int status; wait(&status) > 0;) CHECK(status == 0, "a writer failed");
  const Wisdom w = read_file(a, file);
  CHECK(w.count == 2 * EACH && w.broken == 0, "%d records, %d broken", w.count, w.broken);
  for (int i = 0; i < w.count; i++) seen[w.record[i].set.param[0].value] = true;
  for (int i = 0; i < 2 * EACH; i++) CHECK(seen[i], "record %d is missing", i);
}

static Wisdom wisdom_of(Arena *a, const WisdomRecord *r, int count) {
  Wisdom w = {.arena = a, .count = count, .record = ARENA_ARRAY(a, WisdomRecord, (size_t)count)};
  memcpy(w.record, r, (size_t)count * sizeof *r);
  return w;
}

/* Final measurements are preferred to quick ones, of several the median is taken, and a wrong
 * result is never chosen. */
static void test_choice(Arena *a) {
  WisdomRecord r[] = {record(a, 1, 0.1, false), record(a, 2, 0.6, true),  record(a, 2, 0.5, true),
                      record(a, 2, 0.4, true),  record(a, 4, 0.45, true), record(a, 8, 0.2, true)};
  WisdomRecord wrong = record(a, 8, 0, false);
  wrong.invalid = "correctness";
  WisdomRecord all[7];
  memcpy(all, r, sizeof r);
  all[6] = wrong;
  const Wisdom w = wisdom_of(a, all, 7);
  const Choices c = choose_all(a, &w, &r[0].key, NULL);
  CHECK(c.count == 4 && c.stale == 0, "%d configurations, %d stale", c.count, c.stale);
  CHECK(c.choice[0].set.param[0].value == 4, "chosen: %d", (int)c.choice[0].set.param[0].value);
  CHECK(c.choice[1].set.param[0].value == 2 && fabs(c.choice[1].median - 0.5) < 1e-9, "median %g",
        c.choice[1].median);
  CHECK(fabs(c.choice[1].noise - 0.1) < 1e-9, "noise %g", c.choice[1].noise);
  CHECK(c.choice[3].invalid != NULL, "what is wrong is not the last");
}

/* Among equal configurations the choice does not depend on the order of the records, and the spec's
 * own configuration comes first. */
static void test_equals(Arena *a) {
  const WisdomRecord r[] = {record(a, 4, 0.5, true), record(a, 2, 0.5, true),
                            record(a, 8, 0.5, true), record(a, 1, 0.6, true)};
  const WisdomRecord back[] = {r[3], r[2], r[1], r[0]};
  const Wisdom forwards = wisdom_of(a, r, 4), backwards = wisdom_of(a, back, 4);
  const Values *const unchanged[] = {NULL, &r[0].set, &r[3].set};
  const int64_t want[] = {2, 4, 2};
  for (int i = 0; i < 3; i++) {
    const Choices one = choose_all(a, &forwards, &r[0].key, unchanged[i]);
    const Choices two = choose_all(a, &backwards, &r[0].key, unchanged[i]);
    CHECK(one.choice[0].set.param[0].value == want[i], "%d: chosen: vector=%d", i,
          (int)one.choice[0].set.param[0].value);
    for (int c = 0; c < 4; c++)
      CHECK(values_equal(&one.choice[c].set, &two.choice[c].set), "%d: the order counts", i);
  }
}

static void test_stale(Arena *a) {
  const WisdomRecord r = record(a, 4, 0.5, true);
  const Wisdom w = wisdom_of(a, &r, 1);
  WisdomKey key = r.key;
  CHECK(choose_all(a, &w, &key, NULL).count == 1, "not found");
  key.toolkit = "";
  CHECK(choose_all(a, &w, &key, NULL).count == 1, "not found without a toolkit");
  key.toolkit = "12.9";
  CHECK(choose_all(a, &w, &key, NULL).count == 0 && choose_all(a, &w, &key, NULL).stale == 1,
        "toolkit");
  key = r.key;
  key.code++;
  CHECK(choose_all(a, &w, &key, NULL).count == 0 && choose_all(a, &w, &key, NULL).stale == 1,
        "template");
  key = r.key;
  key.device = "NVIDIA H100";
  CHECK(choose_all(a, &w, &key, NULL).count == 0 && choose_all(a, &w, &key, NULL).stale == 0,
        "device");
  const Param rows = {"rows", 8192};
  key = r.key;
  key.problem = (Values){1, &rows};
  CHECK(choose_all(a, &w, &key, NULL).count == 0 && choose_all(a, &w, &key, NULL).stale == 0,
        "problem");
}

/* The code's hash of a family whose source is `text`. */
static uint64_t code_of(Arena *a, const char *folder, const char *text) {
  const char *const source = arena_printf(a, "%s/f.cu", folder);
  const char *const family = arena_printf(a, "%s/f.yaml", folder);
  CHECK(file_write(family, "family: f\n", 10) && file_write(source, text, strlen(text)),
        "not written");
  const uint64_t h = choose_code(a, "f", templates_open(a, folder));
  unlink(source);
  unlink(family);
  return h;
}

static void test_code(Arena *a, const char *folder) {
  const uint64_t h = code_of(a, folder, "/* one */\nint a = b / c; // two\nasm(\"x // y\");\n");
  CHECK(h == code_of(a, folder, "int a =\n  b / c;\n/* 1 // */ asm(\"x // y\");"), "comments");
  CHECK(h != code_of(a, folder, "int a = b / d; asm(\"x // y\");"), "code");
  CHECK(h != code_of(a, folder, "int a = b / c; asm(\"x // z\");"), "a string");
  CHECK(h != code_of(a, folder, "int a = b / c; asm(\"x // y\"); /"), "after a string");
}

static void test_values(Arena *a) {
  Values v;
  CHECK(values_parse(a, "vector=4 d0=-64", &v), "refused");
  CHECK_STR(values_text(a, &v), "vector=4 d0=-64");
  CHECK(!values_parse(a, "vector", &v) && !values_parse(a, "=4", &v) &&
            !values_parse(a, "v=4x", &v),
        "taken");
}

/* --- T4 --- */

typedef enum { T4_NUMBER, T4_TEXT, T4_EITHER, T4_LIST, T4_MAP } T4Type;

typedef struct {
  const char *key;
  T4Type type;
} T4Key;

/* The constraints of the schema of T4's results, version 1.0.0, and the keys that Kernel Tuner
 * writes. */
static const T4Key t4_result[] = {
    {"timestamp", T4_TEXT},    {"configuration", T4_MAP}, {"objectives", T4_LIST},
    {"times", T4_MAP},         {"invalidity", T4_TEXT},   {"correctness", T4_NUMBER},
    {"measurements", T4_LIST},
};
static const T4Key t4_times[] = {
    {"compilation_time", T4_NUMBER}, {"compilation", T4_NUMBER},      {"benchmark", T4_NUMBER},
    {"framework", T4_NUMBER},        {"search_algorithm", T4_NUMBER}, {"validation", T4_NUMBER},
    {"runtimes", T4_LIST},
};
static const T4Key t4_measurement[] = {{"name", T4_TEXT}, {"value", T4_EITHER}, {"unit", T4_TEXT}};

static bool t4_is(const Yaml *node, T4Type type) {
  if (!node) return false;
  if (type == T4_LIST || type == T4_MAP)
    return node->kind == (type == T4_LIST ? YAML_LIST : YAML_MAP);
  char *end = NULL;
  const bool number = node->kind == YAML_TEXT && !node->quoted && *node->text &&
                      (strtod(node->text, &end), *end == '\0');
  const bool text = node->kind == YAML_TEXT && node->quoted;
  return type == T4_NUMBER ? number : type == T4_TEXT ? text : number || text;
}

#define T4_CHECK(node, keys) t4_check(node, keys, sizeof(keys) / sizeof *(keys))

static void t4_check(const Yaml *node, const T4Key *key, size_t keys) {
  for (size_t i = 0; i < keys; i++)
    CHECK(t4_is(yaml_get(node, key[i].key), key[i].type), "T4: %s", key[i].key);
}

/* Finds the measurement of that name, of which there must be one. */
static const Yaml *t4_measured(const Yaml *result, const char *name) {
  const Yaml *list = yaml_get(result, "measurements"), *found = NULL;
  for (int i = 0; i < list->count; i++) {
    T4_CHECK(list->item[i], t4_measurement);
    if (strcmp(yaml_get(list->item[i], "name")->text, name) != 0) continue;
    CHECK(!found, "T4: %s is measured twice", name);
    found = yaml_get(list->item[i], "value");
  }
  return found;
}

static void t4_check_result(const Yaml *result, const WisdomRecord *r) {
  T4_CHECK(result, t4_result);
  T4_CHECK(yaml_get(result, "times"), t4_times);
  const Yaml *objective = yaml_get(result, "objectives"), *set = yaml_get(result, "configuration");
  CHECK(objective->count == 1 && set->count == r->set.count, "T4: %d objectives", objective->count);
  const Yaml *value = t4_measured(result, objective->item[0]->text);
  CHECK(value && t4_is(value, r->invalid ? T4_TEXT : T4_NUMBER), "T4: the objective's value");
  CHECK_STR(yaml_get(result, "invalidity")->text, r->invalid ? r->invalid : "correct");
  CHECK(yaml_get(yaml_get(result, "times"), "runtimes")->count == !r->invalid, "T4: runtimes");
}

static void test_t4(Arena *a) {
  static const char *const invalid[] = {NULL, "compile", "runtime", "correctness", "timeout"};
  enum { COUNT = sizeof invalid / sizeof *invalid };
  WisdomRecord record_of[COUNT];
  const WisdomRecord *pointer[COUNT];
  for (int i = 0; i < COUNT; i++) {
    record_of[i] = record(a, 1 << i, 0.5, false);
    record_of[i].invalid = invalid[i];
    if (i == 0) record_of[i].at = INT64_MAX;
    pointer[i] = &record_of[i];
  }
  Text t = text_new(a);
  t4_put(&t, pointer, COUNT);
  const Source source = {"t4.json", t.s, t.len};
  const Yaml *root = yaml_read(a, diag_new(a), source.path, &source);
  const Yaml *results = yaml_get(root, "results");
  CHECK_STR(yaml_get(root, "schema_version")->text, "1.0.0");
  CHECK_STR(yaml_get(yaml_get(root, "metadata"), "timeunit")->text, "milliseconds");
  CHECK(results && results->count == COUNT, "T4: no results");
  CHECK_STR(yaml_get(results->item[0], "timestamp")->text, "1970-01-01T00:00:00+00:00");
  CHECK_STR(yaml_get(results->item[1], "timestamp")->text, "2026-11-22T08:33:19+00:00");
  for (int i = 0; results && i < results->count; i++) t4_check_result(results->item[i], pointer[i]);
}

/* The records that come with kgen are of the templates as they are: a change to one of these takes
 * the tuned configuration from all its specs, which their users would not notice. */
static void test_shipped(Arena *a) {
  const Wisdom w = read_file(a, KGEN_SOURCE_DIR "/wisdom/nvidia_h200.jsonl");
  Templates *shipped = templates_open(a, KGEN_SOURCE_DIR "/templates");
  CHECK(w.count > 0 && w.broken == 0, "%d records, %d broken lines", w.count, w.broken);
  for (int i = 0; i < w.count; i++) {
    const WisdomRecord *r = &w.record[i];
    CHECK(r->key.code == choose_code(a, r->key.kernel, shipped),
          "%s is measured with another template", r->name);
  }
}

int main(void) {
  Arena *a = arena_new();
  char folder[] = "/tmp/kgen-wisdom-test-XXXXXX";
  CHECK(mkdtemp(folder) != NULL, "no folder");
  const char *file = arena_printf(a, "%s/new/wisdom.jsonl", folder);
  test_round_trip(a, file);
  test_torn(a, file);
  test_zeros(a, file);
  test_numbers(a, file);
  test_full(a, file);
  test_writable(a, file);
  test_two_at_once(a, file);
  test_choice(a);
  test_equals(a);
  test_stale(a);
  test_shipped(a);
  test_code(a, folder);
  test_values(a);
  test_t4(a);
  unlink(file);
  rmdir(arena_printf(a, "%s/new", folder));
  rmdir(folder);
  arena_free(a);
  return check_report("wisdom_test");
}
