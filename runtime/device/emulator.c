/* SPDX-License-Identifier: MIT */
/* emulator.c: the emulator backend. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "device/backend.h"
#include "emu/emu.h"

static bool emulator_open(Device *d) {
  d->state = emu_memory_new();
  if (!d->state) text_puts(&d->error, "emu_memory_new: out of memory");
  d->name = "PTX emulator";
  d->driver = "";
  return d->state != NULL;
}

static void emulator_close(Device *d) { emu_memory_free(d->state); }

/* FILE:LINE of the source, or of the PTX if that is unknown. NVRTC prepends the working directory
 * to the name of a source that is not a file. */
static void put_place(Text *out, const char *file, int line, int ptx_line) {
  text_printf(out, "%s:%d: ", file ? path_name(file) : "PTX", file ? line : ptx_line);
}

static void report_errors(Device *d, const EmuError *error, int count) {
  for (int i = 0; i < count; i++) {
    put_place(&d->error, error[i].file, error[i].line, error[i].ptx_line);
    text_printf(&d->error, "%s (PTX line %d)\n", error[i].message, error[i].ptx_line);
  }
}

static void *emulator_load(Device *d, const Jit *jit, const char *kernel, int64_t shared_bytes) {
  (void)shared_bytes;
  EmuModule *m = emu_load(d->state, jit->image, strnlen(jit->image, jit->size));
  int errors = 0;
  const EmuError *error = m ? emu_errors(m, &errors) : NULL;
  if (!m) text_puts(&d->error, "emu_load: out of memory");
  if (errors) report_errors(d, error, errors);
  if (m && !errors && emu_kernel(m, kernel)) return m;
  if (m && !errors) text_printf(&d->error, "emu_kernel: the PTX has no kernel %s", kernel);
  if (m) emu_unload(m);
  return NULL;
}

static void emulator_unload(Device *d, void *module) {
  (void)d;
  emu_unload(module);
}

static uint64_t emulator_alloc(Device *d, size_t bytes, const char *name) {
  const uint64_t address = emu_alloc(d->state, bytes, name);
  if (!address) text_printf(&d->error, "emu_alloc: no memory for %zu bytes", bytes);
  return address;
}

static void emulator_release(Device *d, uint64_t memory) { emu_free(d->state, memory); }

static bool emulator_upload(Device *d, uint64_t to, const void *from, size_t bytes) {
  if (emu_copy_in(d->state, to, from, bytes)) return true;
  text_puts(&d->error, "emu_copy_in: outside of every buffer");
  return false;
}

static bool emulator_download(Device *d, void *to, uint64_t from, size_t bytes) {
  if (emu_copy_out(d->state, to, from, bytes)) return true;
  text_puts(&d->error, "emu_copy_out: outside of every buffer");
  return false;
}

static bool emulator_tensor_map_encode(Device *d, const TensorMap *map, void *out) {
  const char *why = emu_tensor_map_encode(map, out);
  if (why) text_printf(&d->error, "emu_tensor_map_encode: %s", why);
  return !why;
}

static void note_finding(Text *out, const EmuFinding *f) {
  put_place(out, f->file, f->line, f->ptx_line);
  text_printf(out, "%s: %s, thread (%u, %u, %u) of block (%u, %u, %u), %llu in all\n",
              emu_finding_kind_name[f->kind], f->message, f->thread[0], f->thread[1], f->thread[2],
              f->block[0], f->block[1], f->block[2], (unsigned long long)f->count);
}

/* Prints the kernel's output in one write: several specs may run at once. */
static void pass_on(const EmuResult *r) {
  if (r->printed_bytes) fwrite(r->printed, 1, r->printed_bytes, stderr);
  if (r->printf_dropped)
    fprintf(stderr, "kgen: the kernel printed more than %d bytes: %llu calls dropped\n",
            EMU_PRINT_BYTES, (unsigned long long)r->printf_dropped);
}

static EmuLaunch emu_launch_of(const Launch *l) {
  EmuLaunch e = {.kernel = l->kernel, .dynamic_shared = l->shared_bytes, .args = l->args};
  memcpy(e.grid, l->grid, sizeof e.grid);
  memcpy(e.block, l->block, sizeof e.block);
  memcpy(e.cluster, l->cluster, sizeof e.cluster);
  return e;
}

/* A template's declaration and its kernel are separate files: a missing or short argument would be
 * read beyond its end. */
static bool args_fit(Device *d, const Launch *l) {
  const EmuKernel *kernel = emu_kernel(l->module, l->kernel);
  if (!kernel || !l->arg_bytes) return true;
  if (kernel->params != l->arg_count)
    text_printf(&d->error, "%s has %d parameters, but the family's args are %d", l->kernel,
                kernel->params, l->arg_count);
  if (kernel->params != l->arg_count) return false;
  for (int i = 0; i < l->arg_count; i++) {
    if (kernel->param[i].bytes == l->arg_bytes[i]) continue;
    text_printf(&d->error, "parameter %d of %s has %u bytes, but that of the family's args %zu",
                i + 1, l->kernel, kernel->param[i].bytes, l->arg_bytes[i]);
    return false;
  }
  return true;
}

/* The sectors of global memory requested by stores, or by loads and cp.async. */
static int64_t sectors(const EmuResult *r, bool stores) {
  uint64_t sum = 0;
  for (int i = 0; i < r->accesses; i++) {
    const EmuAccess *a = &r->access[i];
    if (a->kind != EMU_ATOMIC && (a->kind == EMU_STORE) == stores) sum += a->sectors;
  }
  return (int64_t)sum;
}

static bool emulator_count(Device *d, const Launch *l, Counters *out) {
  if (!args_fit(d, l)) return false;
  const EmuLaunch launch = emu_launch_of(l);
  EmuResult *r = emu_launch(l->module, &launch);
  if (!r || r->error[0]) text_printf(&d->error, "emu_launch: %s", r ? r->error : "out of memory");
  if (r) pass_on(r);
  const bool ran = r && !r->error[0];
  for (int i = 0; ran && i < r->findings; i++) note_finding(&d->findings, &r->finding[i]);
  if (ran)
    *out = (Counters){.known = true,
                      .exact = true,
                      .load = (int64_t)r->load.wavefronts,
                      .apart = true,
                      .store = (int64_t)r->store.wavefronts,
                      .copy = (int64_t)r->copy.wavefronts,
                      .wgmma = (int64_t)r->wgmma.wavefronts,
                      .load_sectors = sectors(r, false),
                      .store_sectors = sectors(r, true)};
  if (r) emu_result_free(r);
  return ran;
}

static bool emulator_launch(Device *d, const Launch *l) {
  Counters ignored;
  return emulator_count(d, l, &ignored);
}

/* No guard is needed: the emulator detects accesses outside a buffer. */
const Backend backend_emulator = {
    .name = "emulator",
    .form = JIT_PTX,
    .open = emulator_open,
    .close = emulator_close,
    .load = emulator_load,
    .unload = emulator_unload,
    .alloc = emulator_alloc,
    .release = emulator_release,
    .upload = emulator_upload,
    .download = emulator_download,
    .tensor_map_encode = emulator_tensor_map_encode,
    .launch = emulator_launch,
    .count = emulator_count,
};
