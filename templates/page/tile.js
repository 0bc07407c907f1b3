'use strict';
/* tile.js: one tile as a picture. A cell is an element, its colour the bank; lanes of an instruction are
 * marks on it, round where they go free and square where they wait for each other. */

const MARGIN = {
  left: 46,
  top: 18
};
const NUMBERS_FROM = 17; /* pixels of a cell in which a bank's number can be read */
const MARKS_FROM = 13;   /* the same for a lane's */

/* Elements side by side: a row of the tile; of short rows several, of a tile of one dimension as many as a
 * 128-byte line has. */
function cellsAcross(tile) {
  const last = tile.extent[tile.extent.length - 1];
  if (tile.extent.length === 1) return Math.min(last, Math.max(8, lineBytes(tile) / tile.element_bytes));
  let fold = 1;
  while (last < 8 && last * fold * 2 <= 32) fold *= 2;
  return Math.min(last * fold, elementCount(tile));
}

/* "Mx yh..": the cells of each bank, neighbours joined. */
function bankPaths(tile, offsets, across) {
  const paths = Array.from({length: tile.banks.count}, () => []);
  for (let i = 0, run; i < offsets.length; i += run) {
    const bank = bankOf(tile, offsets[i]), col = i % across;
    for (run = 1; col + run < across && i + run < offsets.length && bankOf(tile, offsets[i + run]) === bank;)
      run++;
    paths[bank].push(`M${col} ${(i - col) / across}h${run}v1h${- run}z`);
  }
  return paths.map(parts => parts.join(''));
}

/* Where one 128-byte line ends and another begins, between cells that stand beside or above each other. */
function linePath(tile, offsets, across) {
  const line = i => Math.floor(byteOf(tile, offsets[i]) / lineBytes(tile)), parts = [];
  for (let i = 0; i < offsets.length; i++) {
    const col = i % across, row = (i - col) / across;
    if (col + 1 < across && i + 1 < offsets.length && line(i) !== line(i + 1))
      parts.push(`M${col + 1} ${row}v1`);
    if (i + across >= offsets.length || line(i) === line(i + across)) continue;
    let run = 1;
    while (
      col + run < across && i + run + across < offsets.length && line(i + run) !== line(i + run + across))
      run++;
    parts.push(`M${col} ${row + 1}h${run}`);
    i += run - 1;
  }
  return parts.join('');
}

class TileView {
  /* onCursor(index) is called when the reader points at an element, by mouse or keys. */
  constructor(tile, name, onCursor) {
    this.tile = tile;
    this.across = cellsAcross(tile);
    this.count = elementCount(tile);
    this.rows = Math.ceil(this.count / this.across);
    this.onCursor = onCursor;
    this.cursor = 0;
    this.lanes = [];
    this.caption = h('figcaption', {});
    this.window = h('div', {
      class: 'window',
      tabindex: 0,
      role: 'application',
      'aria-roledescription': 'tile of elements',
      'aria-label': `${name} tile: arrow keys go from element to element`,
      onkeydown: e => this.key(e),
      onpointermove: e => this.point(e),
      onpointerdown: e => this.point(e),
      onscroll: () => this.drawNumbers()
    });
    this.status = h('div', {class: 'status', 'aria-live': 'polite'});
    this.node = h('figure', {class: 'tile'}, this.caption, this.window, this.status);
  }

  /* The cell's size at first: the whole width is seen where cells do not get too small for it. */
  fit(width) {
    const across = this.across + this.pad;
    this.cell = Math.max(5, Math.min(24, Math.floor((width - MARGIN.left - 8) / across)));
  }

  show(layout, caption) {
    this.layout = layout;
    this.offsets = offsetsOf(this.tile, layout);
    const whole =
      this.tile.extent.length > 1 ? this.across === this.tile.extent.at(-1) : this.across === layout.period;
    this.pad = whole ? padOf(this.tile, layout) : 0;
    this.caption.replaceChildren(...[caption].flat());
    if (!this.cell) this.fit(this.window.clientWidth || 560);
    this.draw();
  }

  zoom(cell) {
    this.cell = Math.max(3, Math.min(40, cell));
    this.draw();
  }

  /* --- drawing --- */

  draw() {
    const {tile, across, rows, cell, pad} = this;
    const width = MARGIN.left + (across + pad) * cell + 4, height = MARGIN.top + rows * cell + 4;
    const paths = bankPaths(tile, this.offsets, across);
    this.numbers = s('g', {'aria-hidden': 'true'});
    this.marks = s('g', {});
    this.pointer =
      s('rect', {class: 'cursor', width: cell, height: cell, 'stroke-width': 2.5, visibility: 'hidden'});
    const cells = s('g',
      {transform: `translate(${MARGIN.left} ${MARGIN.top}) scale(${cell})`, 'shape-rendering': 'crispEdges'},
      paths.map(
        (d, bank) => d ? s('path', {d, fill: bankColor(bank, tile.banks.count), 'data-bank': bank}) : null),
      cell >= 8 ? s('path', {
        d: this.gridPath(),
        class: 'grid-line',
        'vector-effect': 'non-scaling-stroke',
        'stroke-width': 1
      }) :
                  null,
      s('path', {
        d: linePath(tile, this.offsets, across),
        class: cell >= 8 ? 'line-mark' : 'line-mark fine',
        'vector-effect': 'non-scaling-stroke',
        'stroke-width': cell >= 8 ? 1.5 : 0.75
      }));
    const padding = pad ? s('rect', {
      class: 'pad-cell',
      x: MARGIN.left + across * cell,
      y: MARGIN.top,
      width: pad * cell,
      height: rows * cell
    }) :
                          null;
    this.svg = s('svg', {width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true'}, cells,
      padding, this.labels(), this.numbers, this.marks, this.pointer);
    this.window.replaceChildren(this.svg);
    this.drawNumbers();
    this.drawLanes();
    this.drawCursor();
  }

  gridPath() {
    const parts = [];
    for (let r = 1; r < this.rows; r++) parts.push(`M0 ${r}h${this.across}`);
    for (let c = 1; c < this.across; c++) parts.push(`M${c} 0v${this.rows}`);
    return parts.join('');
  }

  /* Coordinates of rows and numbers of columns, as many as there is room for. */
  labels() {
    const {cell, across, rows, tile} = this, every = Math.max(1, Math.ceil(13 / cell)),
                               wide = Math.max(1, 2 ** Math.ceil(Math.log2(22 / cell)));
    const g = s('g', {class: 'labels', 'aria-hidden': 'true', 'font-size': 10});
    for (let r = 0; r < rows; r += every) {
      const at = coordinatesOf(tile, r * across);
      const name = tile.extent.length === 1 ? at[0] : at.slice(0, -1).join(',');
      g.append(s('text',
        {class: 'faint', x: MARGIN.left - 5, y: MARGIN.top + (r + 0.5) * cell + 3.5, 'text-anchor': 'end'},
        String(name)));
    }
    for (let c = 0; c < across; c += wide)
      g.append(s('text',
        {class: 'faint', x: MARGIN.left + (c + 0.5) * cell, y: MARGIN.top - 5, 'text-anchor': 'middle'},
        String(c)));
    return g;
  }

  /* Only what is in view: a text for each of 16384 cells would take longer than all the rest. all: for print.
   */
  drawNumbers(all) {
    const {cell, tile, across, rows} = this, view = this.window;
    this.numbers.replaceChildren();
    if (cell < NUMBERS_FROM) return;
    const first = all ? 0 : Math.max(0, Math.floor((view.scrollTop - MARGIN.top) / cell));
    const last = all ? rows : Math.min(rows, first + Math.ceil((view.clientHeight || 640) / cell) + 2);
    const left = all ? 0 : Math.max(0, Math.floor((view.scrollLeft - MARGIN.left) / cell));
    const right = all ? across : Math.min(across, left + Math.ceil((view.clientWidth || 900) / cell) + 2);
    for (let r = first; r < last; r++)
      for (let c = left; c < right && r * across + c < this.count; c++) {
        const bank = bankOf(tile, this.offsets[r * across + c]);
        this.numbers.append(s('text', {
          x: MARGIN.left + (c + 0.5) * cell,
          y: MARGIN.top + (r + 0.5) * cell + 3.2,
          'text-anchor': 'middle',
          'font-size': Math.min(11, cell * 0.5),
          style: `fill:${inkOn(bank, tile.banks.count)}`
        },
          String(bank)));
      }
  }

  place(index) {
    const col = index % this.across;
    return {x: MARGIN.left + col * this.cell, y: MARGIN.top + (index - col) / this.across * this.cell};
  }

  /* Lanes of an instruction: {lane, element, span, meets}. */
  mark(lanes) {
    this.lanes = lanes;
    this.drawLanes();
  }

  drawLanes() {
    const {cell} = this;
    this.marks.replaceChildren(...this.lanes.map(({lane, element, span, meets}) => {
      const {x, y} = this.place(element), shown = Math.min(span, this.across - element % this.across),
                r = cell * 0.42;
      const cx = x + cell / 2, cy = y + cell / 2;
      return s('g', {class: meets ? 'mark meets' : 'mark', 'data-lane': lane, 'data-element': element},
        shown > 1 ? s('rect', {
          x: x + 1,
          y: y + 1,
          width: shown * cell - 2,
          height: cell - 2,
          class: meets ? 'meets-ring' : 'lane-ring',
          'stroke-width': 2
        }) :
                    null,
        meets ? s('rect', {
          x: cx - r,
          y: cy - r,
          width: 2 * r,
          height: 2 * r,
          fill: '#000',
          class: 'meets-ring',
          style: 'fill:#000',
          'stroke-width': 2
        }) :
                s('circle', {cx, cy, r, fill: '#fff', stroke: '#000', 'stroke-width': 1}),
        cell >= MARKS_FROM ? s('text', {
          x: cx,
          y: cy + 3.4,
          'text-anchor': 'middle',
          'font-size': Math.min(11, cell * 0.52),
          'font-weight': 700,
          style: `fill:${meets ? '#fff' : '#000'}`
        },
                               String(lane)) :
                             null);
    }));
  }

  /* --- the reader's element --- */

  point(event) {
    const box = this.svg.getBoundingClientRect(), scale = this.svg.width.baseVal.value / box.width;
    const col = Math.floor(((event.clientX - box.left) * scale - MARGIN.left) / this.cell);
    const row = Math.floor(((event.clientY - box.top) * scale - MARGIN.top) / this.cell);
    if (col < 0 || col >= this.across || row < 0 || row >= this.rows || row * this.across + col >= this.count)
      return;
    this.onCursor(row * this.across + col);
  }

  key(event) {
    const {across} = this, row = this.cursor - this.cursor % across;
    const to = {
      ArrowLeft: this.cursor - 1,
      ArrowRight: this.cursor + 1,
      ArrowUp: this.cursor - across,
      ArrowDown: this.cursor + across,
      PageUp: this.cursor - 16 * across,
      PageDown: this.cursor + 16 * across,
      Home: row,
      End: row + across - 1
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.onCursor(Math.max(0, Math.min(this.count - 1, to)));
    this.reveal();
  }

  /* Scrolls so that the element is in view. */
  reveal() {
    const {x, y} = this.place(this.cursor), view = this.window, room = this.cell * 2;
    if (x - room < view.scrollLeft) view.scrollLeft = x - MARGIN.left;
    if (x + room > view.scrollLeft + view.clientWidth) view.scrollLeft = x + room - view.clientWidth;
    if (y - room < view.scrollTop) view.scrollTop = y - MARGIN.top;
    if (y + room > view.scrollTop + view.clientHeight) view.scrollTop = y + room - view.clientHeight;
  }

  /* index: what is pointed at in this tile or its twin; lanes: who touches it, in words. */
  setCursor(index, lanes) {
    this.cursor = index;
    this.lit = true;
    this.drawCursor();
    const {tile} = this, offset = this.offsets[index], byte = byteOf(tile, offset);
    const at = coordinatesOf(tile, index).map((c, d) => `${tile.dims[d]} ${c}`).join(', ');
    this.status.textContent = `${at}: offset ${offset}, byte ${byte}, bank ${bankOf(tile, offset)}, line ${
      Math.floor(byte / lineBytes(tile))}; ${lanes}`;
  }

  drawCursor() {
    if (!this.lit) return;
    const {x, y} = this.place(this.cursor);
    fill(this.pointer, {x, y, visibility: 'visible'}, []);
  }
}

/* The colours' meaning. */
function bankLegend(tile) {
  const {count} = tile.banks, w = 11;
  const ramp = s('svg', {
    width: count * w,
    height: 14,
    role: 'img',
    'aria-label': `colours of the banks 0 to ${count - 1}, from dark to light`
  },
    Array.from({length: count},
      (_, bank) => [s('rect', {x: bank * w, y: 0, width: w, height: 14, fill: bankColor(bank, count)}),
        bank % 4 === 0 ? s('text', {
          x: bank * w + w / 2,
          y: 10.5,
          'font-size': 8.5,
          'text-anchor': 'middle',
          style: `fill:${inkOn(bank, count)}`
        },
                           String(bank)) :
                         null]));
  const free = s('svg', {width: 15, height: 15, 'aria-hidden': 'true'},
    s('circle', {cx: 7.5, cy: 7.5, r: 6, fill: '#fff', stroke: '#000'}));
  const meets = s('svg', {width: 15, height: 15, 'aria-hidden': 'true'},
    s('rect',
      {x: 2, y: 2, width: 11, height: 11, class: 'meets-ring', style: 'fill:#000', 'stroke-width': 2}));
  return h('div', {class: 'legend'}, h('span', {}, 'banks ', ramp), h('span', {}, free, ' a lane'),
    h('span', {}, meets, ' a lane that waits: its bank serves several words'),
    h('span', {}, 'dark lines: ends of 128-byte lines'));
}
