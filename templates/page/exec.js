'use strict';
/* exec.js: shows a program that ran without a GPU: a table of its kernels, the selected kernel as in lint.js,
 * and the findings in host code. */

const dimsOf = v => v.join(' × ').replace(/( × 1)+$/, '');

const spellFrame = f =>
  `${f.function ? `${f.function} at ` : ''}${f.file ? `${f.file}:${f.line}` : `${f.module}+${f.offset}`}`;

function launchTable(lints, open) {
  const row =
    (lint, i) => [h('button', {type: 'button', class: 'candidate', onclick: () => open(i)}, lint.kernel),
      dimsOf(lint.grid), dimsOf(lint.block), say(lint.launches),
      h('span', {class: lint.conflicts ? 'bad' : ''}, lint.conflicts ? `✗ ${say(lint.conflicts)}` : '✓ 0'),
      h('span', {class: lint.findings.length ? 'bad' : ''},
        lint.findings.length ? `✗ ${say(lint.findings.length)}` : '✓ 0'),
      say(lint.notes.length)];
  return table(`${plural(lints.length, 'kernel')} by size; one is shown below.`,
    ['kernel', 'grid', 'block', 'launches', 'conflicts', 'findings', 'notes'], lints.map(row));
}

function hostSection(host) {
  if (!host.length) return null;
  const rows = host.map(f => [f.kind, f.message, say(f.count), f.stack.map(spellFrame).join(', by ')]);
  return section(
    'host', 'The host', 'Memory and calls of CUDA.', table('', ['finding', 'what', 'times', 'where'], rows));
}

function execPage(data) {
  const {exec, lint: lints} = data.report, place = h('div', {});
  let view = null;
  const open = i => {
    view = lintPage({...data.launches[i], arch: data.arch, report: {lint: lints[i]}});
    place.replaceChildren(h('h2', {}, lints[i].kernel),
      lints[i].launched_from.length ?
        h('p', {class: 'about'}, `launched from ${lints[i].launched_from.map(spellFrame).join(', by ')}`) :
        '',
      view.node);
    view.start();
    overview.querySelectorAll('tbody tr').forEach((tr, k) => tr.classList.toggle('on', k === i));
  };
  const overview = launchTable(lints, open);
  const worst = lints.findIndex(lint => lint.findings.length || lint.conflicts);
  return {
    title: exec.program,
    node: h('div', {}, overview, hostSection(exec.host), place),
    start: () => lints.length && open(Math.max(0, worst)),
    print: () => view?.print(),
    section: () => view?.section(),
    source: () => [...new Set(lints.map(lint => lint.file))].map(path => ({path, text: null}))
  };
}
