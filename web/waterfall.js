// The partitions of one job over time: a row each, its phases as coloured spans on a common axis.
import { errorText, h } from './dom.js';
import { bytes, plural, seconds, span } from './format.js';
import { PHASES, lengthOf, phaseOf } from './phases.js';
import { niceAbove } from './plot.js';

const TICKS = 4;
const LAST_TICK = 0.88; // of the axis: the text of a later one has no room
const LONG = 40; // more rows scroll

export function waterfall(job, opened) {
  const now = job.duration_secs * 1000; // since it was accepted; of a finished job, its end
  const axis = axisOf(job, now);
  return [
    legend(job, now),
    axis.begin > 0 && h('p', { class: 'note' }, `The axis begins ${seconds(axis.begin / 1000)} after the job was accepted.`),
    h('div', { class: 'waterfall', 'data-begin-ms': axis.begin, 'data-end-ms': axis.end },
      h('div', { class: 'axis', 'aria-hidden': 'true' }, h('span', null),
        h('div', { class: 'axis-track' }, ticksOf(axis).map(({ at, text }) => h('span', { style: { left: share(at - axis.begin, axis) } }, text))), h('span', null)),
      job.phases?.length > 0 && axis.begin === 0 && jobRow(job, axis, now),
      h('ol', { 'aria-label': 'Partitions', class: job.partitions.length > LONG && 'long' }, job.partitions.map((partition) => row(job, partition, axis, now, opened)))),
  ];
}

const allPhases = (job) => [...(job.phases ?? []), ...job.partitions.flatMap((partition) => partition.phases)];

// A long wait before anything happened would leave no room for what happened.
function axisOf(job, now) {
  const work = job.partitions.flatMap((partition) => partition.phases).filter((phase) => !phaseOf(phase.name).waits);
  const first = Math.min(now, ...work.map((phase) => phase.begin_ms));
  const end = Math.max(now, 1, ...work.map((phase) => phase.end_ms ?? 0));
  const begin = first > 0.4 * end && first < end ? Math.max(first - 0.05 * (end - first), 0) : 0;
  return { begin, end, length: end - begin };
}

function ticksOf(axis) {
  const step = niceAbove(axis.length / TICKS);
  const ticks = [];
  for (let i = Math.ceil(axis.begin / step); i * step <= axis.begin + LAST_TICK * axis.length; i++) {
    ticks.push({ at: i * step, text: tickText(i * step, step, axis.end) });
  }
  return ticks;
}

function tickText(ms, step, endMs) {
  if (ms === 0) return '0';
  if (endMs < 1500) return `${Math.round(ms)} ms`;
  if (step >= 1000 && endMs >= 60_000) return span(ms / 1000);
  return `${(ms / 1000).toFixed(Math.max(Math.ceil(3 - Math.log10(step)), 0))} s`;
}

const share = (ms, axis) => `${((100 * ms) / axis.length).toFixed(3)}%`;

// Colours and names of the phases that occur, with what all partitions together took.
function legend(job, now) {
  const sums = new Map();
  for (const phase of allPhases(job)) sums.set(phase.name, (sums.get(phase.name) ?? 0) + lengthOf(phase, now));
  const known = PHASES.filter((phase) => sums.has(phase.name)).map((phase) => phase.name);
  const names = [...known, ...[...sums.keys()].filter((name) => !known.includes(name))];
  return h('ul', { class: 'legend', 'aria-label': 'Phases, sums over all partitions' }, names.map((name) =>
    h('li', { key: name, class: 'chip' }, h('i', { class: `swatch phase-${phaseOf(name).name}` }), phaseOf(name).title, ' ', h('data', { value: Math.round(sums.get(name)) }, seconds(sums.get(name) / 1000)))));
}

// What is done once for all partitions.
function jobRow(job, axis, now) {
  return h('div', { class: 'job-row' },
    h('span', { class: 'partition-name' }, 'all'),
    track(job, { stage: 'all partitions', phases: job.phases }, axis, now),
    h('span', { class: 'partition-time' }, seconds(tookMs(job.phases, now) / 1000)));
}

const tookMs = (phases, now) => Math.max(...phases.map((phase) => phase.end_ms ?? now)) - Math.min(...phases.map((phase) => phase.begin_ms));

function track(job, { stage, phases }, axis, now) {
  const words = phases.map((phase) => `${phaseOf(phase.name).title} ${seconds(lengthOf(phase, now) / 1000)}`);
  return h('span', { class: 'track', role: 'img', 'aria-label': [stage, ...words].join(', ') },
    phases.map((phase) => phaseSpan(phase, axis, now, job.finished_secs_ago === null)));
}

function row(job, partition, axis, now, opened) {
  const name = `${job.job_id}/${partition.index}`;
  const open = opened.get(name) ?? false;
  return h('li', { key: partition.index },
    h('details', { class: 'partition', open, 'data-partition': partition.index, 'data-stage': partition.stage },
      h('summary', { onclick: opened.toggle(name, open) },
        h('span', { class: 'partition-name' }, h('span', { class: 'unseen' }, 'Partition '), partition.index,
          h('span', { class: `mark stage-${partition.stage}`, 'aria-hidden': 'true' })),
        track(job, partition, axis, now),
        h('span', { class: 'partition-time' }, partition.phases.length > 0 && seconds(tookMs(partition.phases, now) / 1000))),
      open && details(partition, now)));
}

function phaseSpan(phase, axis, now, live) {
  const begin = Math.max(phase.begin_ms, axis.begin);
  const end = phase.end_ms ?? now;
  if (end < axis.begin) return null;
  const { name, title, waits } = phaseOf(phase.name);
  return h('span', {
    key: phase.name,
    class: `phase phase-${name}${live && phase.end_ms === null && !waits ? ' running' : ''}`,
    style: { left: share(begin - axis.begin, axis), width: share(Math.max(end - begin, 0), axis) },
    title: `${title} ${seconds(lengthOf(phase, now) / 1000)}`,
  });
}

function details(partition, now) {
  const moved = [
    partition.pinned_bytes > 0 && `${bytes(partition.pinned_bytes)} page-locked`,
    partition.pageable_bytes > 0 && `${bytes(partition.pageable_bytes)} pageable`,
  ].filter(Boolean).join(', ');
  return h('div', { class: 'partition-details' },
    h('dl', { class: 'facts-list' },
      fact('Stage', partition.stage),
      fact('Device', partition.device || 'none yet'),
      fact('Attempts', plural(partition.attempts, 'attempt')),
      partition.path && partition.path !== 'none' && fact('Path', partition.path.replaceAll('_', ' ')),
      moved && fact('Moved to the device', moved)),
    partition.phases.length > 0 && h('table', null,
      h('caption', { class: 'unseen' }, `Phases of partition ${partition.index}`),
      h('thead', null, h('tr', null, ['Phase', 'Began', 'Took'].map((title, i) => h('th', { scope: 'col', class: i > 0 && 'number' }, title)))),
      h('tbody', null, partition.phases.map((phase) => h('tr', { key: phase.name },
        h('th', { scope: 'row' }, h('i', { class: `swatch phase-${phaseOf(phase.name).name}` }), phaseOf(phase.name).title),
        h('td', { class: 'number' }, seconds(phase.begin_ms / 1000)),
        h('td', { class: 'number' }, seconds(lengthOf(phase, now) / 1000), phase.end_ms === null && ' so far'))))),
    partition.error && errorText(partition.error, 'Attempt before: '));
}

const fact = (title, value) => h('div', { key: title }, h('dt', null, title), h('dd', null, h('bdi', null, value)));
