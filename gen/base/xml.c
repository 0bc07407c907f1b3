#include "base/xml.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

Xml xml_new(Text *out) { return (Xml){.out = out}; }

static void end_tag(Xml *x) {
  if (x->in_tag) text_puts(x->out, ">");
  x->in_tag = false;
}

static void indent(const Xml *x) {
  if (x->out->len) text_puts(x->out, "\n");
  for (int i = 0; i < x->depth; i++) text_puts(x->out, " ");
}

/* XML has no way to write most control characters, and wants UTF-8. */
static void put_escaped(Text *t, const char *s) {
  const char *end = s + strlen(s);
  for (int bytes; s < end; s += bytes) {
    const uint32_t c = utf8_decode(s, end, &bytes);
    if (c == '<')
      text_puts(t, "&lt;");
    else if (c == '>')
      text_puts(t, "&gt;");
    else if (c == '&')
      text_puts(t, "&amp;");
    else if (c == '"')
      text_puts(t, "&quot;");
    else if (c == UTF8_BAD || (c < 0x20 && c != '\n' && c != '\t'))
      text_puts(t, "?");
    else
      text_add(t, s, (size_t)bytes);
  }
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
  put_escaped(x->out, value);
  text_puts(x->out, "\"");
}

void xml_number(Xml *x, const char *key, double value) {
  text_printf(x->out, " %s=\"%.10g\"", key, round(value * 100) / 100);
}

void xml_text(Xml *x, const char *text) {
  end_tag(x);
  put_escaped(x->out, text);
}
