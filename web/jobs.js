// The list of jobs: open ones first, then those that ended lately, newest first.
import { errorText, h } from './dom.js';
import { ago, bytes, plural, seconds } from './format.js';
import { waterfall } from './waterfall.js';

const SHOWN = 30;

export const isOpen = (job) => job.finished_secs_ago === null;

// `view`: {filter, all, opened, showAll()}.
export function jobList(status, view) {
  const found = status.jobs.filter((job) => matches(job, view.filter));
  const jobs = [...found.filter(isOpen), ...found.filter((job) => !isOpen(job)).sort((a, b) => a.finished_secs_ago - b.finished_secs_ago)];
  if (jobs.length === 0) {
    return h('p', { class: 'empty' }, status.jobs.length === 0 ? 'No job is open, and none ended lately.' : 'No job matches the filter.');
  }
  const shown = view.all ? jobs : jobs.slice(0, SHOWN);
  return [
    h('ul', { class: 'jobs' }, shown.map((job) => item(job, view.opened))),
    shown.length < jobs.length && h('button', { type: 'button', class: 'more', onclick: view.showAll }, `Show ${plural(jobs.length - shown.length, 'more job')}`),
  ];
}

function matches(job, filter) {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [job.label, job.job_id, job.proof_kind, job.circuit, job.priority, job.state].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

function item(job, opened) {
  const name = `job ${job.job_id}`;
  const open = opened.get(name) ?? job.state === 'running';
  return h('li', { key: job.job_id },
    h('details', { class: 'job', open, 'data-job': job.job_id, 'data-state': job.state },
      h('summary', { onclick: opened.toggle(name, open) },
        h('span', { class: `badge state-${job.state}` }, job.decoding ? 'decoding' : job.state),
        h('span', { class: 'job-name' }, h('bdi', null, job.label || job.job_id)),
        h('span', { class: 'job-kind' }, h('bdi', null, job.proof_kind), ' · ', job.priority),
        progress(job),
        h('span', { class: 'job-time' }, isOpen(job) ? seconds(job.duration_secs) : [seconds(job.duration_secs), h('span', { class: 'faint' }, ` · ${ago(job.finished_secs_ago)}`)])),
      open && body(job, opened)));
}

// One cell a partition where they can be told apart, else a bar.
function progress(job) {
  const text = `${job.partitions_done} / ${job.total_partitions}`;
  const cells = job.total_partitions <= 32
    ? job.partitions.map((partition) => h('i', { key: partition.index, class: `cell stage-${partition.stage}` }))
    : h('i', { class: 'cell stage-done', style: { flex: `0 0 ${(100 * job.partitions_done) / job.total_partitions}%` } });
  return h('span', { class: 'job-progress' },
    h('span', { class: 'cells', 'aria-hidden': 'true' }, cells),
    h('span', { class: 'job-done' }, h('span', { class: 'unseen' }, 'Partitions proved: '), text));
}

function body(job, opened) {
  return h('div', { class: 'job-body' },
    job.error !== null && errorText(job.error, job.failure !== null && h('span', { class: `badge class-${job.failure}` }, classText(job.failure)), ' '),
    h('p', { class: 'note' },
      job.label !== job.job_id && ['Job ', h('code', null, h('bdi', null, job.job_id)), ' · '], 'circuit ', h('bdi', null, job.circuit), ' · payload ', bytes(job.payload_bytes),
      ' · accepted ', ago(job.accepted_secs_ago),
      isOpen(job) && job.queue_position > 0 && ` · ${plural(job.queue_position, 'job')} before it when it came`,
      ' · ', h('a', { href: `timeline?job=${encodeURIComponent(job.job_id)}`, download: 'timeline.json' }, 'trace'), ' (for Perfetto)'),
    job.partitions.length > 0 ? waterfall(job, opened) : h('p', { class: 'empty' }, 'Its partitions are not known yet.'));
}

export const classText = (failure) => ({ caller: 'the caller’s', transient: 'passing', defect: 'defect' })[failure] ?? failure;
