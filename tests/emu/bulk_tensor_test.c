/* SPDX-License-Identifier: MIT */
/* Tensor copies against host arithmetic: 1 to 5 dimensions, all types and swizzles, element
 * strides, coordinates in and out of the tensor, loads, stores and reductions. */
#include "emu/emu_bulk.h"

static uint32_t in[BULK_BYTES / 4], out[BULK_BYTES / 4], want[BULK_BYTES / 4];

/* --- a model of its own: element by element --- */

typedef struct {
  const TensorMap *map;
  const int32_t *coord;
  unsigned size;
  int64_t inner; /* elements of a row that are moved */
} Model;

static Model model_of(const TensorMap *m, const int32_t *coord) {
  return (Model){m, coord, (unsigned)tensor_type_bytes(m->type), (int64_t)m->dim[0]};
}

/* The byte of the tensor's memory that holds element `at` of the box; -1: outside. */
static int64_t in_tensor(const Model *m, const uint32_t at[5]) {
  int64_t byte = 0;
  for (int i = 0; i < m->map->rank; i++) {
    const int64_t c = (int64_t)m->coord[i] + (int64_t)at[i] * (i ? m->map->step[i] : 1);
    if (c < 0 || c >= (i ? (int64_t)m->map->dim[i] : m->inner)) return -1;
    byte += c * (int64_t)(i ? m->map->stride[i] : m->size);
  }
  return byte;
}

/* The offset of an element in shared memory, from a multiple of 1,024: by cuda.h's swizzles the
 * 16-byte column j of the i-th line of 128 bytes becomes j ^ (i & 7), j ^ (i & 3) or j ^ (i &
 * 1). */
static uint32_t in_shared(const Model *m, uint32_t element) {
  const uint32_t inner = m->map->box[0] * m->size, swizzle = (uint32_t)m->map->swizzle;
  const uint32_t pitch = inner < swizzle ? swizzle : inner;
  const uint32_t byte = element * m->size, a = byte / inner * pitch + byte % inner;
  const uint32_t line = a / 128 % 8, chunk = a / 16 % 8;
  const uint32_t flip = line & (swizzle ? swizzle / 16 - 1 : 0);
  return a / 128 * 128 + (chunk ^ flip) * 16 + a % 16;
}

typedef void Visit(const Model *m, uint32_t shared, int64_t tensor);

static void for_elements(const Model *m, Visit *visit) {
  uint32_t at[5] = {0}, element = 0;
  for (;;) {
    visit(m, in_shared(m, element++), in_tensor(m, at));
    int i = 0;
    while (i < m->map->rank && ++at[i] == tensor_map_extent(m->map, i)) at[i++] = 0;
    if (i == m->map->rank) return;
  }
}

/* To 10 bits of fraction, of two as near the even one; all NaNs are one [measured on an H200]. */
static uint32_t rounded(uint32_t bits) {
  const uint32_t cut = bits & 0x1fff, kept = bits - cut;
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fffe000;
  return kept + (cut > 0x1000 || (cut == 0x1000 && kept & 0x2000) ? 0x2000 : 0);
}

static void load_element(const Model *m, uint32_t shared, int64_t tensor) {
  unsigned char *to = (unsigned char *)want + shared;
  if (tensor < 0)
    memset(to, 0, m->size);
  else
    memcpy(to, (const unsigned char *)in + tensor, m->size);
  if (m->map->type != TENSOR_TF32 && m->map->type != TENSOR_TF32_FTZ) return;
  want[shared / 4] = rounded(want[shared / 4]);
}

static void store_element(const Model *m, uint32_t shared, int64_t tensor) {
  if (tensor >= 0)
    memcpy((unsigned char *)want + tensor, (const unsigned char *)in + shared, m->size);
}

/* --- maps --- */

static TensorMap map_of(TensorType type, int rank, int swizzle, uint32_t row, uint32_t step) {
  TensorMap m = {.type = type, .rank = rank, .swizzle = swizzle};
  const unsigned size = (unsigned)tensor_type_bytes(type);
  m.box[0] = row / size;
  m.dim[0] = rank == 1 ? 300 : row / size + 5;
  uint64_t stride = (m.dim[0] * size + 15) / 16 * 16 + 16;
  for (int i = 1; i < rank; i++) {
    m.dim[i] = i == 1 ? 9 : 3;
    m.box[i] = i == 1 ? 6 : 2;
    m.step[i] = i == 1 ? step : 1;
    m.stride[i] = stride;
    stride *= m.dim[i];
  }
  m.step[0] = 1;
  return m;
}

static void fill_in(void) {
  for (uint32_t i = 0; i < BULK_BYTES / 4; i++) in[i] = i * 2654435761u + 12345;
  memset(out, 0x5a, sizeof out);
}

static void compare(const char *what, const TensorMap *m, const EmuResult *r) {
  char name[128];
  snprintf(name, sizeof name, "%s: type %d, rank %d, swizzle %d, step %u", what, m->type, m->rank,
           m->swizzle, m->rank > 1 ? m->step[1] : 1);
  check_clean(r, name);
  uint32_t i = 0;
  while (i < BULK_BYTES / 4 && out[i] == want[i]) i++;
  CHECK(i == BULK_BYTES / 4, "%s: word %u is 0x%08x, want 0x%08x", name, i, out[i], want[i]);
}

static const char *const coords[] = {"%r4", "%r4, %r5", "%r4, %r5, %r6", "%r4, %r5, %r6, %r7",
                                     "%r4, %r5, %r6, %r7, %r8"};
static const char *const dims[] = {"1d", "2d", "3d", "4d", "5d"};

/* Corners of boxes; in the innermost dimension in units of 16 bytes, since the hardware takes no
 * others. */
static const int32_t places[][5] = {
    {0, 0, 0, 0, 0}, {1, 2, 1, 1, 0}, {-1, -1, 0, -1, 1}, {-2, 5, 2, 1, -1}, {100, 0, 0, 0, 0}};

/* A corner in elements; the corner of a store is not before the tensor. */
static void corner(const TensorMap *m, const int32_t *place, bool stores, int32_t coord[5]) {
  const int32_t piece = 16 / tensor_type_bytes(m->type);
  for (int i = 0; i < 5; i++) coord[i] = stores && place[i] < 0 ? -place[i] : place[i];
  coord[0] *= piece;
}

static void load(const TensorMap *m, const int32_t *place) {
  char bytes[16];
  int32_t coord[5];
  corner(m, place, false, coord);
  const Model model = model_of(m, coord);
  snprintf(bytes, sizeof bytes, "%u", tensor_map_box_bytes(m));
  fill_in();
  memcpy(want, in, sizeof want);
  for_elements(&model, load_element);
  const BulkRun run = {
      .name = "load",
      .body = FILL("32768") "fence.proxy.async;\n" INIT("1") EXPECT(
          "$0") "@%p0 "
                "cp.async.bulk.tensor.$1.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                " [%r1], [%d2, {$2}], [%r2];\n" WAIT("w", "0") DUMP("32768"),
      .with = {bytes, dims[m->rank - 1], coords[m->rank - 1]},
      .grid = 1,
      .block = 32,
      .map = m,
      .in = in,
      .out = out,
      .coord = {coord[0], coord[1], coord[2], coord[3], coord[4]}};
  EmuResult *r = bulk_run(&run);
  compare("load", m, r);
  const uint64_t wavefronts = (tensor_map_box_bytes(m) + 127) / 128;
  CHECK(r->bulk.wavefronts == wavefronts && r->bulk.ideal == wavefronts, "%s bytes: %u wavefronts",
        bytes, (unsigned)r->bulk.wavefronts);
  emu_result_free(r);
}

/* A store or a reduction writes the last 16 bytes of a row entirely [measured on an H200]. */
static Model model_of_store(const TensorMap *m, const int32_t *coord) {
  Model model = model_of(m, coord);
  model.inner = (model.inner * model.size + 15) / 16 * 16 / model.size;
  return model;
}

static void store(const TensorMap *m, const int32_t *place) {
  int32_t coord[5];
  corner(m, place, true, coord);
  const Model model = model_of_store(m, coord);
  fill_in();
  memcpy(want, out, sizeof want);
  for_elements(&model, store_element);
  const BulkRun run = {
      .name = "store",
      .body = FILL("32768") "fence.proxy.async; bar.sync 0;\n"
                            "@%p0 cp.async.bulk.tensor.$0.global.shared::cta.bulk_group"
                            " [%d2, {$1}], [%r1];\n@%p0 cp.async.bulk.commit_group;\n"
                            "@%p0 cp.async.bulk.wait_group 0;\n",
      .with = {dims[m->rank - 1], coords[m->rank - 1]},
      .grid = 1,
      .block = 32,
      .map = m,
      .map_of_out = true,
      .in = in,
      .out = out,
      .coord = {coord[0], coord[1], coord[2], coord[3], coord[4]}};
  EmuResult *r = bulk_run(&run);
  compare("store", m, r);
  emu_result_free(r);
}

static void test_shapes(void) {
  static const int swizzles[] = {0, 32, 64, 128};
  static const uint32_t rows[] = {48, 32, 64, 128};
  for (int rank = 1; rank <= 5; rank++)
    for (int s = 0; s < 4; s++) {
      const TensorType type = (TensorType)((rank * 5 + s * 3) % TENSOR_TYPES);
      const TensorMap m = map_of(type, rank, swizzles[s], rows[s], 1 + (uint32_t)s % 3);
      const int32_t *place = places[(rank + s) % 4];
      load(&m, place);
      store(&m, place);
    }
  for (int t = 0; t < TENSOR_TYPES; t++) {
    const TensorMap m = map_of((TensorType)t, 2, 128, 128, 1);
    load(&m, places[t % 5]);
    store(&m, places[(t + 1) % 5]);
  }
  const TensorMap narrow = map_of(TENSOR_F16, 2, 128, 64, 1);
  load(&narrow, places[1]);
  store(&narrow, places[2]);
}

static void test_nan(void) {
  TensorMap m = map_of(TENSOR_F32, 1, 0, 64, 1);
  int32_t coord[5];
  corner(&m, places[4], false, coord);
  m.fill_nan = true;
  fill_in();
  const BulkRun run = {
      .name = "nan",
      .grid = 1,
      .block = 16,
      .map = &m,
      .in = in,
      .out = out,
      .coord = {coord[0]},
      .body = INIT("1")
          EXPECT("64") "@%p0 cp.async.bulk.tensor.1d.shared::cta."
                       "global.mbarrier::complete_tx::bytes [%r1], [%d2, {%r4}], [%r2];\n" WAIT(
                           "w", "0") "bar.sync 0;\n" DUMP("64")};
  EmuResult *r = bulk_run(&run);
  check_clean(r, "nan");
  for (int i = 0; i < 16; i++) CHECK(out[i] == 0x7ff77ff7, "element %d is 0x%08x", i, out[i]);
  emu_result_free(r);
}

/* --- reductions --- */

typedef struct {
  const char *op;
  TensorType type;
  uint32_t (*combine)(uint32_t old, uint32_t value);
} Reduction;

static uint32_t add(uint32_t a, uint32_t b) { return a + b; }
static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t most_signed(uint32_t a, uint32_t b) { return (int32_t)a > (int32_t)b ? a : b; }
static uint32_t both(uint32_t a, uint32_t b) { return a & b; }
static uint32_t any(uint32_t a, uint32_t b) { return a | b; }
static uint32_t differ(uint32_t a, uint32_t b) { return a ^ b; }
static uint32_t up(uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }
static uint32_t down(uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; }
static uint32_t add_float(uint32_t a, uint32_t b) {
  float x, y;
  memcpy(&x, &a, 4);
  memcpy(&y, &b, 4);
  x += y;
  memcpy(&a, &x, 4);
  return a;
}

static const Reduction reductions[] = {
    {"add", TENSOR_U32, add},  {"min", TENSOR_U32, least}, {"max", TENSOR_S32, most_signed},
    {"and", TENSOR_U32, both}, {"or", TENSOR_U32, any},    {"xor", TENSOR_S32, differ},
    {"inc", TENSOR_U32, up},   {"dec", TENSOR_U32, down},  {"add", TENSOR_F32, add_float}};
static const Reduction *reduction;

static void reduce_element(const Model *m, uint32_t shared, int64_t tensor) {
  (void)m;
  if (tensor >= 0) want[tensor / 4] = reduction->combine(want[tensor / 4], in[shared / 4]);
}

static void fill_small(bool real) {
  for (uint32_t i = 0; i < BULK_BYTES / 4; i++) {
    const float x = (float)i * 0.5f, y = 1000.0f - (float)i;
    in[i] = i * 2654435761u;
    out[i] = i * 40503u + 7;
    if (real) memcpy(&in[i], &x, 4), memcpy(&out[i], &y, 4);
  }
}

static const char reduce_body[] =
    FILL("32768") "fence.proxy.async; bar.sync 0;\n@%p0 cp.reduce.async.bulk.tensor.2d"
                  ".global.shared::cta.$0.tile.bulk_group [%d2, {%r4, %r5}], [%r1];\n"
                  "@%p0 cp.async.bulk.commit_group; @%p0 cp.async.bulk.wait_group 0;\n";

static void test_reductions(void) {
  for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
    reduction = &reductions[i];
    const TensorMap m = map_of(reduction->type, 2, 64, 64, 1);
    int32_t coord[5];
    corner(&m, places[3], true, coord); /* a box beyond the rows' ends */
    const Model model = model_of_store(&m, coord);
    fill_small(reduction->type == TENSOR_F32);
    memcpy(want, out, sizeof want);
    for_elements(&model, reduce_element);
    const BulkRun run = {.name = reduction->op,
                         .body = reduce_body,
                         .with = {reduction->op},
                         .grid = 1,
                         .block = 32,
                         .map = &m,
                         .map_of_out = true,
                         .in = in,
                         .out = out,
                         .coord = {coord[0], coord[1]}};
    EmuResult *r = bulk_run(&run);
    compare(reduction->op, &m, r);
    emu_result_free(r);
  }
}

/* --- corners that an H200 ends with an illegal instruction --- */

static void refuse(const char *what, const char *body, int32_t x, int32_t y) {
  const TensorMap m = map_of(TENSOR_F16, 2, 128, 128, 1);
  fill_in();
  const BulkRun run = {.name = what,
                       .body = body,
                       .grid = 1,
                       .block = 32,
                       .map = &m,
                       .map_of_out = true,
                       .in = in,
                       .out = out,
                       .coord = {x, y}};
  EmuResult *r = bulk_run(&run);
  bool told = false;
  for (int i = 0; i < r->findings; i++) told = told || r->finding[i].kind == EMU_MISALIGNED;
  CHECK(told, "%s at %d, %d: not told", what, x, y);
  emu_result_free(r);
}

static void test_corners(void) {
  static const char load_body[] =
      INIT("1") EXPECT("768") "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                              ".mbarrier::complete_tx::bytes [%r1], [%d2, {%r4, %r5}], [%r2];\n";
  static const char store_body[] =
      FILL("768") "fence.proxy.async; bar.sync 0;\n@%p0 cp.async.bulk.tensor.2d.global"
                  ".shared::cta.bulk_group [%d2, {%r4, %r5}], [%r1];\n"
                  "@%p0 cp.async.bulk.commit_group; @%p0 cp.async.bulk.wait_group 0;\n";
  static const char and_body[] =
      FILL("768") "fence.proxy.async; bar.sync 0;\n@%p0 cp.reduce.async.bulk.tensor.2d.global"
                  ".shared::cta.and.bulk_group [%d2, {%r4, %r5}], [%r1];\n"
                  "@%p0 cp.async.bulk.commit_group; @%p0 cp.async.bulk.wait_group 0;\n";
  refuse("load", load_body, 3, 0);
  refuse("load", load_body, -3, 0);
  refuse("store", store_body, 3, 0);
  refuse("store", store_body, -8, 0);
  refuse("store", store_body, 0, -1);
  refuse("and of halves", and_body, 0, 0);
}

int main(void) {
  test_shapes();
  test_corners();
  test_nan();
  test_reductions();
  return check_report("emu_bulk_tensor");
}
