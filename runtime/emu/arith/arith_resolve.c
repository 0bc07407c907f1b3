/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_resolve.h"

#include "emu/arith/arith_approx.h"
#include "emu/arith/arith_format.h"
#include "emu/arith/arith_half.h"
#include "emu/arith/arith_level.h"

typedef enum { WORD_FLAG, WORD_ROUND, WORD_COMPARE, WORD_LOGIC, WORD_MODE } WordKind;

typedef struct {
  const char *name;
  WordKind kind;
  uint32_t value;
} Word;

static const Word plain_words[] = {
    {"cc", WORD_FLAG, ARITH_WRITES_CC},
    {"ftz", WORD_FLAG, ARITH_FTZ},
    {"sat", WORD_FLAG, ARITH_SAT},
    {"satfinite", WORD_FLAG, ARITH_SATFINITE},
    {"relu", WORD_FLAG, ARITH_RELU},
    {"NaN", WORD_FLAG, ARITH_KEEP_NAN},
    {"xorsign", WORD_FLAG, ARITH_XORSIGN},
    {"abs", WORD_FLAG, ARITH_ABS},
    {"lo", WORD_FLAG, ARITH_LO},
    {"hi", WORD_FLAG, ARITH_HI},
    {"wide", WORD_FLAG, ARITH_WIDE},
    {"clamp", WORD_FLAG, ARITH_CLAMP},
    {"wrap", WORD_FLAG, ARITH_WRAP},
    {"shiftamt", WORD_FLAG, ARITH_SHIFTAMT},
    {"approx", WORD_FLAG, ARITH_APPROX},
    {"full", WORD_FLAG, ARITH_FULL},
    {"l", WORD_FLAG, ARITH_LEFT},
    {"r", WORD_FLAG, ARITH_RIGHT},
    {"pack", WORD_FLAG, ARITH_PACK},
    {"rn", WORD_ROUND, ARITH_RN},
    {"rz", WORD_ROUND, ARITH_RZ},
    {"rm", WORD_ROUND, ARITH_RM},
    {"rp", WORD_ROUND, ARITH_RP},
    {"rna", WORD_ROUND, ARITH_RNA},
    {"rni", WORD_ROUND, ARITH_RNI},
    {"rzi", WORD_ROUND, ARITH_RZI},
    {"rmi", WORD_ROUND, ARITH_RMI},
    {"rpi", WORD_ROUND, ARITH_RPI},
    {"and", WORD_LOGIC, ARITH_AND},
    {"or", WORD_LOGIC, ARITH_OR},
    {"xor", WORD_LOGIC, ARITH_XOR},
    {"f4e", WORD_MODE, ARITH_PRMT_F4E},
    {"b4e", WORD_MODE, ARITH_PRMT_B4E},
    {"rc8", WORD_MODE, ARITH_PRMT_RC8},
    {"ecl", WORD_MODE, ARITH_PRMT_ECL},
    {"ecr", WORD_MODE, ARITH_PRMT_ECR},
    {"rc16", WORD_MODE, ARITH_PRMT_RC16},
    {"finite", WORD_MODE, ARITH_TEST_FINITE},
    {"infinite", WORD_MODE, ARITH_TEST_INFINITE},
    {"number", WORD_MODE, ARITH_TEST_NUMBER},
    {"notanumber", WORD_MODE, ARITH_TEST_NAN},
    {"normal", WORD_MODE, ARITH_TEST_NORMAL},
    {"subnormal", WORD_MODE, ARITH_TEST_SUBNORMAL},
};

/* Only set and setp compare, and there lo and hi are comparisons. */
static const Word compare_words[] = {
    {"eq", WORD_COMPARE, ARITH_EQ},   {"ne", WORD_COMPARE, ARITH_NE},
    {"lt", WORD_COMPARE, ARITH_LT},   {"le", WORD_COMPARE, ARITH_LE},
    {"gt", WORD_COMPARE, ARITH_GT},   {"ge", WORD_COMPARE, ARITH_GE},
    {"lo", WORD_COMPARE, ARITH_LT},   {"ls", WORD_COMPARE, ARITH_LE},
    {"hi", WORD_COMPARE, ARITH_GT},   {"hs", WORD_COMPARE, ARITH_GE},
    {"equ", WORD_COMPARE, ARITH_EQU}, {"neu", WORD_COMPARE, ARITH_NEU},
    {"ltu", WORD_COMPARE, ARITH_LTU}, {"leu", WORD_COMPARE, ARITH_LEU},
    {"gtu", WORD_COMPARE, ARITH_GTU}, {"geu", WORD_COMPARE, ARITH_GEU},
    {"num", WORD_COMPARE, ARITH_NUM}, {"nan", WORD_COMPARE, ARITH_NAN},
};

static const char *word_of(const Word *words, size_t count, WordKind kind, uint32_t value) {
  for (size_t i = 0; i < count; i++)
    if (words[i].kind == kind && words[i].value == value) return words[i].name;
  return NULL;
}

const char *arith_flag_name(uint32_t flag) {
  return word_of(plain_words, ARITH_COUNT(plain_words), WORD_FLAG, flag);
}

const char *arith_round_name(ArithRound round) {
  return word_of(plain_words, ARITH_COUNT(plain_words), WORD_ROUND, round);
}

const char *arith_compare_name(ArithCompare compare) {
  return word_of(compare_words, ARITH_COUNT(compare_words), WORD_COMPARE, compare);
}

static const Word *find_word(const Word *words, size_t count, const char *name, size_t length) {
  for (size_t i = 0; i < count; i++)
    if (strlen(words[i].name) == length && memcmp(words[i].name, name, length) == 0)
      return &words[i];
  return NULL;
}

static bool set_once(uint8_t *field, uint32_t value) {
  const bool fresh = *field == 0;
  *field = (uint8_t)value;
  return fresh;
}

static bool add_word(ArithParts *parts, const Word *word) {
  switch (word->kind) {
  case WORD_FLAG: {
    const bool fresh = (parts->flags & word->value) == 0;
    parts->flags |= word->value;
    return fresh;
  }
  case WORD_ROUND: return set_once(&parts->round, word->value);
  case WORD_COMPARE: return set_once(&parts->compare, word->value);
  case WORD_LOGIC: return set_once(&parts->logic, word->value);
  case WORD_MODE: return set_once(&parts->mode, word->value);
  }
  return false;
}

static bool add_token(ArithParts *parts, const char *name, size_t length) {
  const ArithType type = arith_type(name, (unsigned)length);
  if (type != ARITH_NONE) {
    if (parts->n_types == ARITH_COUNT(parts->types)) return false;
    parts->types[parts->n_types++] = (uint8_t)type;
    return true;
  }
  const Word *word = NULL;
  if (strncmp(parts->op, "set", 3) == 0)
    word = find_word(compare_words, ARITH_COUNT(compare_words), name, length);
  if (word == NULL) word = find_word(plain_words, ARITH_COUNT(plain_words), name, length);
  return word != NULL && add_word(parts, word);
}

/* Splits an opcode; ARITH_REFUSED if a word is unknown or repeated. Only the types are ordered:
 * ptxas accepts fma.f32.rn, too, and CUDA's headers write min.s32.relu. */
static ArithStatus split_opcode(const char *opcode, ArithParts *parts) {
  memset(parts, 0, sizeof *parts);
  size_t length = strcspn(opcode, ".");
  if (length >= sizeof parts->op) return ARITH_UNKNOWN;
  memcpy(parts->op, opcode, length);
  for (const char *at = opcode + length; *at != '\0'; at += length) {
    at++;
    length = strcspn(at, ".");
    if (!add_token(parts, at, length)) return ARITH_REFUSED;
  }
  return ARITH_OK;
}

/* Bit `n` of `set`. */
static bool contains(uint64_t set, unsigned n) { return (set >> n & 1) != 0; }

static bool row_fits(const ArithRow *row, const ArithParts *parts) {
  const uint64_t allowed[] = {row->types, row->from, row->third};
  const unsigned types = 1u + (row->from != 0) + (row->third != 0);
  const uint32_t rounds = row->rounds != 0 ? row->rounds : 1u << ARITH_ROUND_NONE;
  if (parts->n_types != types || !contains(rounds, parts->round)) return false;
  if ((parts->flags & row->must) != row->must || (parts->flags & ~(row->must | row->may)) != 0)
    return false;
  for (unsigned i = 0; i < types; i++)
    if (!contains(allowed[i], parts->types[i])) return false;
  return true;
}

static ArithType twice_as_wide(ArithType type) {
  switch (type) {
  case ARITH_U16: return ARITH_U32;
  case ARITH_S16: return ARITH_S32;
  case ARITH_U32: return ARITH_U64;
  default: return ARITH_S64;
  }
}

static uint8_t operand_type(char letter, const ArithParts *parts) {
  switch (letter) {
  case 't': return parts->types[0];
  case 's': return parts->types[1];
  case 'w': return (uint8_t)twice_as_wide((ArithType)parts->types[0]);
  case 'p': return ARITH_PRED;
  case 'b': return ARITH_B32;
  default: return ARITH_U32;
  }
}

static void fill(ArithInsn *insn, const ArithRow *row, const ArithParts *parts) {
  memset(insn, 0, sizeof *insn);
  insn->fn = row->fn;
  insn->row = row;
  insn->flags = parts->flags;
  insn->round = parts->round;
  insn->compare = parts->compare;
  insn->logic = parts->logic;
  insn->mode = parts->mode;
  insn->dst = operand_type(row->shape[0], parts);
  insn->result = insn->dst == ARITH_PRED ? ARITH_MASK : ARITH_VALUE;
  for (const char *letter = row->shape + 1; *letter != '\0'; letter++)
    if (*letter == 'm')
      insn->takes_mask = 1;
    else
      insn->src[insn->n_src++] = operand_type(*letter, parts);
  /* addc, subc and madc differ from add, sub and mad only in their last letter. */
  const size_t last = strlen(row->op) - 1;
  if (row->op[last] == 'c' && (row->may & ARITH_WRITES_CC) != 0) insn->flags |= ARITH_READS_CC;
}

/* Integers have no NaN comparisons, and .b types have no order. */
static bool comparison_fits(ArithCompare compare, ArithType type) {
  if (arith_format(type) != NULL) return true;
  const bool bits = type == ARITH_B16 || type == ARITH_B32 || type == ARITH_B64;
  return compare <= (bits ? ARITH_NE : ARITH_GE);
}

/* Checks the words that only some opcodes have, and sets what follows from them: results that are a
 * value and a mask, and operands that a logic operator adds. */
static bool finish(ArithInsn *insn, const ArithParts *parts) {
  const uint32_t extra = insn->row->extra;
  const bool tests = (extra & ARITH_TEST) != 0, compares = (extra & ARITH_COMPARISON) != 0;
  if (compares != (parts->compare != 0)) return false;
  if (compares && !comparison_fits((ArithCompare)parts->compare, (ArithType)insn->src[0]))
    return false;
  if (parts->logic != ARITH_NO_LOGIC && (extra & ARITH_LOGIC) == 0) return false;
  if (parts->logic != ARITH_NO_LOGIC) insn->takes_mask = 1;
  const bool two_masks =
      insn->dst == ARITH_PRED && (insn->src[0] == ARITH_F16X2 || insn->src[0] == ARITH_BF16X2);
  if (two_masks || (!compares && parts->logic != ARITH_NO_LOGIC))
    insn->result = ARITH_VALUE_AND_MASK;
  if ((parts->flags & ARITH_PACK) != 0) insn->mode = parts->types[0];
  if (tests) return parts->mode >= ARITH_TEST_FINITE;
  return parts->mode == 0 || ((extra & ARITH_PRMT_MODE) != 0 && parts->mode < ARITH_TEST_FINITE);
}

/* --- the processor --- */

unsigned arith_most_vectors(void) {
#ifdef KGEN_ARITH_LEVELS
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
    return 0;
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl")
             ? 2
             : 1;
#else
  return 0;
#endif
}

ArithStatus arith_resolve(const char *opcode, ArithInsn *insn) {
  return arith_resolve_for(opcode, arith_most_vectors(), insn);
}

/* --- opcodes --- */

void arith_tables(unsigned vectors, ArithTable table[ARITH_TABLES]) {
  const ArithLevel level = AT_LEVEL(arith_level, vectors);
  memcpy(table, level.table, sizeof level.table);
  table[ARITH_LEVEL_TABLES] = arith_half_table();
  table[ARITH_LEVEL_TABLES + 1] = arith_approx_table();
}

/* An opcode such as "add" is in several tables: the first row with its types decides. */
ArithStatus arith_resolve_for(const char *opcode, unsigned vectors, ArithInsn *insn) {
  ArithTable table[ARITH_TABLES];
  ArithParts parts;
  const ArithStatus split = split_opcode(opcode, &parts);
  if (split == ARITH_UNKNOWN || parts.types[0] == ARITH_PRED) return ARITH_UNKNOWN;
  arith_tables(vectors, table);
  bool known = false;
  for (size_t t = 0; t < ARITH_TABLES; t++)
    for (size_t i = 0; i < table[t].count; i++) {
      const ArithRow *row = &table[t].rows[i];
      if (row->op[0] != parts.op[0] || strcmp(row->op, parts.op) != 0) continue;
      known = true;
      if (split != ARITH_OK || !row_fits(row, &parts)) continue;
      fill(insn, row, &parts);
      if (finish(insn, &parts)) return ARITH_OK;
    }
  return known ? ARITH_REFUSED : ARITH_UNKNOWN;
}
