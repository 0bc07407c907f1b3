'use strict';
/* refused.js: shows why no cheaper layout works. Each layout that was ruled out can be drawn instead of the
 * chosen one, with the lanes that collide under it. */

function sayRule(w) {
  return w.rule === 'alignment' ? 'misaligns vectors or aligned pieces' : 'splits vectors or aligned pieces';
}

function sayWitness(w) {
  if (w.why === 'rule') return sayRule(w);
  const cost = w.bank === null ? `the copy takes ${plural(w.wavefronts, 'wavefront')}` :
                                 `bank ${w.bank} serves ${w.wavefronts} words`;
  return `${w.access}, instruction ${w.instruction}, group ${w.group}: ${cost}`;
}

const RESULTS = {
  'conflict-free': 'none is conflict-free',
  'fewer-wavefronts': 'none has fewer wavefronts',
  'fewer-terms': 'none with fewer terms does'
};

/* A search: its subject, its extent, and its result. */
function saySearch(p) {
  const bits = n => n.toString(2).replaceAll('0', '').length;
  const what = p.row_bits === undefined ?
    p.kind.replaceAll('-', ' ') :
    `every map of ${p.row_bits} row bits into ${bits(p.col_bits)} column bits`;
  const nodes = p.nodes === undefined ? [] : [plural(p.nodes, 'partial map')];
  const end = p.complete === undefined ? [] : [p.complete ? 'complete' : 'stopped at its limit'];
  return `${[what, ...nodes, ...end].join(', ')}: ${RESULTS[p.why] ?? p.why}`;
}

function sayProof(tile, p) {
  if (p.kind === 'pads')
    return `every pad that makes stride ${p.dimension} no multiple of ${
      plural(p.multiple, 'element')} misaligns rows`;
  const base = p.strides ? `${spellLayout(tile, p)}, and any XOR: ` : '';
  if (p.kind === 'same-row')
    return `${base}lanes ${p.lanes.join(' and ')} of ${p.access}, instruction ${
      p.instruction}, access words of one row in bank ${p.bank}, which no pad and no XOR separates`;
  if (p.kind === 'same-place')
    return `${base}units of ${p.piece_words} words stay whole, so equal words of them share ${
      tile.banks.count / p.piece_words} banks`;
  return base + saySearch(p);
}

/* The size in bytes of a tile under a layout; kgen supplies the size for arbitrary maps. */
function bytesOf(tile, layout) {
  if (layout.offsets) return layout.bytes;
  if (!layout.strides) return elementCount(tile) * tile.element_bytes;
  const {period} = layout, extent = period ? [Math.ceil(tile.extent[0] / period)] : tile.extent;
  return Math.max(...extent.map((n, d) => n * layout.strides[d])) * tile.element_bytes;
}

/* show(layout, witness) is called when the reader selects a layout that was ruled out, back() when it is
 * deselected. */
class RefusedView {
  constructor(tile, certificate, show, back) {
    this.tile = tile;
    this.show = show;
    this.witnesses = certificate.witnesses.filter(w => w.kind === 'layout');
    this.back = h('button', {type: 'button', class: 'back', onclick: back}, 'Back to the chosen layout');
    this.body = h('tbody', {});
    const leftOut = certificate.witnesses_left_out;
    this.node = section('refused', 'Why no cheaper layout works', certificate.claim,
      this.witnesses.length ? this.layouts() : null,
      this.searches(certificate.witnesses.filter(w => w.kind !== 'layout')),
      leftOut ? h('p', {class: 'about'}, `${say(leftOut)} more are in kgen --json=full.`) : null);
  }

  layouts() {
    const all = longList(this.body, this.witnesses.length, i => this.row(i));
    const heads = ['layout', 'bytes', 'ruled out by'].map(
      (text, i) => h('th', {scope: 'col', class: i === 1 ? 'number' : null}, text));
    return [
      h('p', {class: 'about'}, 'Press a layout to see it in place of the chosen one.'),
      h('div', {class: 'row tools'}, this.back, all),
      h('div', {class: 'tall'}, h('table', {}, h('thead', {}, h('tr', {}, heads)), this.body))
    ];
  }

  row(i) {
    const w = this.witnesses[i];
    const button = h('button', {
      type: 'button',
      class: 'refused',
      'data-index': i,
      'aria-pressed': 'false',
      onclick: () => this.pick(i)
    },
      spellLayout(this.tile, w));
    return h('tr', {}, h('td', {}, button), h('td', {class: 'number'}, say(bytesOf(this.tile, w))),
      h('td', {}, sayWitness(w)));
  }

  searches(proofs) {
    if (!proofs.length) return null;
    const list = h('ul', {}), row = i => h('li', {}, sayProof(this.tile, proofs[i]));
    const all = longList(list, proofs.length, row, 12);
    return h('div', {}, all ? h('div', {class: 'row tools'}, all) : null,
      h('div', {class: proofs.length > 12 ? 'tall' : null}, list));
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
