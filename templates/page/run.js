'use strict';
/* run.js: shows a run: predicted and counted wavefronts, and the bandwidth compared with the copy, the
 * control and the reference libraries. */

/* The counters' names in the report, and on the page. */
const COUNTED = [['load', 'loads'], ['store', 'stores'], ['copy', 'cp.async'], ['wgmma', 'wgmma']];

/* The predicted and counted wavefronts of a run and its control, for each kind that occurs. */
function countsOf(run) {
  const of = (variant, from, kind) => variant?.wavefronts?.[`${from}_${kind}`] ?? null;
  const counts = COUNTED.map(([kind, name]) => ({
    name,
    predicted: of(run, 'predicted', kind),
    counted: of(run, 'measured', kind),
    controlPredicted: of(run.control, 'predicted', kind),
    controlCounted: of(run.control, 'measured', kind)
  }));
  return counts.filter(c => c.predicted || c.counted || c.controlPredicted || c.controlCounted);
}

function sayAgreement(c) {
  if (c.counted === null) return 'not counted';
  const equal = c.counted === c.predicted;
  return h('span', {class: equal ? 'good' : 'bad'}, equal ? '= equal' : '≠ differs');
}

function countTable(run) {
  const control = run.control ? ['without a layout, predicted', 'counted'] : [];
  const rows = countsOf(run).map(c => [c.name, say(c.predicted), say(c.counted), sayAgreement(c),
                                   say(c.controlPredicted), say(c.controlCounted)]);
  return table('Wavefronts of a small launch.', ['', 'predicted', 'counted', '', ...control],
    rows.map(row => row.slice(0, 4 + control.length)));
}

/* All counts are in one figure, so that they have one scale. */
function countBars(run) {
  const list =
    countsOf(run)
      .flatMap(c => [{name: `${c.name}, predicted`, value: c.predicted, kind: 'peer'},
                 {name: `${c.name}, counted`, value: c.counted, kind: 'ours'},
                 {name: `${c.name}, counted without a layout`, value: c.controlCounted, kind: 'rough'}])
      .filter(b => b.value !== null);
  return list.length ? bars('wavefronts', list.map(b => ({...b, text: say(b.value)})), 'wavefronts') : null;
}

/* Published figures of reference libraries for the same workload: the same kernel, element type, params and
 * bytes, on the same kind of device. */
function peersOf(spec) {
  const peers = JSON.parse(document.getElementById('peers')?.textContent.trim() || '{"works": []}');
  const {kernel, dtype, run, page} = spec;
  if (!page.rates || !run.device.includes(peers.device)) return [];
  const work = peers.works.find(w => w.kernel === kernel && w.dtypes.includes(dtype) &&
      Object.entries(w.params ?? {}).every(([k, v]) => page.params[k] === v) &&
      Math.abs(w.bytes / page.rates.bytes - 1) < 0.01);
  return work ? Object.entries(work.gbps).map(([name, gbps]) => ({name, gbps})) : [];
}

function rateBars(spec) {
  const {run, page} = spec, rates = page.rates;
  if (!rates || !run.gbps) return null;
  const list = [{name: 'kgen', value: run.gbps, kind: 'ours'}];
  if (rates.none_gbps) list.push({name: 'the same without a layout', value: rates.none_gbps, kind: 'rough'});
  if (rates.copy_gbps) list.push({name: 'device-to-device copy', value: rates.copy_gbps, kind: ''});
  const peers = peersOf(spec);
  for (const p of peers) list.push({name: p.name, value: p.gbps, kind: 'peer'});
  return [
    h('h4', {}, 'Bandwidth'),
    bars('bandwidth', list.map(b => ({...b, text: say(Math.round(b.value))})), 'GB/s'),
    peers.length ?
      h('p', {class: 'about'},
        'Outlined: peers as published in docs/explanation/performance.md, of another run on the same kind of device.') :
      null
  ];
}

function sayTime(t) {
  if (!t) return null;
  return `median ${say(t.median)} ms, least ${say(t.min)} ms, noise ${say(t.noise)} ms, ${
    plural(t.samples, 'sample')}`;
}

function sayJit(jit) {
  if (!jit) return null;
  const blocks = plural(jit.blocks_per_sm, 'block');
  return `${jit.registers} registers, ${jit.spill_bytes} bytes spilled, ${blocks} an SM`;
}

function runSection(spec) {
  const {run, jit} = spec;
  const facts = [sayJit(jit), run ? sayTime(run.time_ms) : null].filter(Boolean).join('; ');
  if (!run) return jit ? section('run', 'Compiled', facts) : null;
  const result = run.correct ? '✓ every element correct' : '✗ WRONG RESULT';
  return section('run', 'The run',
    [
      h('b', {class: run.correct ? 'good' : 'bad'}, result),
      ` on ${run.device}, largest error ${say(run.max_error)}. `, facts
    ],
    countTable(run), countBars(run), rateBars(spec));
}
