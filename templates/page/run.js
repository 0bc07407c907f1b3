'use strict';
/* run.js: what a run showed: wavefronts predicted beside counted, and bandwidth beside the copy's, the
 * control's and the peers'. */

const COUNTED = {
  load: 'loads',
  store: 'stores',
  copy: 'cp.async',
  wgmma: 'wgmma'
};

/* One row for each kind that either kernel has. */
function countRows(run) {
  const of = (variant, key) => variant?.wavefronts?.[key];
  return Object.entries(COUNTED).filter(([kind]) => of(run, `predicted_${kind}`) !== undefined).map(([
    kind, name
  ]) => {
    const predicted = of(run, `predicted_${kind}`), measured = of(run, `measured_${kind}`);
    const agree = measured === null ? 'not counted' : measured === predicted ? '= equal' : '≠ differs';
    return [
      name, say(predicted), say(measured),
      h('span', {class: measured === null ? '' :
          measured === predicted          ? 'good' :
                                            'bad'},
        agree),
      say(of(run.control, `predicted_${kind}`)), say(of(run.control, `measured_${kind}`))
    ];
  });
}

function countBars(run) {
  const of = (variant, kind, from) => variant?.wavefronts?.[`${from}_${kind}`];
  return Object.entries(COUNTED).filter(([kind]) => of(run, kind, 'predicted')).map(([kind, name]) => {
    const list =
      [
        ['predicted', of(run, kind, 'predicted'), 'peer'], ['counted', of(run, kind, 'measured'), 'ours'],
        ['counted without a layout', of(run.control, kind, 'measured'), 'rough']
      ].filter(([, value]) => value !== null && value !== undefined)
        .map(([what, value, look]) => ({name: `${name}, ${what}`, value, text: say(value), kind: look}));
    return bars(`wavefronts of ${name}`, list, 'wavefronts');
  });
}

/* Figures of peers for the same work: the same kernel, element size, params and bytes, on the same kind of
 * device. */
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
        'Outlined: peers as published in docs/performance.md, of another run on the same kind of device.') :
      null
  ];
}

function sayTime(t) {
  return t ? `median ${say(t.median)} ms, least ${say(t.min)} ms, noise ${say(t.noise)} ms, ${
               plural(t.samples, 'sample')}` :
             null;
}

function runSection(spec) {
  const {run, jit} = spec;
  if (!run && !jit) return null;
  const facts = [
    jit ? `${jit.registers} registers, ${jit.spill_bytes} bytes spilled, ${
            plural(jit.blocks_per_sm, 'block')} an SM` :
          null,
    run ? sayTime(run.time_ms) : null
  ].filter(Boolean);
  if (!run) return section('run', 'Compiled', facts.join('; '));
  const control = run.control ? ['without a layout, predicted', 'counted'] : [];
  const rows = countRows(run).map(row => row.slice(0, 4 + control.length));
  return section('run', 'The run',
    `${run.device}: ${run.correct ? 'every element correct' : 'WRONG RESULT'}, largest error ${
      say(run.max_error)}. ${facts.join('; ')}`,
    table('Wavefronts of a small launch.', ['', 'predicted', 'counted', '', ...control], rows),
    countBars(run), rateBars(spec));
}
