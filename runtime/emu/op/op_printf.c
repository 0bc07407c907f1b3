/* SPDX-License-Identifier: MIT */
/*
 * printf: vprintf(format, arguments) of the device runtime. The arguments are in memory, each
 * aligned to its size: 4 bytes, or 8 for l, ll, doubles and pointers [CUDA Programming Guide,
 * "Formatted Output"]. What CUDA does not document as a conversion is printed unchanged.
 */
#include "emu/op/op_printf.h"

#include <stdio.h>
#include <string.h>

#include "emu/run/access/memory.h"
#include "emu/run/state/finding.h"
#include "emu/run/undef/memory.h"

enum { MAX_FIELD = EMU_PRINT_BYTES + 1, MAX_SPEC = 32, NO_FORMAT = -1, FAULT = -2 };

/* The state of one lane's call. */
typedef struct {
  Warp *warp;
  const Insn *insn;
  unsigned lane;
  uint64_t format, argument, offset; /* of the next character; of the arguments, and within them */
  int taken; /* arguments read so far, which is what printf returns on a GPU */
  bool failed, full;
  Printed *out;
  size_t length; /* of the text with this call */
} Call;

/* %[flags][width][.precision][size]type */
typedef struct {
  char text[MAX_SPEC]; /* as the kernel wrote it */
  int length;
  char flags[8];
  int width, precision; /* precision -1: none */
  int longs, shorts;
  char type;
} Spec;

/* --- memory --- */

static void fault(Call *call, const char *what, uint64_t address) {
  call->failed = true;
  finding_report(call->warp, call->insn, EMU_OUT_OF_BOUNDS, call->lane,
                 "printf reads its %s at 0x%llx, where there is nothing", what,
                 (unsigned long long)address);
}

/* The character, or 0 after a fault. */
static char char_at(Call *call, const char *what, uint64_t address) {
  const uint8_t *at = access_peek(call->warp, call->lane, address, 1);
  if (!at) fault(call, what, address);
  return at ? (char)*at : '\0';
}

/* Reads the next argument's 4 or 8 bytes. */
static uint64_t next_argument(Call *call, unsigned bytes) {
  call->offset = (call->offset + bytes - 1) & ~(uint64_t)(bytes - 1);
  const uint64_t address = call->argument + call->offset;
  const uint8_t *at = access_peek(call->warp, call->lane, address, bytes);
  uint64_t value = 0;
  if (at) {
    memcpy(&value, at, bytes);
    undef_demand_at(call->warp, call->insn, call->lane, address, bytes, "is printed");
  } else {
    fault(call, "arguments", address);
  }
  call->offset += bytes;
  call->taken++;
  return value;
}

/* --- text --- */

static void put(Call *call, const char *text, size_t n) {
  call->full |= n > call->out->room - call->length;
  if (call->full) return;
  memcpy(call->out->text + call->length, text, n);
  call->length += n;
}

/* Room for snprintf and its NUL, or NULL. */
static char *room(const Call *call, size_t *bytes) {
  *bytes = call->out->room - call->length + 1;
  return call->full ? NULL : call->out->text + call->length;
}

static void advance(Call *call, int printed) {
  call->full |= printed < 0 || (size_t)printed > call->out->room - call->length;
  if (!call->full) call->length += (size_t)printed;
}

/* --- conversions --- */

/* Writes the format for the host's printf, such as "%-0*.*lld". */
static void host_format(const Spec *spec, const char *size, char out[MAX_SPEC]) {
  snprintf(out, MAX_SPEC, "%%%s*.*%s%c", spec->flags, size, spec->type);
}

/* The value in the width that the size says. */
static uint64_t narrowed(const Spec *spec, uint64_t value) {
  const bool is_signed = spec->type == 'd' || spec->type == 'i';
  if (spec->longs) return value;
  if (spec->shorts > 1) return is_signed ? (uint64_t)(int8_t)value : (uint8_t)value;
  if (spec->shorts) return is_signed ? (uint64_t)(int16_t)value : (uint16_t)value;
  return is_signed ? (uint64_t)(int32_t)value : (uint32_t)value;
}

static void put_integer(Call *call, const Spec *spec) {
  size_t bytes;
  char format[MAX_SPEC], *at = room(call, &bytes);
  const uint64_t value = narrowed(spec, next_argument(call, spec->longs ? 8 : 4));
  host_format(spec, "ll", format);
  if (at) advance(call, snprintf(at, bytes, format, spec->width, spec->precision, value));
}

static void put_real(Call *call, const Spec *spec) {
  size_t bytes;
  char format[MAX_SPEC], *at = room(call, &bytes);
  const uint64_t bits = next_argument(call, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  host_format(spec, "", format);
  if (at) advance(call, snprintf(at, bytes, format, spec->width, spec->precision, value));
}

static void put_pointer(Call *call, const Spec *spec) {
  size_t bytes;
  char format[MAX_SPEC], *at = room(call, &bytes);
  void *value = (void *)(uintptr_t)next_argument(call, 8);
  host_format(spec, "", format);
  if (at) advance(call, snprintf(at, bytes, format, spec->width, spec->precision, value));
}

/* Writes padding before a text of n characters, or after it if left-adjusted. */
static void put_padding(Call *call, const Spec *spec, size_t n, bool after) {
  const bool left = spec->width < 0 || strchr(spec->flags, '-');
  const size_t width = (size_t)(spec->width < 0 ? -spec->width : spec->width);
  for (size_t i = n; i < width && left == after && !call->full; i++) put(call, " ", 1);
}

static void put_char(Call *call, const Spec *spec) {
  const char c = (char)next_argument(call, 4);
  put_padding(call, spec, 1, false);
  put(call, &c, 1);
  put_padding(call, spec, 1, true);
}

static void put_string(Call *call, const Spec *spec) {
  const uint64_t address = next_argument(call, 8);
  const size_t most = spec->precision < 0 ? call->out->room + 1 : (size_t)spec->precision;
  size_t n = 0;
  if (call->failed) return;
  while (address && n < most && !call->full && char_at(call, "string", address + n)) n++;
  put_padding(call, spec, address ? n : 6, false);
  if (!address) put(call, "(null)", 6);
  for (size_t i = 0; i < n && !call->full; i++) {
    const char c = char_at(call, "string", address + i);
    put(call, &c, 1);
  }
  put_padding(call, spec, address ? n : 6, true);
}

typedef struct {
  const char *types;
  void (*put)(Call *call, const Spec *spec);
} Conversion;

static const Conversion conversions[] = {{"diouxX", put_integer},
                                         {"eEfFgGaA", put_real},
                                         {"p", put_pointer},
                                         {"c", put_char},
                                         {"s", put_string}};

static const Conversion *conversion_of(char type) {
  for (size_t i = 0; type && i < sizeof conversions / sizeof *conversions; i++) {
    if (strchr(conversions[i].types, type)) return &conversions[i];
  }
  return NULL;
}

/* --- the format --- */

static char peek(Call *call) { return char_at(call, "format", call->format); }

/* Keeps a character of the specification, and advances; false if there is no room for it. */
static bool keep(Call *call, Spec *spec, char c) {
  if (spec->length == MAX_SPEC) return false;
  spec->text[spec->length++] = c;
  call->format++;
  return true;
}

static int clamped(int64_t value) {
  return (int)(value > MAX_FIELD ? MAX_FIELD : value < -MAX_FIELD ? -MAX_FIELD : value);
}

/* Reads digits, or * for the next argument; returns 0 if there is neither. */
static int read_number(Call *call, Spec *spec) {
  int64_t value = 0;
  if (peek(call) == '*') {
    keep(call, spec, '*');
    return clamped((int32_t)next_argument(call, 4));
  }
  for (char c = peek(call); c >= '0' && c <= '9' && keep(call, spec, c); c = peek(call))
    value = clamped(value * 10 + (c - '0'));
  return (int)value;
}

static void read_flags(Call *call, Spec *spec) {
  for (char c = peek(call); c && strchr("#0- +", c) && keep(call, spec, c); c = peek(call)) {
    if (!strchr(spec->flags, c)) spec->flags[strlen(spec->flags)] = c;
  }
}

static void read_size(Call *call, Spec *spec) {
  for (char c = peek(call); (c == 'l' || c == 'h') && keep(call, spec, c); c = peek(call)) {
    spec->longs += c == 'l';
    spec->shorts += c == 'h';
  }
}

/* Reads a conversion, after its %. */
static void put_spec(Call *call) {
  Spec spec = {.text = "%", .length = 1, .precision = -1};
  read_flags(call, &spec);
  spec.width = read_number(call, &spec);
  if (peek(call) == '.') {
    keep(call, &spec, '.');
    spec.precision = read_number(call, &spec);
  }
  read_size(call, &spec);
  spec.type = peek(call);
  const Conversion *conversion = conversion_of(spec.type);
  if (call->failed) return;
  if (spec.type == '%') spec.length = 0; /* %% is one */
  if (spec.type == '%' || conversion) call->format++;
  if (conversion)
    conversion->put(call, &spec);
  else
    put(call, spec.type == '%' ? "%" : spec.text, spec.length ? (size_t)spec.length : 1);
}

static void put_format(Call *call) {
  for (char c = peek(call); c && !call->failed; c = peek(call)) {
    call->format++;
    if (c == '%')
      put_spec(call);
    else
      put(call, &c, 1);
  }
}

/* --- the call --- */

/* A call whose text does not fit writes nothing, nor do those after it, so that the text has no
 * gaps. */
static int print_lane(Warp *w, const Insn *insn, unsigned lane, uint64_t format, uint64_t args) {
  Launch *launch = w->block->launch;
  Printed *out = &launch->printed;
  Call call = {.warp = w, .insn = insn, .lane = lane, .format = format, .argument = args};
  if (!format) return NO_FORMAT;
  pthread_mutex_lock(&out->lock);
  call.out = out;
  call.length = out->length;
  call.full = out->dropped > 0;
  const bool open = printed_open(out);
  if (!open) atomic_store(&launch->out_of_memory, true);
  if (open) put_format(&call);
  if (call.full)
    out->dropped++;
  else if (open)
    printed_keep(out, w->block->number, call.length);
  pthread_mutex_unlock(&out->lock);
  return call.failed ? FAULT : call.taken;
}

Flow exec_printf(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *format = warp_param(w, insn->call.arg[0]);
  const uint64_t *args = warp_param(w, insn->call.arg[1]);
  int result[LANES];
  FOR_LANES(lane, active) result[lane] = print_lane(w, insn, lane, format[lane], args[lane]);
  for (int i = 0; i < insn->call.results; i++) {
    uint64_t *d = warp_param(w, insn->call.result[i]);
    FOR_LANES(lane, active) d[lane] = (uint32_t)result[lane];
  }
  return FLOW_NEXT;
}
