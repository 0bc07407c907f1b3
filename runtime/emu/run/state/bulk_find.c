/* SPDX-License-Identifier: MIT */
#include "emu/run/state/bulk_find.h"

bool flight_is_committed(const Warp *issuer, const Flight *f) {
  return f->group < issuer->bulk_group[f->lane];
}

static bool covers(const Flight *f, const Insn *copy, uint64_t at) {
  return f->insn == copy && at >= f->box.at && at < box_end(&f->box);
}

const Flight *flight_inbound(const Block *owner, const Insn *copy, uint64_t at) {
  const Cluster *cluster = owner->cluster;
  for (int b = 0; b < cluster->blocks; b++) {
    const Block *holder = cluster->block[b];
    for (int i = 0; i < holder->inbounds; i++) {
      const Flight *f = &holder->inbound[i];
      if ((f->into ? f->into : holder) == owner && covers(f, copy, at)) return f;
    }
  }
  return NULL;
}

bool flight_lacks_commit(const Block *owner, const Insn *copy, uint64_t at) {
  for (int i = 0; i < owner->warps; i++) {
    const Warp *w = &owner->warp[i];
    for (int k = 0; k < w->outbounds; k++)
      if (covers(&w->outbound[k], copy, at)) return !flight_is_committed(w, &w->outbound[k]);
  }
  return false;
}
