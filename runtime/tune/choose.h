/* SPDX-License-Identifier: MIT */
/* choose.h: selects the measured configuration that a spec uses. */
#ifndef KGEN_TUNE_CHOOSE_H
#define KGEN_TUNE_CHOOSE_H

#include "tune/wisdom.h"

/* The key of a spec's measurements. freed: excludes what the template's axes set. */
WisdomKey choose_key(Arena *a, const Spec *s, Templates *templates, const char *device,
                     const char *toolkit, Unit unit, bool freed);

/* True if a record was made with another toolkit or other sources than the key's. */
bool choose_is_stale(const WisdomKey *record, const WisdomKey *now);
/* True if a record is for the same spec, problem and device. */
bool choose_is_same(const WisdomKey *a, const WisdomKey *b);

/* A configuration with all its measurements. */
typedef struct {
  Values set;
  bool unchanged;      /* the configuration that the spec has without settings */
  const char *invalid; /* reason of a fault, from a record; or NULL */
  bool final;    /* as in WisdomRecord, from the records that count: finals if there are any */
  double median; /* mean of the records' medians */
  double noise;  /* the maximum, or half the range of the records' medians */
  int records, samples;
} Choice;

typedef struct {
  int count; /* best first, invalid ones last */
  Choice *choice;
  int stale; /* number of records that differ from the key only in toolkit or code */
} Choices;

/* The measurements under a key. A toolkit "" matches every record. Among equals the spec's own
 * configuration is best (`unchanged`, NULL if unknown), then the first by values_order(): the
 * choice does not depend on the order of the records. */
Choices choose_all(Arena *a, const Wisdom *w, const WisdomKey *key, const Values *unchanged);

/* Hash of a template's declaration and sources in their current state, without `tune`; 0: there is
 * none. */
uint64_t choose_code(Arena *a, const char *kernel, Templates *templates);

#endif
