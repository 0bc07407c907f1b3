/* SPDX-License-Identifier: MIT */
/* The tables of docs/reference/ptx.md are made of the tables of opcodes: lists what the emulator
 * executes. With an argument, writes the page to that file. */
#include <stdlib.h>

#include "emu/arith/arith_mma_opcode.h"
#include "emu/arith/arith_wgmma_opcode.h"
#include "emu/op/opcode.h"
#include "emu/op/wmma_shape.h"
#include "emu/row_coverage.h"

enum { MOST_NAMES = 128, MAX_PAGE = 1 << 20 };

static const char intro[] =
    "# PTX\n\n"
    "For engineers whose kernel uses PTX, and who ask what `kgen lint` and `kgen exec` execute. "
    "The page is generated from the\n"
    "emulator's tables of opcodes: `build/tests/emu_opcode_page docs/reference/ptx.md`.\n\n"
    "An instruction that is not listed, or has another modifier, is an error that names what is "
    "accepted. Only kernels that\n"
    "contain it cannot run. Modifiers may be in any order, as ptxas accepts some after the "
    "type.\n\n";

static void put_words(Text *t, uint32_t flags) {
  for (uint32_t flag = 1; flag; flag <<= 1)
    if (flags & flag) text_printf(t, " `.%s`", arith_flag_name(flag));
}

static void put_roundings(Text *t, uint32_t rounds) {
  for (unsigned r = 1; r <= ARITH_RPI; r++)
    if (rounds >> r & 1) text_printf(t, " `.%s`", arith_round_name((ArithRound)r));
}

static void put_types(Text *t, uint64_t types) {
  const char *between = "";
  for (unsigned k = 1; k < ARITH_TYPES; k++) {
    if (!(types >> k & 1)) continue;
    text_printf(t, "%s`%s`", between, arith_type_name((ArithType)k));
    between = " ";
  }
}

/* All rows of an opcode as one. */
typedef struct {
  const char *op, *what;
  uint64_t types, from, translated;
  uint32_t flags, rounds, extra;
} Summary;

static int by_name(const void *a, const void *b) {
  return strcmp(((const Summary *)a)->op, ((const Summary *)b)->op);
}

static int summarize(Summary *all, const Coverage *c) {
  int count = 0;
  for (int i = 0; i < c->rows; i++) {
    const ArithRow *row = c->row[i].row;
    int k = 0;
    while (k < count && strcmp(all[k].op, row->op) != 0) k++;
    if (k == count) all[count++] = (Summary){.op = row->op};
    Summary *s = &all[k];
    if (!s->what) s->what = row->what;
    s->types |= row->types;
    s->from |= row->from;
    s->flags |= row->must | row->may;
    s->rounds |= row->rounds;
    s->extra |= row->extra;
    if (row->native) s->translated |= row->types;
  }
  qsort(all, (size_t)count, sizeof *all, by_name);
  return count;
}

static void put_summary(Text *t, const Summary *s) {
  const bool three = strchr(s->op, '3') == s->op + 3 && s->op[0] == 'm';
  text_printf(t, "| `%.*s`%s | ", three ? 3 : (int)strlen(s->op), s->op,
              three ? " of three sources" : "");
  put_types(t, s->types);
  if (s->from) text_puts(t, "; from ");
  put_types(t, s->from);
  text_puts(t, " |");
  put_roundings(t, s->rounds);
  put_words(t, s->flags);
  if (s->extra & ARITH_COMPARISON) text_puts(t, " a comparison");
  if (s->extra & ARITH_LOGIC) text_puts(t, " `.and` `.or` `.xor`");
  if (s->extra & ARITH_TEST) text_puts(t, " a property");
  if (s->extra & ARITH_PRMT_MODE) text_puts(t, " a mode");
  text_puts(t, " | ");
  put_types(t, s->translated);
  text_printf(t, " | %s |\n", s->what ? s->what : "");
}

static void put_arithmetic(Text *t, const Coverage *c) {
  static Summary all[MOST_NAMES];
  const int count = summarize(all, c);
  text_puts(t, "## Arithmetic\n\n"
               "Not every modifier goes with every type: see the PTX ISA. `kgen exec` translates "
               "kernels that run long to C; other\n"
               "types than those in that column then call the interpreter.\n\n"
               "| opcode | types | modifiers | translated | result |\n|---|---|---|---|---|\n");
  for (int i = 0; i < count; i++) {
    CHECK(all[i].what || strchr(all[i].op, '3'), "%s has no description", all[i].op);
    put_summary(t, &all[i]);
  }
  text_printf(
      t,
      "\nThese are %d rows, which take %d types. An H200 and the emulator executed %d of them with "
      "equal operands.\n"
      "Both left the same bits. Instructions that PTX calls approximate left values as close as "
      "the ISA demands.\n"
      "%d are of later processors, ptxas 13.0 rejects %d, and %d were not measured on hardware.\n"
      "A test executes each row with each type.\n\n",
      c->rows, c->pairs, c->measured, c->without[LATER], c->without[REJECTED],
      c->without[UNMEASURED]);
}

/* "sync x1|x2 [trans]" as ".sync {.x1 .x2} [.trans]" */
static void put_form(Text *t, const char *form) {
  for (const char *at = form; *(at += strspn(at, " "));) {
    const size_t length = strcspn(at, " ");
    const bool optional = *at == '[', some = memchr(at, '|', length);
    text_puts(t, at == form ? "" : " ");
    text_puts(t, optional ? "[." : some ? "{." : ".");
    for (const char *c = at + optional, *end = at + length - optional; c < end; c++)
      text_printf(t, *c == '|' ? " ." : "%c", *c);
    text_puts(t, optional ? "]" : some ? "}" : "");
    at += length;
  }
}

static void put_others(Text *t) {
  size_t rows;
  const Opcode *row = opcode_rows(&rows);
  text_puts(t, "## Other instructions\n\n"
               "`[.x]` may be absent, `{.x .y}` means one of them.\n\n"
               "| opcode | modifiers | operands | meaning |\n|---|---|---|---|\n");
  for (size_t i = 0; i < rows; i++) {
    CHECK(row[i].what && row[i].operands, "%s has no description", row[i].name);
    text_printf(t, "| `%s` | ", row[i].name);
    if (row[i].form && *row[i].form) {
      text_puts(t, "`");
      put_form(t, row[i].form);
      text_puts(t, "`");
    } else if (!row[i].form) {
      text_puts(t, "see below, or the PTX ISA");
    }
    text_puts(t, " | ");
    for (const char *c = row[i].operands; *c; c++) text_printf(t, *c == '|' ? "\\|" : "%c", *c);
    text_printf(t, " | %s |\n", row[i].what);
  }
  text_puts(t, "\nVideo instructions (`vadd`, `vset4`, ...) are executed too.\n");
}

/* --- matrix products: what the resolvers accept --- */

static const char *const logic_of_bits[] = {".xor.popc", ".and.popc"};

static bool has_mma(bool sparse, int m, int k, const char *a, const char *d) {
  char opcode[128];
  ArithMma mma;
  const char *logic = strcmp(a, "b1") == 0 ? logic_of_bits[0] : "";
  snprintf(opcode, sizeof opcode, "mma%s.sync.aligned.m%dn8k%d.row.col.%s.%s.%s.%s%s",
           sparse ? ".sp" : "", m, k, d, a, a, d, logic);
  return arith_resolve_mma(opcode, &mma) == ARITH_OK;
}

static bool has_wgmma(int k, const char *a, const char *d) {
  char opcode[128];
  ArithWgmma wgmma;
  snprintf(opcode, sizeof opcode, "wgmma.mma_async.sync.aligned.m64n64k%d.%s.%s.%s%s", k, d, a, a,
           strcmp(a, "b1") == 0 ? logic_of_bits[1] : "");
  return arith_resolve_wgmma(opcode, &wgmma) == ARITH_OK;
}

static bool has_wmma(int m, int n, int k, const char *a, const char *d) {
  char name[16];
  snprintf(name, sizeof name, "m%dn%dk%d", m, n, k);
  const WmmaShape *shape = wmma_shape(name);
  bool adds = false; /* a wmma is a few mma */
  for (int mma_k = 4; mma_k <= 256; mma_k *= 2)
    adds |= has_mma(false, 8, mma_k, a, d) || has_mma(false, 16, mma_k, a, d);
  return shape && adds && wmma_shape_has(shape, WMMA_A, arith_type(a, (unsigned)strlen(a))) &&
         wmma_shape_has(shape, WMMA_C, arith_type(d, (unsigned)strlen(d)));
}

typedef struct {
  const char *opcode;
  int m, n, k;
} Product;

static bool has_product(const Product *p, const char *a, const char *d) {
  if (strcmp(p->opcode, "wgmma") == 0) return has_wgmma(p->k, a, d);
  if (strcmp(p->opcode, "wmma") == 0) return has_wmma(p->m, p->n, p->k, a, d);
  return p->n == 8 && has_mma(strcmp(p->opcode, "mma.sp") == 0, p->m, p->k, a, d);
}

/* "f16: f16 f32; bf16: f32", or nothing. */
static const char *types_of(Arena *a, const Product *p) {
  static const char *const from[] = {"f16", "bf16", "tf32", "f64", "e4m3", "e5m2",
                                     "s8",  "u8",   "s4",   "u4",  "b1"};
  static const char *const to[] = {"f16", "f32", "f64", "s32"};
  Text all = text_new(a);
  for (size_t i = 0; i < ARITH_COUNT(from); i++) {
    Text results = text_new(a);
    for (size_t k = 0; k < ARITH_COUNT(to); k++)
      if (has_product(p, from[i], to[k])) text_printf(&results, " `%s`", to[k]);
    if (results.len) text_printf(&all, "%s`%s` to%s", all.len ? "; " : "", from[i], results.s);
  }
  return all.s;
}

static void put_products(Text *t) {
  static const char *const opcodes[] = {"mma", "mma.sp", "wmma", "wgmma"};
  static const int sides[][2] = {{8, 8}, {16, 8}, {16, 16}, {32, 8}, {8, 32}, {64, 0}};
  int shapes = 0;
  text_puts(
      t, "\n## Matrix products\n\n"
         "`wgmma` takes n from 8 to 256: multiples of 8, of 16 for integers from 32 on. Types of a "
         "row may be mixed as in the ISA.\n\n"
         "| opcode | shape | types of A and B to those of C and D |\n|---|---|---|\n");
  for (size_t o = 0; o < ARITH_COUNT(opcodes); o++)
    for (size_t i = 0; i < ARITH_COUNT(sides); i++)
      for (int k = 4; k <= 256; k *= 2) {
        const Product p = {opcodes[o], sides[i][0], sides[i][1], k};
        if ((p.m == 64) != (strcmp(p.opcode, "wgmma") == 0)) continue;
        const char *types = types_of(t->arena, &p);
        if (!*types) continue;
        const char *n = p.n ? arena_printf(t->arena, "%d", p.n) : "N";
        text_printf(t, "| `%s` | m%dn%sk%d | %s |\n", p.opcode, p.m, n, k, types);
        shapes++;
      }
  CHECK(shapes > 25, "only %d shapes", shapes);
}

int main(int argc, char **argv) {
  static Coverage c;
  static IsaList list;
  size_t length;
  Arena *a = arena_new();
  Text page = text_new(a);
  isa_list_read(a, "isa.txt", &list);
  coverage_count(&c, &list);
  text_puts(&page, intro);
  put_arithmetic(&page, &c);
  put_others(&page);
  put_products(&page);
  if (argc > 1 && !file_write(argv[1], page.s, page.len)) die("cannot write %s", argv[1]);
  const char *have =
      file_read(a, arena_printf(a, "%s/docs/reference/ptx.md", KGEN_SOURCE_DIR), MAX_PAGE, &length);
  CHECK(have && strcmp(have, page.s) == 0,
        "docs/reference/ptx.md is not what the tables say: build/tests/emu_opcode_page "
        "docs/reference/ptx.md");
  arena_free(a);
  return check_report("emu_opcode_page");
}
