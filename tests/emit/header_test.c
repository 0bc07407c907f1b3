/* SPDX-License-Identifier: MIT */
/* header_test.c: the headers of `kernel: none`. As C11 and C++ their offsets are the formula's at
 * every coordinate. The function edited to other strides and terms, the asserts of an access hold
 * exactly if the model finds it free of conflicts and aligned; and what does not hold, does not
 * compile. Where TMA or wgmma touch the tile, another swizzle does not compile, and boxes and
 * descriptors are those that the ISA's layout has. */
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "emit/forms.h"
#include "emit/offset.h"
#include "emit/plan_json.h"
#include "emit/render.h"
#include "model/modes.h"
#include "shipped.h"

enum { MAX_SPECS = 256, MAX_EDITS = 64, RANK2_LINES = 40 };

static char folder[] = "/tmp/kgen-header-XXXXXX";

/* Runs a command in the scratch directory, with its output in a log; true if it succeeds. */
static bool run(Arena *a, const char *command) {
  const int status = system(arena_printf(a, "cd %s && %s >log 2>&1", folder, command));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void put_file(Arena *a, const char *name, const char *text) {
  const char *path = arena_printf(a, "%s/%s", folder, name);
  if (!file_write(path, text, strlen(text))) die("cannot write %s", path);
}

/* Reads the log of the last command. */
static const char *read_log(Arena *a) {
  size_t length;
  const char *log = file_read(a, arena_printf(a, "%s/log", folder), 1 << 20, &length);
  return log ? log : "nothing";
}

static int elements_of(const Tile *t) {
  int n = 1;
  for (int d = 0; d < t->rank; d++) n *= t->extent[d];
  return n;
}

static int offset_at(const KgenLayout *l, int i) {
  int coord[KGEN_MAX_RANK] = {0};
  for (int d = l->rank - 1; d >= 0; d--) {
    coord[d] = i % l->extent[d];
    i /= l->extent[d];
  }
  return layout_offset(l, coord);
}

/* --- offsets --- */

/* The checks of every tile's offsets, as one program: starting a compiler costs most. */
typedef struct {
  Text checks, calls; /* functions check_N, and main's calls of them */
  int tiles;
} Offsets;

static void add_offsets(Offsets *o, const char *file, const char *prefix, const PlanTile *tile) {
  Text *t = &o->checks;
  const int rank = tile->set->tile->rank;
  text_printf(t, "#include \"%s\"\nstatic int check_%d(void) {\n", file, o->tiles);
  text_puts(t, "  static const int want[] = {");
  for (int i = 0; i < elements_of(tile->set->tile); i++)
    text_printf(t, "%d,", forms_offset(tile, i));
  text_puts(t, "0};\n  int i = 0;\n");
  for (int d = 0; d < rank; d++)
    text_printf(t, "  for (int c%d = 0; c%d < %d; c%d++)\n", d, d, tile->set->tile->extent[d], d);
  text_printf(t, "    if (%s_offset(", prefix);
  for (int d = 0; d < rank; d++) text_printf(t, d ? ", c%d" : "c%d", d);
  text_printf(t, ") != want[i++]) return 1;\n");
  text_printf(t, "  return %s_bytes == %lld && %s_elements * %d == %s_bytes ? 0 : 1;\n}\n", prefix,
              (long long)tile->bytes, prefix, tile->set->tile->dtype->bytes, prefix);
  text_printf(&o->calls, "  if (check_%d()) { puts(\"%s\"); wrong = 1; }\n", o->tiles++, prefix);
}

/* Compiles the program with each compiler and runs it: it prints the tiles whose offsets, bytes or
 * elements are wrong. */
static void check_offsets(Arena *a, const Offsets *o) {
  static const char *const compiler[] = {"cc -std=c11 main.c", "clang -std=c11 main.c",
                                         "c++ -std=c++11 main.cpp", "c++ -std=c++17 main.cpp",
                                         "clang++ -std=c++17 main.cpp"};
  const char *program = arena_printf(
      a, "#include <stdio.h>\n%sint main(void) {\n  int wrong = 0;\n%s  return wrong;\n}\n",
      o->checks.s, o->calls.s);
  put_file(a, "main.c", program);
  put_file(a, "main.cpp", program);
  for (size_t i = 0; i < sizeof compiler / sizeof *compiler; i++) {
    if (strncmp(compiler[i], "clang", 5) == 0 && !run(a, "command -v clang++")) continue;
    const char *command = arena_printf(
        a, "%s -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror -o main",
        compiler[i]);
    CHECK(run(a, command), "%s: %s", command, read_log(a));
    CHECK(run(a, "./main"), "%s: offsets of %s", command, read_log(a));
  }
}

/* --- edits --- */

/* Replaces the text between `before` and `after` in `text`. */
static const char *replace(Arena *a, const char *text, const char *before, const char *after,
                           const char *with) {
  const char *from = strstr(text, before);
  if (!from) die("no %s", before);
  from += strlen(before);
  const char *to = strstr(from, after);
  if (!to) die("no %s", after);
  return arena_printf(a, "%.*s%s%s", (int)(from - text), text, with, to);
}

/* The part of a file that is one tile's header. */
static const char *part_of(Arena *a, const char *text, const char *prefix) {
  const char *from = strstr(text, arena_printf(a, "#ifndef %s_FN\n", prefix));
  if (!from) die("no header of %s", prefix);
  const char *to = strstr(from, "\n/* ");
  for (; to && strncmp(to - 7, "#endif\n", 7) != 0; to = strstr(to + 1, "\n/* ")) continue;
  return to ? arena_strndup(a, from, (size_t)(to - from)) : from;
}

/* The header with another layout in its function, and bytes for it. */
static const char *edit(Arena *a, const PlanTile *t, const char *text, const char *prefix,
                        const KgenLayout *l) {
  int last = 0;
  for (int i = 0; i < elements_of(t->set->tile); i++)
    last = offset_at(l, i) > last ? offset_at(l, i) : last;
  const char *bytes = arena_printf(a, "%d", (last + 1) * t->set->tile->dtype->bytes);
  const char *edited =
      replace(a, text, "return ", ";", offset_spell(a, l, t->set->tile->dim)); /* the first */
  return replace(a, edited, arena_printf(a, "%s_bytes = ", prefix), ",", bytes);
}

/* The asserts as C++ that prints one digit each, so that many edits are one program. */
static const char *print_asserts(Arena *a, const char *text) {
  Text t = text_new(a);
  for (const char *at; (at = strstr(text, "static_assert("));) {
    const char *message = strstr(at, "\"access '");
    if (!message) die("an assert without its access");
    while (*message != ',') message--;
    text_add(&t, text, (size_t)(at - text));
    text_printf(&t, "static const int at_%d = note(", (int)(t.len));
    at += strlen("static_assert(");
    text_add(&t, at, (size_t)(message - at));
    text_puts(&t, ");");
    text = strchr(message, ';') + 1;
  }
  text_puts(&t, text);
  return t.s;
}

static bool lanes_aligned(const PlanTile *t, const KgenLayout *l, const Access *access) {
  for (int w = 0; w < access->warps; w++) {
    int64_t address[WARP];
    layout_addresses(l, t->set->tile->dtype->bytes, &access->warp[w], address);
    for (uint32_t m = access->warp[w].active; m; m &= m - 1)
      if (address[__builtin_ctz(m)] % access->bytes_per_lane) return false;
  }
  return true;
}

/* True if the header asserts that an access is conflict-free: not for boxes, which never conflict,
 * nor for copies, whose cost depends on their source, too. */
static bool is_asserted(const PlanTile *t, int access) {
  const Access *a = &t->set->access[access];
  return t->solution->cost[access].worst <= 1 && !a->boxes && a->op != OP_CP_ASYNC;
}

/* The model's answer for each access that the header asserts, one digit each, as "10". */
static const char *model_digits(Arena *a, const PlanTile *t, const KgenLayout *l) {
  AccessCost *cost = ARENA_ARRAY(a, AccessCost, (size_t)t->set->accesses);
  Text out = text_new(a);
  cost_count(t->set, l, cost);
  for (int i = 0; i < t->set->accesses; i++)
    if (is_asserted(t, i))
      text_puts(&out, cost[i].worst <= 1 && lanes_aligned(t, l, &t->set->access[i]) ? "1" : "0");
  return out.s;
}

/* Counts the asserts of each access that has some; the asserts of one access are consecutive. */
static void count_asserts(const char *text, const PlanTile *t, int *count) {
  int n = 0;
  for (int i = 0; i < t->set->accesses; i++) {
    if (!is_asserted(t, i)) continue;
    char message[128];
    snprintf(message, sizeof message, "\"access '%s' conflicts\"", t->set->access[i].name);
    count[n] = 0;
    for (const char *at = text; (at = strstr(at, message)); at++) count[n]++;
    CHECK(count[n] > 0, "access '%s' is not asserted", t->set->access[i].name);
    n++;
  }
}

static int make_edits(const PlanTile *t, KgenLayout *out) {
  static const int change[] = {-32, -2, -1, 1, 2, 3, 4, 8, 16, 31, 32};
  const KgenLayout *base = &t->solution->layout;
  int n = 0;
  out[n++] = *base;
  for (int d = 0; d < (base->period ? 1 : base->rank - 1); d++)
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
      out[n] = *base;
      out[n].stride[d] += change[i];
      n += out[n].stride[d] >= (base->period ? base->period : 1);
    }
  for (int bit = 0; bit <= 5 && base->terms; bit++) { /* bit 5 drops all */
    out[n] = *base;
    out[n].terms = bit < 5;
    out[n].term[0].mask ^= 1 << bit;
    n += bit == 5 || out[n].term[0].mask != 0;
  }
  for (int shift = -2; shift <= 2 && base->terms; shift++, n++) {
    out[n] = *base;
    out[n].term[0].shift += shift;
  }
  return n;
}

static int refused, accepted; /* both must occur, or the edits test nothing */

static void check_digits(const char *what, const char *text, const char *want, const int *count,
                         const char **got) {
  for (int i = 0; want[i]; i++) {
    bool holds = true;
    for (int k = 0; k < count[i]; k++) holds = *(*got)++ == '1' && holds;
    CHECK(holds == (want[i] == '1'), "%s: asserted access %d holds: %d; %s", what, i, holds, text);
    refused += !holds;
    accepted += holds;
  }
}

/* One program of all edits prints what the asserts say of each. */
static void check_edits(Arena *a, const PlanTile *t, const char *header, const char *prefix) {
  KgenLayout layout[MAX_EDITS];
  int count[MAX_ACCESSES];
  const int edits = make_edits(t, layout);
  Text program = text_new(a);
  text_puts(&program, "extern \"C\" int putchar(int);\n"
                      "static int note(bool b) { return putchar('0' + b); }\n");
  for (int i = 0; i < edits; i++)
    text_printf(&program, "#undef %s_FN\nnamespace edit%d {\n%s\n}\n", prefix, i,
                print_asserts(a, edit(a, t, header, prefix, &layout[i])));
  text_puts(&program, "int main() {}\n");
  put_file(a, "edits.cpp", program.s);
  CHECK(run(a, "c++ -std=c++14 edits.cpp -o edits && (./edits >digits)"), "%s: edits.cpp", prefix);
  size_t length;
  const char *digits = file_read(a, arena_printf(a, "%s/digits", folder), 1 << 20, &length);
  count_asserts(header, t, count);
  for (int i = 0; digits && i < edits; i++)
    check_digits(prefix, offset_spell(a, &layout[i], t->set->tile->dim),
                 model_digits(a, t, &layout[i]), count, &digits);
  CHECK(digits && *digits == 0, "%s: asserts without an access", prefix);
}

/* A change that the model reports as conflicting does not compile. */
static void check_red(Arena *a, const PlanTile *t, const char *header, const char *prefix) {
  KgenLayout layout[MAX_EDITS];
  const int edits = make_edits(t, layout);
  for (int i = 0, done = 0; i < edits && done < 2; i++) {
    const bool want = strchr(model_digits(a, t, &layout[i]), '0') == NULL;
    if (want && i) continue;
    done += !want;
    put_file(a, "edited.cpp", edit(a, t, header, prefix, &layout[i]));
    CHECK(run(a, "c++ -std=c++17 -fsyntax-only edited.cpp") == want, "%s: edit %d", prefix, i);
  }
}

/* --- TMA and wgmma --- */

/* Descriptors of shipped specs by the ISA's fields: address, leading and stride offset in units of
 * 16 bytes from bits 0, 16 and 32 on, the mode in bits 62 and 63. */
static const struct {
  const char *file;
  const char *holds;
} hardware[] = {
    {"operand_wgmma_k_f16.h", "operand_wgmma_k_f16_mode == 128 && operand_wgmma_k_f16_box_rows == "
                              "128 && operand_wgmma_k_f16_box_cols == 64 && "
                              "operand_wgmma_k_f16_box_size == 16384 && "
                              "operand_wgmma_k_f16_descriptor_k(0x400, 64, 16) == "
                              "(0x40ull + 0x202 | 0x400ull << 16 | 0x40ull << 32 | 1ull << 62)"},
    {"operand_wgmma_mn_f16.h", "operand_wgmma_mn_f16_box_rows == 64 && "
                               "operand_wgmma_mn_f16_box_size == 8192 && "
                               "operand_wgmma_mn_f16_descriptor_mn(0x40400, 1, 16, 0) == "
                               "(0x40ull + 0x280 | 0x200ull << 16 | 0x40ull << 32 | 1ull << 62)"},
    {"epilogue_tma_f32.h", "epilogue_tma_f32_mode == 128 && epilogue_tma_f32_box_rows == 64 && "
                           "epilogue_tma_f32_box_cols == 32 && epilogue_tma_f32_box_size == 8192"},
    {"wide.h", "wide_mode == 64 && wide_stride_k == 512 && wide_stride_k == wide_box_cols * 16 && "
               "wide_box_rows == 32 && wide_box2_rows == 64 && wide_box2_size == 4096 && "
               "wide_descriptor_k(0, 8, 0) >> 62 == 2"},
    {"narrow.h", "narrow_mode == 32 && narrow_descriptor_k(16, 8, 0) == "
                 "(0x11ull | 0x80ull << 16 | 0x10ull << 32 | 3ull << 62)"},
    {"bare.h", "bare_mode == 0 && bare_box_planes == 4 && "
               "bare_descriptor_k(0, 1, 0, 0) == (0x40ull | 0x40ull << 16 | 0x8ull << 32) && "
               "bare_descriptor_mn(0, 0, 8, 0) == (0x8ull | 0x8ull << 16 | 0x40ull << 32)"},
};

static int judged; /* headers of the table */

static void check_hardware(Arena *a, const char *file) {
  static const char *const compiler[] = {
      "cc -std=c11 -Wno-parentheses hardware.c -o hardware",
      "c++ -std=c++11 -Wno-parentheses hardware.cpp -o hardware"};
  for (size_t i = 0; i < sizeof hardware / sizeof *hardware; i++) {
    if (strcmp(file, hardware[i].file) != 0) continue;
    const char *program = arena_printf(a, "#include \"%s\"\nint main(void) { return !(%s); }\n",
                                       file, hardware[i].holds);
    put_file(a, "hardware.c", program);
    put_file(a, "hardware.cpp", program);
    for (int c = 0; c < 2; c++) {
      CHECK(
          run(a,
              arena_printf(
                  a, "%s -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror",
                  compiler[c])),
          "%s: %s", file, compiler[c]);
      CHECK(run(a, "./hardware"), "%s: not %s", file, hardware[i].holds);
    }
    judged++;
  }
}

/* With other terms in its function the header is not the hardware's mode, and does not compile. */
static void check_mode(Arena *a, const PlanTile *t, const char *text, const char *prefix) {
  KgenLayout layout[MAX_EDITS];
  const KgenLayout *base = &t->solution->layout;
  const int edits = make_edits(t, layout);
  int red = 0;
  for (int i = 0; i < edits; i++) {
    const bool strides = memcmp(layout[i].stride, base->stride, sizeof base->stride) != 0;
    if (strides || i % 2) continue; /* half of the changes of masks and shifts */
    bool same = true;
    for (int k = 0; k < elements_of(t->set->tile); k++)
      same = same && offset_at(&layout[i], k) == forms_offset(t, k);
    put_file(a, "mode.cpp",
             replace(a, text, "return ", ";", offset_spell(a, &layout[i], t->set->tile->dim)));
    CHECK(run(a, "{ c++ -std=c++14 -fsyntax-only mode.cpp 2>why; }") == same,
          "%s: edit %d compiles", prefix, i);
    CHECK(same || run(a, "grep -q 'swizzle this tile in another way' why"), "%s: edit %d", prefix,
          i);
    red += !same;
  }
  CHECK(red >= 2 || !base->terms, "%s: %d edits change the swizzle", prefix, red);
}

/* --- the JSON's descriptors --- */

static int described; /* accesses of wgmma */

/* The number that follows a key after `at`. */
static long long number_of(const char *at, const char *key) {
  const char *found = strstr(at, key);
  return found ? atoll(found + strlen(key)) : -1;
}

/* The elements of k that a row holds of a step of 32 bytes, and the matrices that hold the rest. */
static int step_in_row(const Tile *t, const Access *access) {
  const int k = t->extent[t->rank - (access->major == MAJOR_K ? 1 : 2)];
  return k * t->dtype->bytes < 32 ? k : 32 / t->dtype->bytes;
}

static int step_matrices(const Tile *t, const Access *access) {
  if (t->rank < 3) return 1;
  return access->major == MAJOR_MN ? access->box[t->rank - 3]
                                   : 32 / t->dtype->bytes / step_in_row(t, access);
}

/* The coordinates at which a step of a part begins. */
static const char *step_place(Arena *a, const Tile *t, const Access *access, int part, int step) {
  Text s = text_new(a);
  int at[KGEN_MAX_RANK] = {0};
  at[t->rank - (access->major == MAJOR_K ? 1 : 2)] = step * step_in_row(t, access);
  int matrix = part * step_matrices(t, access);
  for (int d = t->rank - 3; d >= 0; matrix /= t->extent[d--]) at[d] = matrix % t->extent[d];
  for (int d = 0; d < t->rank; d++) text_printf(&s, ", %d", at[d]);
  return s.s;
}

/* Writes a program that compares the header's descriptors with those made of the JSON's numbers. */
static const char *descriptor_program(Arena *a, const char *file, const char *prefix,
                                      const Tile *tile, const Access *access, const char *json) {
  Text t = text_new(a);
  const char *major = access->major == MAJOR_K ? "k" : "mn", *at = strstr(json, "\"k_offsets\": [");
  const long long unit = number_of(json, "\"unit\": "), base = number_of(json, "\"base_offset\": ");
  int part = 0, step = 0;
  text_printf(
      &t,
      "#include \"%s\"\nint main(void) {\n  return !(%s_leading_%s == %lld && %s_stride_%s == %lld",
      file, prefix, major, number_of(json, "\"leading\": "), prefix, major,
      number_of(json, "\"stride\": "));
  for (at += strlen("\"k_offsets\": ["); *at && *at != ']' && *at != '}';
       part++, at += *at == ',' ? 2 : 0) {
    for (at++, step = 0; *at != ']'; step++, at += *at == ',' ? 2 : 0) {
      const long long bytes = strtoll(at, (char **)(uintptr_t)&at, 10);
      text_printf(&t,
                  " &&\n    %s_descriptor_%s(0x4000%s) == ((0x4000ull + %lld) / %lld | %lldull << "
                  "16 | %lldull << 32 | %lldull << 49 | %lldull << 62)",
                  prefix, major, step_place(a, tile, access, part, step), bytes, unit,
                  number_of(json, "\"leading\": ") / unit, number_of(json, "\"stride\": ") / unit,
                  base, number_of(json, "\"swizzle\": "));
    }
    at++;
  }
  text_puts(&t, ");\n}\n");
  const long long k = number_of(json, "\"k_step\": ");
  CHECK(k == 32 / tile->dtype->bytes, "%s: steps of %lld", file, k);
  const int extent = tile->extent[tile->rank - (access->major == MAJOR_K ? 1 : 2)];
  const bool rows = access->major == MAJOR_K;
  CHECK(step * k == extent * (rows ? step_matrices(tile, access) : 1), "%s: %d steps", file, step);
  return t.s;
}

static void check_descriptors(Arena *a, const char *file, const char *prefix, const Plan *plan) {
  Text text = text_new(a);
  Json j = json_new(&text);
  plan_json(&j, plan, NULL, 0);
  json_end(&j);
  const AccessSet *set = plan->tile[0].set;
  const char *json = text.s;
  for (int i = 0; i < set->accesses && plan->tiles == 1; i++) {
    if (!op_is_wgmma(set->access[i].op)) continue;
    json = strstr(json, "\"descriptor\": {");
    CHECK(json, "%s: no descriptor", file);
    if (!json) return;
    put_file(a, "steps.c", descriptor_program(a, file, prefix, set->tile, &set->access[i], json++));
    CHECK(run(a, "cc -std=c11 -Wno-parentheses -Werror steps.c -o steps && ./steps"),
          "%s: the JSON's descriptor of '%s'", file, set->access[i].name);
    described++;
  }
}

static int count_lines(const char *s) {
  int n = 0;
  for (; *s; s++) n += *s == '\n';
  return n;
}

/* Lines that the notes on its accesses may take: two each. */
static int note_lines(const char *s) {
  int n = 0;
  for (; (s = strstr(s, " * Note: ")); s++) n += 2;
  return n;
}

static void check_spec(Offsets *offsets, const char *path) {
  Arena *a = arena_new();
  const Plan *plan = shipped_plan(a, path, NULL);
  CHECK(plan, "%s", path);
  if (plan && !plan->spec->kernel) {
    const Rendered r = shipped_render(a, plan);
    put_file(a, r.file, r.text);
    for (int i = 0; i < plan->tiles; i++) {
      const PlanTile *t = &plan->tile[i];
      const char *prefix = t->set->tile->name
                               ? arena_printf(a, "%s_%s", plan->spec->name, t->set->tile->name)
                               : plan->spec->name;
      const char *header = part_of(a, r.text, prefix);
      add_offsets(offsets, r.file, prefix, t);
      if (!t->solution->map) check_edits(a, t, header, prefix);
      if (!t->solution->map) check_red(a, t, header, prefix);
      const bool boxes = strstr(r.text, "_swizzled()") != NULL;
      CHECK(boxes == mode_needed(t->set), "%s: what TMA needs", r.file);
      if (boxes) check_mode(a, t, r.text, prefix);
      if (boxes) check_descriptors(a, r.file, prefix, plan);
      CHECK(t->set->tile->rank != 2 || plan->tiles > 1 || boxes ||
                count_lines(r.text) <= RANK2_LINES + note_lines(r.text),
            "%s has %d lines", r.file, count_lines(r.text));
    }
    check_hardware(a, r.file);
  }
  arena_free(a);
}

/* Layouts that headers have got wrong, or might: words that start within a lane's bytes, pads with
 * terms, extents and periods that are not powers of two, banks that are not 32 words, tiles whose
 * names begin alike. */
static void check_small(Arena *a, Offsets *offsets) {
  static const char *const spec[] = {
      "dtype: f16\ntile: [1, 32]\naccess:\n  - {name: a, op: load, at: [0, (tx + 1) % 32]}\n",
      "dtype: u8\ntile: [4, 64]\naccess:\n  - {name: a, op: load, at: [tx % 4, tx + 3]}\n",
      ("dtype: f16\ntile: [32, 32]\naccess:\n  - {name: a, op: load, at: [tx, 1]}\n"
       "  - {name: b, op: store, at: [1, tx]}\n"),
      "dtype: f16\ntile: [1056]\naccess:\n  - {name: a, op: load, at: [33*tx + 1]}\n",
      "dtype: f32\ntile: [1024]\nlayout: pad\naccess:\n  - {name: a, op: store, at: [32*tx]}\n",
      ("dtype: f64\ntile: [24, 20]\naccess:\n  - {name: a, op: load, at: [tx % 24, 3]}\n"
       "  - {name: b, op: store, vector: 2, for: {j: 7}, at: [j, tx % 10 * 2]}\n"),
      ("dtype: f32\ntile: [16, 16]\nbanks: {count: 16, bytes: 8}\naccess:\n"
       "  - {name: a, op: load, at: [tx % 16, 2 * (tx / 16)]}\n"),
      ("dtype: f64\ntile: [16, 16]\nbanks: {count: 16, bytes: 8}\naccess:\n"
       "  - {name: a, op: store, at: [tx % 16, tx / 16]}\n"),
      ("dtype: f32\ntile: [32, 32]\naccess:\n  - {name: a, op: atomic, at: [tx, 0]}\n"
       "  - {name: b, op: load, at: [tx, tx]}\n"),
      ("name: wide\ndtype: f16\ntile: [64, 32]\narch: sm_90a\naccess:\n"
       "  - {name: in, op: tma_load, box: [32, 32]}\n  - {name: out, op: tma_store}\n"
       "  - {name: a, op: wgmma_a, box: [64, 16]}\n  - {name: again, op: tma_load, box: [64, "
       "32]}\n"),
      ("name: narrow\ndtype: u8\ntile: [64, 32]\narch: sm_90a\nlayout: {swizzle: tma32}\naccess:\n"
       "  - {name: a, op: wgmma_b, box: [64, 32]}\n"),
      ("name: split\ndtype: bf16\ntile: [2, 64, 64]\narch: sm_90a\naccess:\n"
       "  - {name: a, op: wgmma_a, box: [1, 64, 16]}\n"),
      ("name: whole\ndtype: bf16\ntile: [2, 64, 64]\narch: sm_90a\naccess:\n"
       "  - {name: a, op: wgmma_a}\n  - {name: b, op: wgmma_b, major: mn}\n"),
      ("name: thin\ndtype: f32\ntile: [4, 64, 4]\narch: sm_90a\naccess:\n"
       "  - {name: a, op: wgmma_a}\n"),
      ("name: bare\ndtype: f16\ntile: [4, 64, 8]\narch: sm_90a\naccess:\n"
       "  - {name: in, op: tma_load, box: [4, 64, 8]}\n  - {name: a, op: wgmma_a, box: [2, 64, "
       "8]}\n"
       "  - {name: b, op: wgmma_b, major: mn, box: [1, 16, 8]}\n"),
      ("tiles:\n  a: {dtype: f32, tile: [32, 32], access: [{name: x, at: [tx, 0]}]}\n"
       "  a_ELEMENT: {dtype: f64, tile: [32, 32], access: [{name: x, at: [tx, 0]}]}\n"
       "  a_offset: {dtype: u8, tile: [4, 8, 4, 4], access: [{at: [tx / 8, tx % 8, 0, 0]}]}\n"),
      ("tiles:\n  loose: {tile: [32, 32], dtype: f32, layout: {expr: 'c0<<5|c1^c0&31'}, access: "
       "[{at: "
       "[tx, 0]}]}\n"
       "  one: {tile: [1, 32], dtype: f32, layout: {expr: c1}, access: [{at: [0, tx]}]}\n"
       "  truths: {tile: [8, 8], dtype: f32, layout: {expr: 'c0*8 + (c1 < 4 == 1 ? c1*1 && 1 ? c1 "
       ": "
       "8 : !(c1 << c0) == 0 || c1 & 7 && d1 ? c1 : 9)'}, access: [{at: [tx % 8, 0]}]}\n"
       "  signs: {tile: [8, 8], dtype: f32, layout: {expr: '- -c0 - (1 - (1 + c0 * 7)) + - (-1 - "
       "~(c1 > 8)) + c1 - 64 / (8 / 1) + 8 + ((c1 < 3) + (c1 >= 3)) * 1 - 1'}, access: [{at: [tx % "
       "8, 0]}]}\n"),
  };
  for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
    const char *file = arena_printf(a, "small%zu.yaml", i);
    put_file(a, file, arena_printf(a, "version: 1\nkernel: none\nblock: [32]\n%s", spec[i]));
    check_spec(offsets, arena_printf(a, "%s/%s", folder, file));
  }
}

int main(void) {
  Arena *a = arena_new();
  char *path[MAX_SPECS];
  if (!mkdtemp(folder)) die("no temporary folder");
  const int count = shipped_specs(a, path, MAX_SPECS);
  Offsets offsets = {text_new(a), text_new(a), 0};
  for (int i = 0; i < count; i++) check_spec(&offsets, path[i]);
  check_small(a, &offsets);
  check_offsets(a, &offsets);
  CHECK(judged == sizeof hardware / sizeof *hardware, "%d of TMA's headers are judged", judged);
  CHECK(described >= 10, "%d descriptors are in the JSON", described);
  CHECK(refused > 100 && accepted > 100, "%d asserts refused, %d hold", refused, accepted);
  run(a, "cd / && rm -r \"$OLDPWD\"");
  arena_free(a);
  return check_report("header_test");
}
