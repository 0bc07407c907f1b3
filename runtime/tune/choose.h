/* choose.h: which of the measured configurations a spec uses. */
#ifndef KGEN_TUNE_CHOOSE_H
#define KGEN_TUNE_CHOOSE_H

#include "tune/wisdom.h"

/* The key of a spec's measurements. freed: without what the family's axes set. */
WisdomKey choose_key(Arena *a, const Spec *s, Templates *templates, const char *device,
                     const char *toolkit, Unit unit, bool freed);

/* Whether a record was made with another toolkit or other sources than the key says. */
bool choose_is_stale(const WisdomKey *record, const WisdomKey *now);
/* Whether it is of the same spec, problem and device. */
bool choose_is_same(const WisdomKey *a, const WisdomKey *b);

/* A configuration with all of its measurements. */
typedef struct {
  Values set;
  bool stands;         /* the spec has it as it stands */
  const char *invalid; /* of a record that says so, or NULL */
  bool final;          /* as in WisdomRecord, of the records that count: finals if there are any */
  double median;       /* of the records' medians */
  double noise;        /* the largest, or half the range of the records' medians */
  int records, samples;
} Choice;

typedef struct {
  int count; /* the best first, what is invalid last */
  Choice *choice;
  int stale; /* records that differ from the key in nothing but toolkit or code */
} Choices;

/* What is known under a key. A toolkit of "" is that of every record. Of equals the spec's own
 * configuration is the best (stands; NULL: not known), then the first by values_order: what is
 * chosen does not depend on the order of the records. */
Choices choose_all(Arena *a, const Wisdom *w, const WisdomKey *key, const Values *stands);

/* Of a family's declaration and sources as they are now, but for `tune`; 0: there is none. */
uint64_t choose_code(Arena *a, const char *kernel, Templates *templates);

#endif
