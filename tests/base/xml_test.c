/* SPDX-License-Identifier: MIT */
/* The XML writer: nesting, attributes, and text of every kind. */
#include "base/xml.h"

#include "check.h"

int main(void) {
  Arena *a = arena_new();
  Text t = text_new(a);
  Xml x = xml_new(&t);
  xml_open(&x, "a");
  xml_string(&x, "key", "<\"&\">");
  xml_number(&x, "half", 0.5);
  xml_number(&x, "third", 1.0 / 3);
  xml_number(&x, "whole", 12);
  xml_open(&x, "empty");
  xml_close(&x);
  xml_open(&x, "b");
  xml_text(&x, "1 < 2 & \"x\" \001\377 \xc3\xa9");
  xml_close(&x);
  xml_close(&x);
  CHECK_STR(t.s, "<a key=\"&lt;&quot;&amp;&quot;&gt;\" half=\"0.5\" third=\"0.33\" whole=\"12\">\n"
                 " <empty/>\n"
                 " <b>1 &lt; 2 &amp; &quot;x&quot; ?? \xc3\xa9</b></a>\n");
  arena_free(a);
  return check_report("xml");
}
