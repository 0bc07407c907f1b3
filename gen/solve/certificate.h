/* certificate.h: part of stage 4. Collects, while the solver works, why each refused layout was
 * refused. */
#ifndef KGEN_CERTIFICATE_H
#define KGEN_CERTIFICATE_H

#include "solve/group.h"
#include "solve/solve.h"

typedef struct {
  Arena *arena;
  const AccessSet *set;
  Certificate c;    /* its lists are set when it is finished */
  Witness *witness; /* c.witnesses of them */
  Proof *proof;     /* c.proofs of them */
  int witness_capacity, proof_capacity;
} CertificateBuilder;

CertificateBuilder certificate_new(Arena *a, const AccessSet *set);
/* A layout refused for what it costs: `culprit` is a group above its floor, total at least what it
 * costs in all. */
void certificate_refuse(CertificateBuilder *b, const KgenLayout *l, const Group *culprit,
                        int64_t total);
/* A layout refused by a rule. */
void certificate_rule(CertificateBuilder *b, const KgenLayout *l);
void certificate_prove(CertificateBuilder *b, const Proof *p);
/* Settles the reasons against the chosen layout and states the claim. floor: what every layout
 * costs at least. */
Certificate certificate_finish(CertificateBuilder *b, const Solution *s, int64_t floor,
                               int64_t total);

#endif
