/* SPDX-License-Identifier: MIT */
/*
 * On a GPU bits 24 and higher of an address in a cluster are the block's rank, also of the block's
 * own addresses, and clearing bit 24 names the even block of a pair. Here the field is the rank + 1
 * of another block, and 0 for the own one.
 */
#include "emu/op/op_leader.h"

#include <string.h>

#include "emu/run/state/block.h"

/* The mask, whose lowest bits the compiler may clear. */
enum { FREE_BITS = 0x7f };
static const uint32_t leader_mask = 0xfeffffff;

static uint32_t leader_of(const Block *block, uint32_t address) {
  const uint32_t own = (uint32_t)block->rank, field = address >> CLUSTER_SHIFT;
  const uint32_t rank = (field ? field - 1 : own) & ~1u;
  return (address & ((1u << CLUSTER_SHIFT) - 1)) | (rank == own ? 0 : rank + 1) << CLUSTER_SHIFT;
}

/* Other numbers than addresses of shared memory are masked. */
static Flow exec_leader(Warp *w, const Insn *insn, uint32_t active) {
  const Block *block = w->block;
  const uint64_t *from = warp_reg(w, insn->s[0]), *mask = warp_reg(w, insn->s[1]);
  uint64_t *to = warp_reg(w, insn->d[0]);
  const uint32_t low = (1u << CLUSTER_SHIFT) - 1;
  FOR_LANES(lane, active) {
    const uint32_t value = (uint32_t)from[lane], field = value >> CLUSTER_SHIFT;
    const bool is_address = block->cluster->blocks > 1 && (value & low) < block->shared_bytes &&
                            field <= (uint32_t)block->cluster->blocks;
    to[lane] = is_address ? leader_of(block, value) & ~(uint32_t)(~mask[lane] & FREE_BITS)
                          : (uint32_t)(value & mask[lane]);
  }
  return FLOW_NEXT;
}

bool decode_leader(Decoder *d) {
  const Statement *s = d->statement;
  const bool masks = d->modifiers == 2 && strcmp(d->modifier[0], "and") == 0 &&
                     strcmp(d->modifier[1], "b32") == 0 && s->operands == 3 &&
                     s->operand[2].kind == OPERAND_INT &&
                     ((uint32_t)s->operand[2].value | FREE_BITS) == leader_mask;
  if (!masks || strncmp(d->ast->target, "sm_10", 5) != 0) return false;
  decode_result(d);
  decode_sources(d, 1, 2, ARITH_U32);
  d->insn->kind = INSN_PLAIN;
  d->insn->fn = exec_leader;
  return true;
}
