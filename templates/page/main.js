'use strict';
/* main.js: builds the page from its data: the sections for that data, and the footer that makes the page a
 * bug report. */

const totalsOfSpec = spec => totalsOf(tilesOf(spec).flatMap(({report}) => report.accesses));

/* A row of the table; runs: some spec was run, so the table has columns for runs. */
function specRow(spec, runs, show) {
  const t = totalsOfSpec(spec), {run} = spec;
  const link = h('a', {
    href: `#${spec.name}`,
    onclick: event => {
      event.preventDefault();
      show();
    }
  },
    spec.name);
  const result = run ? run.correct ? '✓' : '✗ wrong' : '–',
        rate = run?.gbps ? say(Math.round(run.gbps)) : '–';
  return [
    link, spec.kernel, `${say(t.plain)} → ${say(t.now)} / ${say(t.ideal)}`, spec.conflict_free ? '✓' : '✗',
    spec.minimal ? '✓' : '○', say(spec.shared_bytes), ...(runs ? [result, rate] : [])
  ];
}

function specTable(specs, open) {
  const runs = specs.some(spec => spec.run);
  const heads =
    ['spec', 'kernel', 'wavefronts: baseline → chosen / ideal', 'conflict-free', 'proven', 'bytes'];
  const all = table(`${plural(specs.length, 'spec')}; one is shown below.`,
    [...heads, ...(runs ? ['correct', 'GB/s'] : [])],
    specs.map((spec, i) => specRow(spec, runs, () => open(i))));
  all.classList.toggle('tall', specs.length > 16);
  return all;
}

/* The page for specs draws one spec at a time, so that a page with many specs is drawn as fast as a page with
 * one. */
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

/* The name of a candidate of a sweep: the settings that distinguish it from the others. */
function candidateName(c, several) {
  const sets = Object.entries(c.set).map(([name, value]) => `${name} = ${value}`).join(', ');
  return `${several ? `${c.name}: ` : ''}${sets || 'the solver\'s choice'}`;
}

/* One row per candidate: its settings, and its cost or the reason why it was rejected. */
function sweepTable(candidates, open) {
  const names = [...new Set(candidates.flatMap(c => Object.keys(c.set)))];
  const several = new Set(candidates.map(c => c.name)).size > 1, timed = candidates.some(c => c.run?.gbps);
  const button = c =>
    h('button', {type: 'button', class: 'candidate', onclick: () => open(c)}, candidateName(c, several));
  const times = c => timed ? [say(c.run?.time_ms?.median ?? null), say(Math.round(c.run?.gbps ?? 0))] : [];
  const costs = c => {
    const t = totalsOfSpec(c);
    return [`${c.chosen ? '★ ' : ''}${say(t.now)}`, say(t.ideal), say(c.shared_bytes), ...times(c)];
  };
  const rows = candidates.map(c => {
    const sets = names.length > 1 ? names.map(n => say(c.set[n] ?? null)) : [];
    return c.reason ? [candidateName(c, several), ...sets, c.reason] : [button(c), ...sets, ...costs(c)];
  });
  const heads = [
    'candidate', ...(names.length > 1 ? names : []), 'wavefronts', 'ideal', 'bytes',
    ...(timed ? ['median ms', 'GB/s'] : [])
  ];
  return table('★ has the layout that the solver chooses.', heads, rows);
}

/* The candidates as points of one chart, if all are of one spec with one tile; else null. */
function sweepChart(tried, open) {
  const one = tried.length && new Set(tried.map(c => c.name)).size === 1 && !tried[0].tiles;
  if (!one) return null;
  const points = tried.map(c => ({
    ...c.layout,
    offset: c.page.tiles[0].offset,
    wavefronts: totalsOfSpec(c).now,
    layouts: 1,
    chosen: c.chosen,
    candidate: c
  }));
  return new TradeView(tried[0].page.tiles[0], {points}, p => open(p.candidate), 'The candidates');
}

/* The page for a sweep: every candidate is a row and a point; the selected one is shown as a spec. */
function sweepPage(candidates) {
  const tried = candidates.filter(c => !c.reason), place = h('div', {});
  let view = null;
  const open = c => {
    view = specView(c, true, !c.chosen);
    place.replaceChildren(view.node);
    view.start();
    overview.querySelectorAll('tbody tr').forEach((tr, i) => tr.classList.toggle('on', candidates[i] === c));
  };
  const overview = sweepTable(candidates, open), chart = sweepChart(tried, open);
  return {
    title: `sweep of ${[...new Set(candidates.map(c => c.name))].join(', ')}`,
    node: h('div', {}, h('div', {class: 'halves'}, overview, chart?.node), place),
    start: () => {
      chart?.start(chart.box.clientWidth);
      if (tried.length) open(tried.find(c => c.chosen) ?? tried[0]);
    },
    print: () => view?.print(),
    section: () => view.section(),
    source: () => tried.slice(0, 1).map(c => c.page.source)
  };
}

/* The text of the sources; the sources of several specs are hidden behind one more fold. */
function sourceTexts(sources) {
  const texts = sources.filter(source => source.text)
                  .map(source => h('details', {}, h('summary', {}, source.path), h('pre', {}, source.text)));
  return texts.length > 4 ? h('details', {}, h('summary', {}, plural(texts.length, 'source')), texts) : texts;
}

/* The footer: everything that is needed to make the page again. */
function footer(data, sources) {
  const specs = data.report.specs ?? data.report.sweep ?? [],
        arch = data.arch ?? [...new Set(specs.filter(c => c.page).map(c => c.page.arch))].join(', ');
  const devices = [...new Set(specs.map(c => c.run?.device).filter(Boolean))];
  const paths = sources.length > 4 ? `${plural(sources.length, 'file')}, below` :
                                     sources.map(source => source.path).join(', ');
  const rows = [
    ['Command', data.command], ['kgen', data.kgen], ['Architecture', arch],
    ...(devices.length ? [['Device', devices.join(', ')]] : []), ['Source', paths]
  ];
  return [
    h('p', {}, 'This page is one file and loads nothing: attach it to a bug report.'),
    h('dl', {}, rows.map(([name, text]) => [h('dt', {}, name), h('dd', {}, text)])), sourceTexts(sources)
  ];
}

function build(data) {
  if (data.kind === 'lint') return lintPage(data);
  if (data.kind === 'exec') return execPage(data);
  return data.kind === 'sweep' ? sweepPage(data.report.sweep) : specsPage(data.report.specs);
}

/* The data that kgen inserted; null in the template itself. */
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
