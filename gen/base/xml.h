/* SPDX-License-Identifier: MIT */
/* xml.h: a writer of XML text that keeps track of nesting and escapes. */
#ifndef KGEN_BASE_XML_H
#define KGEN_BASE_XML_H

#include "base/text.h"

enum { XML_MAX_DEPTH = 16 };

typedef struct {
  Text *out;
  int depth;
  bool in_tag; /* attributes may follow */
  const char *name[XML_MAX_DEPTH];
} Xml;

Xml xml_new(Text *out);
void xml_open(Xml *x, const char *name);
void xml_close(Xml *x);
/* Attributes, before anything inside the element. */
void xml_string(Xml *x, const char *key, const char *value);
void xml_number(Xml *x, const char *key, double value); /* at most two decimals */
/* Text inside the element, on its line. */
void xml_text(Xml *x, const char *text);

#endif
