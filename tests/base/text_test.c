/* SPDX-License-Identifier: MIT */
/* Foreign text in each kind of output; every character of Unicode through the JSON writer and the
 * reader; and text_printf() for a terminal, which formats as printf() does. */
#include "base/text.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cells.h"
#include "base/json.h"
#include "base/utf8.h"
#include "base/yaml_tree.h"
#include "check.h"

static const char *written(Arena *a, TextKind kind, const char *s) {
  Text t = text_new(a);
  text_foreign(&t, kind, s, strlen(s));
  return t.s;
}

/* A color, a C1 control, a direction mark, a line break, a malformed byte, and what has a meaning
 * in Markdown, CSV, HTML and JSON. */
static const char evil[] = "a\033[31m\xc2\x9b\xe2\x80\xae\xd8\x9c\n\xff <b>|\"`";

static void test_kinds(Arena *a) {
  CHECK_STR(written(a, TEXT_SCREEN, evil), "a?[31m????? <b>|\"`");
  CHECK_STR(written(a, TEXT_MARKDOWN, evil), "a?\\[31m??\?<br>? \\<b\\>\\|\"\\`");
  CHECK_STR(written(a, TEXT_CSV, evil), "\"a?[31m???\n? <b>|\"\"`\"");
  CHECK_STR(written(a, TEXT_JSON, evil),
            "\"a\\u001b[31m\\u009b\\u202e\\u061c\\n\\ufffd <b>|\\\"`\"");
  CHECK_STR(written(a, TEXT_XML, evil), "a?[31m???\n? &lt;b&gt;|&quot;`");
}

static void test_formulas(Arena *a) {
  static const char *const plain[] = {"", "-1", "+0.5", "-1e9", "a=b", "1,5"};
  static const char *const formula[] = {"=1+1", "+cmd", "-2+3", "@SUM(A1)", "-"};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    CHECK(!strchr(written(a, TEXT_CSV, plain[i]), '\''), "%s", plain[i]);
  for (size_t i = 0; i < sizeof formula / sizeof *formula; i++)
    CHECK_STR(written(a, TEXT_CSV, formula[i]), arena_printf(a, "\"'%s\"", formula[i]));
}

static int encode(uint32_t c, char out[5]) {
  if (c < 0x80) return snprintf(out, 5, "%c", (int)c);
  if (c < 0x800) return snprintf(out, 5, "%c%c", (int)(0xc0 | c >> 6), (int)(0x80 | (c & 63)));
  if (c < 0x10000)
    return snprintf(out, 5, "%c%c%c", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 63)),
                    (int)(0x80 | (c & 63)));
  return snprintf(out, 5, "%c%c%c%c", (int)(0xf0 | c >> 18), (int)(0x80 | (c >> 12 & 63)),
                  (int)(0x80 | (c >> 6 & 63)), (int)(0x80 | (c & 63)));
}

static bool is_surrogate(uint32_t c) { return c >= 0xd800 && c < 0xe000; }

static void check_list(Arena *a, const char *text, size_t length, uint32_t first, uint32_t end) {
  const Source source = {"all.json", text, length};
  Diag *d = diag_new(a);
  const Yaml *list = yaml_get(yaml_read_report(a, d, source.path, &source), "all");
  int at = 0;
  char want[5];
  CHECK(diag_count(d) == 0, "U+%04X: %s", (unsigned)first, diag_first(d));
  for (uint32_t c = first; c < end && list; c++) {
    if (is_surrogate(c)) continue;
    encode(c, want);
    const char *got = at < list->count ? list->item[at]->text : "none";
    at++;
    CHECK(strcmp(got, want) == 0, "U+%04X is read as '%s'", (unsigned)c, got);
  }
}

/* Each character as kgen writes it, and raw, as JSON of others may have it. */
static void test_unicode(void) {
  enum { STEP = 0x1000 };
  for (uint32_t first = 1; first < 0x110000; first = (first & ~(uint32_t)(STEP - 1)) + STEP) {
    Arena *a = arena_new();
    Text written_by_kgen = text_new(a), raw = text_new(a);
    Json j = json_new(&written_by_kgen);
    const uint32_t end = (first & ~(uint32_t)(STEP - 1)) + STEP;
    json_object(&j, NULL);
    json_array(&j, "all");
    text_puts(&raw, "{\"all\": [");
    for (uint32_t c = first; c < end; c++) {
      char s[5];
      if (is_surrogate(c)) continue;
      encode(c, s);
      json_string(&j, NULL, s);
      const bool escaped = c < 0x20 || c == '"' || c == '\\';
      text_puts(&raw, c == first ? "\"" : ", \"");
      if (escaped)
        text_printf(&raw, "\\u%04x", (unsigned)c);
      else
        text_puts(&raw, s);
      text_puts(&raw, "\"");
    }
    json_ends(&j, 2);
    text_puts(&raw, "]}");
    check_list(a, written_by_kgen.s, written_by_kgen.len, first, end);
    check_list(a, raw.s, raw.len, first, end);
    for (const char *p = written_by_kgen.s; *p;) {
      int bytes;
      const uint32_t c = utf8_decode(p, p + strlen(p), &bytes);
      CHECK(c == '\n' || utf8_printable(c), "U+%04X is raw in JSON", (unsigned)c);
      p += bytes;
    }
    arena_free(a);
  }
}

#define SAME(...)                                                                                  \
  do {                                                                                             \
    Text plain = text_new(a), screen = text_screen(a);                                             \
    text_printf(&plain, __VA_ARGS__);                                                              \
    text_printf(&screen, __VA_ARGS__);                                                             \
    CHECK_STR(screen.s, plain.s);                                                                  \
  } while (0)

static void test_formats(Arena *a) {
  SAME("100%% of %d", INT_MIN);
  SAME("%5d|%-5d|%05d|%+d|% d|%i", 42, 42, 42, 42, 42, -1);
  SAME("%u %x %X %o %#x %08x", UINT_MAX, 255u, 255u, 8u, 255u, 0xbeefu);
  SAME("%ld %lu %lld %llu %zu %zd %td", LONG_MIN, ULONG_MAX, LLONG_MIN, ULLONG_MAX, SIZE_MAX,
       (ssize_t)-1, (ptrdiff_t)-2);
  SAME("%jd %ju %016llx", INTMAX_MIN, UINTMAX_MAX, 0x123456789abcdefull);
  SAME("%g %.3f %8.2f %-8.1f| %e %.9g", 0.1, 2.0 / 3, 3.14159, 2.5, 1e100, 1.0 / 3);
  SAME("%s|%10s|%-10s|%.2s|%*s|%-*s|%.*s|%c", "word", "word", "word", "word", 6, "word", 6, "word",
       3, "word", 'c');
  SAME("%*d|%.*f|%*s", -6, 7, 2, 1.0, 3, "");
}

static void test_screen(Arena *a) {
  Text t = text_screen(a);
  text_printf(&t, "kgen: %s: \033[1m%d\033[0m\n", evil, 1);
  CHECK_STR(t.s, "kgen: a?[31m????? <b>|\"`: \033[1m1\033[0m\n");
  Text w = text_screen(a);
  text_printf(&w, "%8s|%-8s|%.3s", "\xc3\xa9\n", "\xc3\xa9\n", "ab\n");
  CHECK_STR(w.s, "      \xc3\xa9?|\xc3\xa9?      |ab?");
  Text shown = text_new(a);
  static const char lines[] = "one\n\033[1;31mtwo\033[0m\r\033[2J\xc2\x85\tend\n";
  text_show(&shown, lines, strlen(lines));
  CHECK_STR(shown.s, "one\n\033[1;31mtwo\033[0m??[2J?\tend\n");
  CHECK_STR(text_clean(a, "a\nb"), "a?b");
}

static void test_cells(Arena *a) {
  static const CellsColumn head[] = {{"n", "name", true}, {"v", "value", false}};
  Cells c = cells_new(a, head, 2);
  const char **row = cells_add(&c);
  row[0] = "\xc3\xa9\033\nx";
  row[1] = "=1";
  Text plain = text_new(a), csv = text_new(a), markdown = text_new(a);
  cells_print(&c, &plain);
  cells_csv(&c, &csv);
  cells_markdown(&c, &markdown);
  CHECK_STR(plain.s, "name  value\n\xc3\xa9??x     =1\n");
  CHECK_STR(csv.s, "n,v\n\"\xc3\xa9?\nx\",\"'=1\"\n");
  CHECK_STR(markdown.s, "| name | value |\n| --- | --: |\n| \xc3\xa9?<br>x | =1 |\n");
}

int main(void) {
  Arena *a = arena_new();
  test_kinds(a);
  test_formulas(a);
  test_unicode();
  test_formats(a);
  test_screen(a);
  test_cells(a);
  arena_free(a);
  return check_report("text");
}
