'use strict';
/* refused.js: shows why nothing smaller works. Each refused layout can take the place of the chosen one, with
 * the lanes that meet under it. */

const REFUSED_AT_FIRST = 60;

function sayRule(w) {
  return w.rule === 'alignment' ? 'rows start where vectors or aligned pieces are not aligned' :
                                  'splits vectors or aligned pieces';
}

function sayWitness(w) {
  if (w.why === 'rule') return sayRule(w);
  return `${w.access}, instruction ${w.instruction}, group ${w.group}: bank ${w.bank} serves ${w.wavefronts}`;
}

function sayProof(tile, p) {
  const base = `${spellLayout(tile, p)}, and any XOR`;
  if (p.kind === 'same-row')
    return `${base}: lanes ${p.lanes.join(' and ')} of ${p.access}, instruction ${
      p.instruction}, take words of one row in bank ${p.bank}, which no pad and no XOR separates`;
  if (p.kind === 'same-place')
    return `${base}: pieces of ${p.piece_words} words stay whole, so words of one place share ${
      tile.banks.count / p.piece_words} banks`;
  const none = {
    'conflict-free': 'none keeps all lanes apart',
    'fewer-wavefronts': 'none has fewer wavefronts',
    'fewer-terms': 'none with fewer terms does'
  }[p.why];
  const bits = p.col_bits.toString(2).replaceAll('0', '').length;
  return `${base}: every map of ${p.row_bits} row bits into ${bits} column bits, ${
    plural(p.nodes, 'partial map')}, ${p.complete ? 'complete' : 'stopped at its limit'}: ${none}`;
}

/* The bytes that a tile takes under a layout; one that is not strides and XORs brings its own. */
function bytesOf(tile, layout) {
  if (layout.offsets) return layout.bytes;
  const rows =
    tile.extent.length === 1 && layout.period ? Math.ceil(tile.extent[0] / layout.period) : tile.extent[0];
  return rows * layout.strides[0] * tile.element_bytes;
}

/* show(layout, witness) is called when the reader picks a refused layout, back() when it is left. */
class RefusedView {
  constructor(tile, certificate, show, back) {
    this.tile = tile;
    this.show = show;
    this.witnesses = certificate.witnesses.filter(w => w.kind === 'layout');
    this.proofs = certificate.witnesses.filter(w => w.kind !== 'layout');
    this.body = h('tbody', {});
    this.all = h('button', {type: 'button', onclick: () => this.list(this.witnesses.length)},
      `All ${this.witnesses.length}`);
    this.back = h('button', {type: 'button', class: 'back', onclick: back}, 'Back to the chosen layout');
    this.node =
      section('refused', 'Why nothing smaller', certificate.claim,
        this.witnesses.length ?
          [
            h('p', {class: 'about'},
              'Press one to see it in the place of the chosen tile, with the lanes that meet.'),
            h('div', {class: 'row tools'}, this.back, this.all),
            h('div', {class: 'tall'},
              h('table', {class: 'left'}, h('thead', {}, h('tr', {}, ['refused layout', 'bytes',
                'because'].map(t => h('th', {scope: 'col'}, t)))),
                this.body))
          ] :
          null,
        this.proofs.length ? h('ul', {}, this.proofs.map(p => h('li', {}, sayProof(tile, p)))) : null);
    this.list(REFUSED_AT_FIRST);
  }

  list(count) {
    this.all.hidden = this.witnesses.length <= count;
    this.body.replaceChildren(...this.witnesses.slice(0, count).map(
      (w, i) => h('tr', {},
        h('td', {},
          h('button', {
            type: 'button',
            class: 'refused',
            'data-index': i,
            'aria-pressed': 'false',
            onclick: () => this.pick(i)
          },
            spellLayout(this.tile, w))),
        h('td', {}, say(bytesOf(this.tile, w))), h('td', {}, sayWitness(w)))));
  }

  pick(i) {
    this.release();
    this.body.querySelector(`[data-index="${i}"]`).setAttribute('aria-pressed', 'true');
    this.show(this.witnesses[i], this.witnesses[i]);
  }

  release() {
    for (const b of this.body.querySelectorAll('[aria-pressed="true"]'))
      b.setAttribute('aria-pressed', 'false');
  }
}
