/* SPDX-License-Identifier: MIT */
#include "base/xml.h"

#include <math.h>
#include <string.h>

Xml xml_new(Text *out) { return (Xml){.out = out}; }

static void end_tag(Xml *x) {
  if (x->in_tag) text_puts(x->out, ">");
  x->in_tag = false;
}

static void indent(const Xml *x) {
  if (x->out->len) text_puts(x->out, "\n");
  for (int i = 0; i < x->depth; i++) text_puts(x->out, " ");
}

void xml_open(Xml *x, const char *name) {
  if (x->depth == XML_MAX_DEPTH) die("XML nested more than %d deep", XML_MAX_DEPTH);
  end_tag(x);
  indent(x);
  text_printf(x->out, "<%s", name);
  x->name[x->depth++] = name;
  x->in_tag = true;
}

void xml_close(Xml *x) {
  const char *name = x->name[--x->depth];
  if (x->in_tag)
    text_puts(x->out, "/>");
  else
    text_printf(x->out, "</%s>", name);
  x->in_tag = false;
  if (x->depth == 0) text_puts(x->out, "\n");
}

void xml_string(Xml *x, const char *key, const char *value) {
  text_printf(x->out, " %s=\"", key);
  text_foreign(x->out, TEXT_XML, value, strlen(value));
  text_puts(x->out, "\"");
}

void xml_number(Xml *x, const char *key, double value) {
  text_printf(x->out, " %s=\"%.10g\"", key, round(value * 100) / 100);
}

void xml_text(Xml *x, const char *text) {
  end_tag(x);
  text_foreign(x->out, TEXT_XML, text, strlen(text));
}
