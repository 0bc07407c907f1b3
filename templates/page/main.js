'use strict';
/* main.js: the page from its data: which parts there are, and the footer that makes it a bug report. */

function specTable(specs, open) {
  const runs = specs.some(spec => spec.run);
  const row = (spec, i) => {
    const t = totalsOf(tilesOf(spec).flatMap(({report}) => report.accesses)), {run} = spec;
    return [
      h('a', {
        href: `#${spec.name}`,
        onclick: e => {
          e.preventDefault();
          open(i);
        }
      },
        spec.name),
      spec.kernel, `${say(t.plain)} → ${say(t.now)} / ${say(t.ideal)}`, spec.conflict_free ? '✓' : '✗',
      spec.minimal ? '✓' : '○', say(spec.shared_bytes),
      ...(
        runs ? [run ? run.correct ? '✓' : '✗ wrong' : '–', run?.gbps ? say(Math.round(run.gbps)) : '–'] : [])
    ];
  };
  return table(`${plural(specs.length, 'spec')}; one is shown below.`,
    [
      'spec', 'kernel', 'wavefronts: plain → chosen / ideal', 'no conflict', 'proven', 'bytes',
      ...(runs ? ['correct', 'GB/s'] : [])
    ],
    specs.map(row));
}

/* One spec at a time: a page of all of them is drawn as fast as of one. */
function specsPage(specs) {
  const place = h('div', {});
  let view = null;
  const open = i => {
    view = specView(specs[i], specs.length > 1);
    place.replaceChildren(view.node);
    view.start();
    overview?.querySelectorAll('tbody tr').forEach((tr, k) => tr.classList.toggle('on', k === i));
  };
  const overview = specs.length > 1 ? specTable(specs, open) : null;
  return {
    title: specs.length === 1 ? specs[0].name : plural(specs.length, 'spec'),
    node: h('div', {}, overview, place),
    start: () => open(0),
    print: () => view.print(),
    section: () => view.section(),
    source: () => specs.map(spec => spec.page.source)
  };
}

/* A sweep: every candidate a row and a point; the one picked is shown as a spec. */
function sweepPage(candidates) {
  const tried = candidates.filter(c => !c.reason),
        names = [...new Set(candidates.flatMap(c => Object.keys(c.set)))],
        timed = tried.some(c => c.run?.gbps);
  const place = h('div', {});
  let view = null;
  const open = c => {
    view = specView(c, true);
    place.replaceChildren(view.node);
    view.start();
  };
  const totals = c => totalsOf(tilesOf(c).flatMap(({report}) => report.accesses));
  const rows = candidates.map(
    c => [c.reason ? c.name :
                     h('button', {type: 'button', class: 'candidate', onclick: () => open(c)}, c.name),
      ...names.map(n => say(c.set[n] ?? null)), ...(c.reason ? [c.reason] : [
        `${c.chosen ? '★ ' : ''}${say(totals(c).now)}`, say(totals(c).ideal), say(c.shared_bytes),
        ...(timed ? [say(c.run?.time_ms?.median ?? null), say(Math.round(c.run?.gbps ?? 0))] : [])
      ])]);
  const one = tried.length && new Set(tried.map(c => c.name)).size === 1 && !tried[0].tiles;
  const points = one ? tried.map(c => ({
    ...c.layout,
    offset: c.page.tiles[0].offset,
    wavefronts: totals(c).now,
    layouts: 1,
    chosen: c.chosen,
    candidate: c
  })) :
                       [];
  const chart =
    one ? new TradeView(tried[0].page.tiles[0], {points}, p => open(p.candidate), 'The candidates') : null;
  return {
    title: `sweep of ${[...new Set(candidates.map(c => c.name))].join(', ')}`,
    node: h('div', {},
      table('★ has the layout that the solver chooses.',
        ['candidate', ...names, 'wavefronts', 'ideal', 'bytes', ...(timed ? ['median ms', 'GB/s'] : [])],
        rows),
      chart?.node, place),
    start: () => tried.length && open(tried.find(c => c.chosen) ?? tried[0]),
    print: () => view?.print(),
    section: () => view.section(),
    source: () => tried.slice(0, 1).map(c => c.page.source)
  };
}

/* What someone needs who is to see the same. */
function footer(data, sources) {
  const specs = data.report.specs ?? data.report.sweep ?? [],
        arch = data.arch ?? [...new Set(specs.filter(c => c.page).map(c => c.page.arch))].join(', ');
  const devices = [...new Set(specs.map(c => c.run?.device).filter(Boolean))];
  const rows = [
    ['Command', data.command], ['kgen', data.kgen], ['Architecture', arch],
    ...(devices.length ? [['Device', devices.join(', ')]] : []),
    ['Source', sources.map(source => source.path).join(', ')]
  ];
  return [
    h('p', {}, 'This page is one file and loads nothing: attach it to a bug report.'),
    h('dl', {}, rows.map(([name, text]) => [h('dt', {}, name), h('dd', {}, text)])),
    sources.filter(source => source.text)
      .map(source => h('details', {}, h('summary', {}, source.path), h('pre', {}, source.text)))
  ];
}

function build(data) {
  if (data.kind === 'lint') return lintPage(data);
  if (data.kind === 'exec') return execPage(data);
  return data.kind === 'sweep' ? sweepPage(data.report.sweep) : specsPage(data.report.specs);
}

/* The template itself, opened as it stands, has no data. */
function readData() {
  try {
    return JSON.parse(document.getElementById('data').textContent);
  } catch {
    return null;
  }
}

function main() {
  const data = readData(), content = document.getElementById('content');
  if (!data) {
    content.replaceChildren(
      h('p', {}, 'There is no data here: this is the template of the page that kgen --html writes.'));
    return;
  }
  const page = build(data);
  document.title = `${page.title} · kgen`;
  document.getElementById('head').replaceChildren(h('h1', {}, page.title));
  content.replaceChildren(hatching(), page.node);
  page.start();
  document.getElementById('foot').replaceChildren(...footer(data, page.source()).flat(Infinity));
  window.addEventListener('beforeprint', () => page.print());
  window.kgen = {data, page};
}

main();
