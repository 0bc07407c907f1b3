/* SPDX-License-Identifier: MIT */
/* certificate.h: why each refused layout was refused, collected while the solver works, so that
 * others can check it without searching. */
#ifndef KGEN_SOLVE_CERTIFICATE_H
#define KGEN_SOLVE_CERTIFICATE_H

#include "model/collision.h"

/* Why a layout was refused. To check it, build the layout and count that lane group. */
typedef enum {
  REFUSED_CONFLICT,   /* the group costs more than it must, and the chosen layout costs what every
                         group must */
  REFUSED_WAVEFRONTS, /* its weighted total is at least `total`, no better than the
                       * chosen layout's */
  REFUSED_ALIGNMENT,  /* a row starts where a vector, a matrix row or an `align`ed piece is not
                         aligned */
  REFUSED_CONTIGUITY /* the elements of a vector, a matrix row or an `align`ed piece are not side by
                        side */
} Refusal;
bool refusal_is_rule(Refusal why); /* the last two: the layout cannot be used at all */

typedef struct {
  KgenLayout layout;
  Refusal why;
  Place at;       /* the group and its fullest bank, where two lanes of it meet; not of a rule */
  int wavefronts; /* of that group */
  int64_t total;  /* weighted wavefronts in thousandths: at least so many */
} Witness;

/* What a search without a witness for each layout covered. */
typedef enum {
  PROOF_NO_FREE,  /* every F2-linear map of row bits into column bits: under each, two lanes of some
                     group meet that need not */
  PROOF_NO_XOR,   /* every such map: none has fewer wavefronts */
  PROOF_NO_TERMS, /* every map of fewer terms, or as many and fewer mask bits: none has so few
                     wavefronts */
  PROOF_SAME_PLACE, /* pieces of several words stay whole, so words of one place in them share count
                       / piece banks: the ideal cannot be reached */
  PROOF_ALIGNMENT,  /* every pad under which a stride is no multiple of a piece: rows would start
                       within pieces that must stay aligned */
  PROOF_SAME_ROW    /* words of one row meet in a bank under every pad and XOR: the ideal cannot be
                       reached */
} ProofKind;

/* What the maps of a search are. */
typedef enum {
  MAPS_OF_ROWS,       /* row bits XORed into column bits */
  MAPS_OF_INDEX,      /* higher bits of the row-major index into its lowest ones */
  MAPS_LINEAR,        /* every linear layout: bits may also change places */
  MAPS_OF_COORDINATES /* bits of all coordinates into the lowest ones of each */
} MapsOf;

typedef struct {
  ProofKind kind;
  MapsOf maps;
  KgenLayout base;   /* the strides; no terms */
  int row_bits;      /* of the map: the bits that are read */
  unsigned col_bits; /* mask of the bits that it may change */
  int64_t total;     /* weighted wavefronts in thousandths that it was to get below, or down to */
  int64_t nodes;     /* partial maps looked at, a refused one standing for all its extensions */
  bool complete;     /* false: stopped at its limit */
  Place at;          /* PROOF_SAME_ROW, PROOF_SAME_PLACE */
  int piece;         /* PROOF_SAME_PLACE: words of a piece */
  int dim, multiple; /* PROOF_ALIGNMENT: the stride, elements of the piece */
} Proof;

typedef struct {
  int64_t candidates; /* layouts decided one by one */
  int64_t searches;   /* of maps, and bounds */
  int witnesses;      /* at most SOLVE_MAX_WITNESSES of them are kept */
  Witness *witness;
  int proofs; /* at most as many */
  Proof *proof;
  const char *claim; /* one sentence */
} Certificate;

enum { SOLVE_MAX_WITNESSES = 1 << 14 };

typedef struct {
  Arena *arena;
  const AccessSet *set;
  Certificate c; /* but for the claim */
  int witness_capacity, proof_capacity;
} CertificateBuilder;

typedef struct Classes Classes; /* lane_groups.h */

CertificateBuilder certificate_new(Arena *a, const AccessSet *set);
/* A layout refused for what it costs: `culprit` is a group above its floor, and total at least what
 * it costs in all. */
void certificate_refuse(CertificateBuilder *b, const KgenLayout *l, Place violating_group,
                        int64_t total);
/* A layout refused by a rule. */
void certificate_rule(CertificateBuilder *b, const KgenLayout *l, Refusal why);
void certificate_prove(CertificateBuilder *b, const Proof *p);
/* Where some group can reach its ideal under no layout: which, and why. */
void certificate_prove_floor(CertificateBuilder *b, const Classes *groups);
/* Which paddings were left out: multiple[d] is what stride d must be a multiple of, in elements. */
void certificate_prove_multiples(CertificateBuilder *b, const int multiple[KGEN_MAX_RANK - 1]);
/* Forgets the witnesses, which were refused for less than what is found to be the least. */
void certificate_drop_witnesses(CertificateBuilder *b);
/* The chosen layout costs what every layout must: a group that it serves in fewer wavefronts
 * refuses another layout by itself. Before, it is the total that refuses. */
void certificate_settle(CertificateBuilder *b, const KgenLayout *chosen);

#endif
