'use strict';
/* tile.js: draws one tile. A cell is an element, its colour is the bank. The lanes of an instruction are
 * marks on it: round if conflict-free, square if they collide. */

const MARGIN_LEFT = 46, MARGIN_TOP = 18;
/* The minimum size of a cell, in pixels, for legible bank numbers and lane numbers. */
const NUMBERS_FROM = 17, MARKS_FROM = 13;
/* The maximum height of the visible part of a tile, in pixels, as in page.css. */
const WINDOW_HEIGHT = 640;

/* The number of elements side by side: a row of the tile, or several if rows are short; for a one-dimensional
 * tile, the elements of a 128-byte line. */
function cellsAcross(tile) {
  const last = tile.extent[tile.extent.length - 1];
  if (tile.extent.length === 1) return Math.min(last, Math.max(8, lineBytes(tile) / tile.element_bytes));
  let fold = 1;
  while (last < 8 && last * fold * 2 <= 32) fold *= 2;
  return Math.min(last * fold, elementCount(tile));
}

/* The cells of each bank as one SVG path, with neighbours joined, for the elements from `first` to before
 * `end`. */
function bankPaths(tile, offsets, across, first, end) {
  const paths = Array.from({length: tile.banks.count}, () => []);
  for (let i = first, run; i < end; i += run) {
    const bank = bankOf(tile, offsets[i]), col = i % across;
    for (run = 1; col + run < across && i + run < end && bankOf(tile, offsets[i + run]) === bank;) run++;
    paths[bank].push(`M${col} ${(i - col) / across}v1h${run}v-1z`);
  }
  return paths.map(parts => parts.join(''));
}

/* The borders of 128-byte lines between adjacent cells, as an SVG path, for the elements from `first` to
 * before `end`. */
function linePath(tile, offsets, across, first, end) {
  const line = i => Math.floor(byteOf(tile, offsets[i]) / lineBytes(tile)), parts = [];
  for (let i = first; i < end; i++) {
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
  /* onCursor(index): called when the reader points at an element, by mouse or keys. */
  constructor(tile, name, onCursor) {
    this.tile = tile;
    this.across = cellsAcross(tile);
    this.count = elementCount(tile);
    this.rows = Math.ceil(this.count / this.across);
    this.onCursor = onCursor;
    this.cursor = 0;
    this.scroll = {top: 0, left: 0};
    this.width = 560;
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
      onscroll: () => this.scrolled()
    });
    this.status = h('div', {class: 'status', 'aria-live': 'polite'});
    this.node = h('figure', {class: 'tile'}, this.caption, this.window, this.status);
  }

  /* Sets the cells' size: the tile's whole width is visible unless cells get too small for that. */
  fit(width) {
    this.width = width;
    const across = this.across + this.pad;
    this.cell = Math.max(5, Math.min(24, Math.floor((width - MARGIN_LEFT - 8) / across)));
  }

  show(layout, caption) {
    this.layout = layout;
    this.offsets = offsetsOf(this.tile, layout);
    const whole =
      this.tile.extent.length > 1 ? this.across === this.tile.extent.at(-1) : this.across === layout.period;
    this.pad = whole ? padOf(this.tile, layout) : 0;
    this.caption.replaceChildren(...[caption].flat());
    this.draw();
  }

  zoom(cell) {
    this.cell = Math.max(3, Math.min(40, cell));
    this.draw();
  }

  /* --- drawing --- */

  /* A path over the cells, whose lines have the same width at every size of the cells. */
  lines(d, name, width) {
    return s('path', {d, class: name, 'vector-effect': 'non-scaling-stroke', 'stroke-width': width});
  }

  /* The visible rows. Does not query the window's size, which would make the browser lay the page out. */
  rowsInView() {
    const {cell, rows} = this, shown = Math.ceil(WINDOW_HEIGHT / cell) + 2;
    const first = Math.max(0, Math.floor((this.scroll.top - MARGIN_TOP) / cell));
    return {first, last: Math.min(rows, first + shown), shown};
  }

  scrolled() {
    this.scroll = {top: this.window.scrollTop, left: this.window.scrollLeft};
    const {first, last} = this.rowsInView();
    if (first < this.drawn.first || last > this.drawn.last) this.drawRows();
    this.drawNumbers();
  }

  /* Draws the visible rows and as many before and after them, or all: a tile may have thousands. */
  drawRows(all = false) {
    const {first, last, shown} = this.rowsInView(), {rows} = this;
    this.drawn =
      all ? {first: 0, last: rows} : {first: Math.max(0, first - shown), last: Math.min(rows, last + shown)};
    this.body.replaceChildren(this.drawCells(), this.labels());
  }

  /* The cells in units of a cell, with the grid if there is room for it, and the borders of lines. */
  drawCells() {
    const {tile, cell, across, offsets} = this, wide = cell >= 8;
    const first = this.drawn.first * across, end = Math.min(this.count, this.drawn.last * across);
    const borders = linePath(tile, offsets, across, first, end);
    const transform = `translate(${MARGIN_LEFT} ${MARGIN_TOP}) scale(${cell})`;
    const path = (d, bank) =>
      d ? s('path', {d, fill: bankColor(bank, tile.banks.count), 'data-bank': bank}) : null;
    return s('g', {transform, 'shape-rendering': 'crispEdges'},
      bankPaths(tile, offsets, across, first, end).map(path),
      wide ? this.lines(this.gridPath(), 'grid-line', 1) : null,
      this.lines(borders, wide ? 'line-mark' : 'line-mark fine', wide ? 1.5 : 0.75));
  }

  drawPadding() {
    const {across, cell, pad, rows} = this, x = MARGIN_LEFT + across * cell;
    if (!pad) return null;
    return s('rect', {class: 'pad-cell', x, y: MARGIN_TOP, width: pad * cell, height: rows * cell});
  }

  draw() {
    const {cell} = this, width = MARGIN_LEFT + (this.across + this.pad) * cell + 4;
    const height = MARGIN_TOP + this.rows * cell + 4;
    this.body = s('g', {});
    this.numbers = s('g', {'aria-hidden': 'true'});
    this.marks = s('g', {});
    this.pointer =
      s('rect', {class: 'cursor', width: cell, height: cell, 'stroke-width': 2.5, visibility: 'hidden'});
    this.svg = s('svg', {width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true'}, this.body,
      this.drawPadding(), this.numbers, this.marks, this.pointer);
    this.window.replaceChildren(this.svg);
    this.drawRows();
    this.drawNumbers();
    this.drawLanes();
    this.drawCursor();
  }

  gridPath() {
    const parts = [];
    const {first, last} = this.drawn;
    for (let r = first + 1; r < last; r++) parts.push(`M0 ${r}h${this.across}`);
    for (let c = 1; c < this.across; c++) parts.push(`M${c} ${first}v${last - first}`);
    return parts.join('');
  }

  /* The coordinates of rows and the numbers of columns, as many as there is room for. */
  labels() {
    const {cell, across, tile} = this, {first, last} = this.drawn, every = Math.max(1, Math.ceil(13 / cell)),
                         wide = Math.max(1, 2 ** Math.ceil(Math.log2(22 / cell)));
    const g = s('g', {'aria-hidden': 'true', 'font-size': 10});
    for (let r = Math.ceil(first / every) * every; r < last; r += every) {
      const at = coordinatesOf(tile, r * across);
      const name = tile.extent.length === 1 ? at[0] : at.slice(0, -1).join(',');
      g.append(s('text',
        {class: 'faint', x: MARGIN_LEFT - 5, y: MARGIN_TOP + (r + 0.5) * cell + 3.5, 'text-anchor': 'end'},
        String(name)));
    }
    for (let c = 0; c < across; c += wide)
      g.append(s('text',
        {class: 'faint', x: MARGIN_LEFT + (c + 0.5) * cell, y: MARGIN_TOP - 5, 'text-anchor': 'middle'},
        String(c)));
    return g;
  }

  /* Draws the visible numbers: 16384 texts would take longer to draw than everything else. all: for
   * printing. */
  drawNumbers(all) {
    const {cell, tile, across, rows} = this, view = this.rowsInView();
    this.numbers.replaceChildren();
    if (cell < NUMBERS_FROM) return;
    const first = all ? 0 : view.first, last = all ? rows : view.last;
    const left = all ? 0 : Math.max(0, Math.floor((this.scroll.left - MARGIN_LEFT) / cell));
    const right = all ? across : Math.min(across, left + Math.ceil(this.width / cell) + 2);
    for (let r = first; r < last; r++)
      for (let c = left; c < right && r * across + c < this.count; c++) {
        const bank = bankOf(tile, this.offsets[r * across + c]);
        this.numbers.append(s('text', {
          x: MARGIN_LEFT + (c + 0.5) * cell,
          y: MARGIN_TOP + (r + 0.5) * cell + 3.2,
          'text-anchor': 'middle',
          'font-size': Math.min(11, cell * 0.5),
          style: `fill:${inkOn(bank, tile.banks.count)}`
        },
          String(bank)));
      }
  }

  place(index) {
    const col = index % this.across;
    return {x: MARGIN_LEFT + col * this.cell, y: MARGIN_TOP + (index - col) / this.across * this.cell};
  }

  /* Marks the lanes of an instruction: {lane, element, span, meets}. */
  mark(lanes) {
    this.lanes = lanes;
    this.drawLanes();
  }

  /* A ring around the elements of a lane that takes several. */
  ringOf({element, span, meets}) {
    const {cell, across} = this, {x, y} = this.place(element),
                 shown = Math.min(span, across - element % across);
    if (shown < 2) return null;
    const box = {x: x + 1, y: y + 1, width: shown * cell - 2, height: cell - 2};
    return s('rect', {...box, class: meets ? 'meets-ring' : 'lane-ring', 'stroke-width': 2});
  }

  markOf(mark) {
    const {cell} = this, {lane, element, meets} = mark, {x, y} = this.place(element), r = cell * 0.42;
    const cx = x + cell / 2, cy = y + cell / 2, box = {x: cx - r, y: cy - r, width: 2 * r, height: 2 * r};
    const shape = meets ?
      s('rect', {...box, fill: '#000', class: 'meets-ring', style: 'fill:#000', 'stroke-width': 2}) :
      s('circle', {cx, cy, r, fill: '#fff', stroke: '#000', 'stroke-width': 1});
    const style = {'text-anchor': 'middle', 'font-weight': 700, style: `fill:${meets ? '#fff' : '#000'}`};
    const text = {x: cx, y: cy + 3.4, 'font-size': Math.min(11, cell * 0.52), ...style};
    return s('g', {class: meets ? 'mark meets' : 'mark', 'data-lane': lane, 'data-element': element},
      this.ringOf(mark), shape, cell >= MARKS_FROM ? s('text', text, String(lane)) : null);
  }

  drawLanes() { this.marks.replaceChildren(...this.lanes.map(mark => this.markOf(mark))); }

  /* --- the reader's element --- */

  point(event) {
    const box = this.svg.getBoundingClientRect(), scale = this.svg.width.baseVal.value / box.width;
    const col = Math.floor(((event.clientX - box.left) * scale - MARGIN_LEFT) / this.cell);
    const row = Math.floor(((event.clientY - box.top) * scale - MARGIN_TOP) / this.cell);
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
    if (x - room < view.scrollLeft) view.scrollLeft = x - MARGIN_LEFT;
    if (x + room > view.scrollLeft + view.clientWidth) view.scrollLeft = x + room - view.clientWidth;
    if (y - room < view.scrollTop) view.scrollTop = y - MARGIN_TOP;
    if (y + room > view.scrollTop + view.clientHeight) view.scrollTop = y + room - view.clientHeight;
  }

  /* index: the element under the cursor, in this tile or the other one; lanes: a text about the lanes that
   * access it. */
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

/* The banks' colours in a row, every fourth with its number. */
function bankRamp(count) {
  const size = 11, label = `colours of the banks 0 to ${count - 1}, from dark to light`;
  const cell = bank =>
    s('rect', {x: bank * size, y: 0, width: size, height: 14, fill: bankColor(bank, count)});
  const text = bank => s('text', {
    x: bank * size + size / 2,
    y: 10.5,
    'font-size': 8.5,
    'text-anchor': 'middle',
    style: `fill:${inkOn(bank, count)}`
  },
    String(bank));
  return s('svg', {width: count * size, height: 14, role: 'img', 'aria-label': label},
    Array.from({length: count}, (_, bank) => [cell(bank), bank % 4 ? null : text(bank)]));
}

/* Explains the colours and marks. */
function bankLegend(tile) {
  const free = s('svg', {width: 15, height: 15, 'aria-hidden': 'true'},
    s('circle', {cx: 7.5, cy: 7.5, r: 6, fill: '#fff', stroke: '#000'}));
  const meets = s('svg', {width: 15, height: 15, 'aria-hidden': 'true'},
    s('rect',
      {x: 2, y: 2, width: 11, height: 11, class: 'meets-ring', style: 'fill:#000', 'stroke-width': 2}));
  const line = s('svg', {width: 15, height: 15, 'aria-hidden': 'true'},
    s('path', {d: 'M0 8h15', class: 'line-mark', 'stroke-width': 1.5}));
  return h('div', {class: 'legend'}, h('span', {}, 'banks ', bankRamp(tile.banks.count)),
    h('span', {}, free, ' a lane'), h('span', {}, meets, ' a lane that waits: its bank serves several words'),
    h('span', {}, line, ' ends of 128-byte lines'));
}
