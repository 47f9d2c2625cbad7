// The panels beside the jobs: each a function from /status to descriptions of elements.
import { errorText, h } from './dom.js';
import { ago, bytes, count, percent, plural, seconds } from './format.js';
import { classText } from './jobs.js';

const sum = (list, of) => list.reduce((total, item) => total + of(item), 0);
const failures = (kind) => kind.failed.caller + kind.failed.transient + kind.failed.defect;
const share = (part, whole) => (whole > 0 ? Math.min(part / whole, 1) : 0);

function tile(name, title, value, under, tone) {
  return h('div', { key: name, class: `tile ${tone ?? ''}`, 'data-tile': name }, h('h2', null, title), h('p', { class: 'value' }, value), h('p', { class: 'under' }, under));
}

export function tiles(status, history) {
  const running = sum(status.kinds, (kind) => kind.running);
  const waiting = sum(status.kinds, (kind) => kind.waiting);
  const failed = sum(status.kinds, failures);
  const { memory, devices } = status;
  const busy = devices.filter((device) => device.in_flight.length > 0).length;
  const sick = devices.filter((device) => !device.in_service).length;
  return [
    tile('open', 'Open jobs', count(running + waiting), `${count(running)} running, ${count(waiting)} waiting`),
    tile('completed', 'Completed', count(sum(status.kinds, (kind) => kind.completed)), `${count(failed)} failed, ${count(sum(status.kinds, (kind) => kind.cancelled))} cancelled`, failed > 0 && 'tone-warn'),
    tile('rate', 'Partitions a minute', count(history.provedWithin(60)), `${count(sum(status.kinds, (kind) => kind.partitions_proved))} since the start`),
    tile('memory', 'Memory budget', percent(share(memory.used_bytes, memory.total_bytes)), `${bytes(memory.used_bytes)} of ${bytes(memory.total_bytes)}`, share(memory.used_bytes, memory.total_bytes) > 0.95 && 'tone-warn'),
    tile('devices', 'Devices busy', `${busy} of ${devices.length}`, sick > 0 ? `${sick} out of service` : 'all in service', sick > 0 && 'tone-bad'),
  ];
}

export function warnings(status) {
  return h('ul', null, status.warnings.map((warning) => h('li', { key: warning }, h('bdi', null, warning))));
}

export function deviceList(status, history) {
  if (status.devices.length === 0) return h('p', { class: 'empty' }, 'There is no device.');
  return h('ul', { class: 'devices' }, status.devices.map((device) => {
    const busy = history.busyShare(device.ordinal);
    return h('li', { key: device.ordinal, 'data-device': device.ordinal, class: !device.in_service && 'out' },
      h('div', { class: 'row' },
        h('h3', null, h('bdi', null, device.name)),
        h('span', { class: `badge ${device.in_service ? 'state-completed' : 'state-failed'}` }, device.in_service ? 'in service' : 'out of service')),
      meter(`busy ${percent(busy)} of the last minute`, busy),
      device.kernel_share != null && meter(`kernels ${percent(device.kernel_share)} of the time while they came`, device.kernel_share),
      h('p', { class: 'note' },
        `Device ${device.ordinal}, ${device.is_cpu ? 'CPU' : 'GPU'} · `, plural(device.proofs, 'proof'), ' · ',
        h('span', { class: device.errors > 0 && 'bad' }, plural(device.errors, 'error')), ` · in flight ${device.in_flight.length} of ${device.max_in_flight}`),
      device.in_flight.length > 0 && h('ul', { class: 'in-flight' }, device.in_flight.map((work) =>
        h('li', { key: `${work.job_id}/${work.partition}` }, h('bdi', { class: 'ellipsis' }, `${work.proof_kind} ${work.job_id}`), h('span', null, `#${work.partition}`), h('span', { class: 'number' }, seconds(work.secs))))));
  }));
}

// A bar with its text under it; `text` says the same in words.
function meter(text, part) {
  return h('div', { class: 'meter' },
    h('div', { class: 'meter-bar', 'aria-hidden': 'true' }, h('i', { style: { width: `${(100 * part).toFixed(2)}%` } })), h('span', null, text));
}

const CONSUMERS = {
  key: 'proving keys', circuit: 'compiled circuits', abc: 'a, b, c', witness: 'witnesses', payload: 'set aside for payloads',
  workspace: 'workspace', cache: 'results and caches', pool: 'pool, being made',
};

// Consumers in the order of the daemon, and what is used without one: idle buffers of the pool.
function consumersOf(memory) {
  const named = Object.entries(memory.by_tag).map(([tag, n]) => ({ tag, title: CONSUMERS[tag] ?? tag, bytes: n, tone: CONSUMERS[tag] ? tag : 'unknown' }));
  const idle = memory.used_bytes - sum(named, (consumer) => consumer.bytes);
  return idle > 0 ? [...named, { tag: 'idle', title: 'pool, idle', bytes: idle, tone: 'idle' }] : named;
}

export function memoryPanel(status) {
  const { memory } = status;
  const consumers = consumersOf(memory).filter((consumer) => consumer.bytes > 0);
  const at = (n) => `${(100 * share(n, memory.total_bytes)).toFixed(3)}%`;
  const label = `${bytes(memory.used_bytes)} of ${bytes(memory.total_bytes)} used: ${consumers.map((c) => `${c.title} ${bytes(c.bytes)}`).join(', ') || 'nothing'}`;
  return [
    h('div', { class: 'row' },
      h('p', null, h('data', { class: 'big', value: memory.used_bytes, 'data-field': 'memory.used' }, bytes(memory.used_bytes)), ' of ', h('data', { value: memory.total_bytes, 'data-field': 'memory.total' }, bytes(memory.total_bytes))),
      h('p', { class: 'note' }, 'peak ', h('data', { value: memory.peak_bytes, 'data-field': 'memory.peak' }, bytes(memory.peak_bytes)))),
    h('div', { class: 'stack', role: 'img', 'aria-label': label },
      consumers.map((consumer) => h('i', { key: consumer.tag, class: `tag-${consumer.tone}`, title: `${consumer.title} ${bytes(consumer.bytes)}`, style: { width: at(consumer.bytes) } })),
      memory.peak_bytes > 0 && h('i', { key: 'peak line', class: 'peak', title: `peak ${bytes(memory.peak_bytes)}`, style: { left: at(memory.peak_bytes) } }),
      memory.critical_reserve_bytes > 0 && h('i', { key: 'reserve', class: 'reserve', title: `for critical jobs alone: ${bytes(memory.critical_reserve_bytes)}`, style: { width: at(memory.critical_reserve_bytes) } })),
    h('ul', { class: 'consumers' },
      consumers.map((consumer) => h('li', { key: consumer.tag, 'data-tag': consumer.tag }, h('i', { class: `swatch tag-${consumer.tone}` }), h('span', null, consumer.title), h('data', { class: 'number', value: consumer.bytes }, bytes(consumer.bytes)))),
      memory.critical_reserve_bytes > 0 && h('li', { key: 'reserve' }, h('i', { class: 'swatch reserve' }), h('span', null, 'for critical jobs alone'), h('data', { class: 'number', value: memory.critical_reserve_bytes }, bytes(memory.critical_reserve_bytes)))),
    memory.waiting.length > 0 && [
      h('h3', null, `${plural(memory.waiting.length, 'request')} ${memory.waiting.length === 1 ? 'waits' : 'wait'} for memory`),
      h('ul', { class: 'in-flight', 'data-field': 'memory.waiting' }, memory.waiting.map((request) =>
        h('li', null, h('bdi', { class: 'ellipsis' }, [CONSUMERS[request.tag] ?? request.tag, request.owner].filter(Boolean).join(' for ')), h('span', { class: 'number' }, bytes(request.bytes)), h('span', { class: 'number' }, `for ${seconds(request.waited_secs)}`)))),
    ],
  ];
}

export function poolPanel(status) {
  const { pool } = status;
  if (pool === null) return h('p', { class: 'empty' }, 'There is no page-locked pool: no device needs it.');
  const asked = pool.hits + pool.misses;
  const rows = [
    ['pinned_bytes', 'Page-locked', bytes(pool.pinned_bytes)], ['in_use_bytes', 'In use', bytes(pool.in_use_bytes)], ['free_bytes', 'Free', bytes(pool.free_bytes)],
    ['pageable_bytes', 'In use, not page-locked', bytes(pool.pageable_bytes)],
    ['hits', 'Found ready', `${count(pool.hits)}${asked > 0 ? ` (${percent(pool.hits / asked)})` : ''}`], ['misses', 'Made while waited for', count(pool.misses)],
    ['fallbacks', 'Fallbacks to the heap', count(pool.fallbacks)],
  ];
  return h('dl', { class: 'facts-list wide' }, rows.map(([name, title, text]) =>
    h('div', { key: name, class: name === 'fallbacks' && pool.fallbacks > 0 && 'bad' }, h('dt', null, title), h('dd', null, h('data', { value: pool[name], 'data-field': `pool.${name}` }, text)))));
}

function table(caption, heads, rows) {
  return h('table', null,
    h('caption', { class: 'unseen' }, caption),
    h('thead', null, h('tr', null, heads.map((head, i) => h('th', { scope: 'col', class: i > 0 && 'number' }, head)))),
    h('tbody', null, rows.map(([name, ...cells]) => h('tr', { key: name, 'data-row': name },
      h('th', { scope: 'row' }, h('bdi', null, name)), cells.map((cell) => h('td', { class: 'number' }, cell))))));
}

export function queueTable(status) {
  return table('Queues', ['Queue', 'Length', 'Room', 'Oldest'], status.queues.map((queue) => [
    queue.name, h('span', { class: queue.length > 0 && 'strong' }, count(queue.length)), queue.capacity === 0 ? '–' : count(queue.capacity), queue.length > 0 ? seconds(queue.oldest_secs) : '–']));
}

export function residentTable(status) {
  const { srs, pce } = status.allocations;
  const on = (entry) => (status.devices.length > 1 && entry.device !== undefined ? ` on ${entry.device}` : '');
  const state = (entry) => (entry.loading ? 'loading' : entry.users > 0 ? 'in use' : entry.evictable ? 'evictable' : 'kept');
  const rows = (list, what) => list.map((entry) => [`${entry.circuit_id} ${what}${on(entry)}`, bytes(entry.bytes), entry.users > 0 ? 'now' : ago(entry.last_used_secs_ago), state(entry)]);
  if (srs.length + pce.length === 0) return h('p', { class: 'empty' }, 'None is in memory: the first job that needs one loads it.');
  return table('Resident keys and circuits', ['What', 'Size', 'Used', 'State'], [...rows(srs, 'key'), ...rows(pce, 'circuit')]);
}

export function failureList(status) {
  if (status.failures.length === 0) return h('p', { class: 'empty' }, 'None.');
  return h('ul', { class: 'failures' }, status.failures.map((failure) => h('li', null,
    h('div', { class: 'row' },
      h('p', null, failure.class && h('span', { class: `badge class-${failure.class}` }, classText(failure.class)), ' ', h('bdi', null, failure.proof_kind), ' ', h('code', null, h('bdi', null, failure.job_id))),
      h('span', { class: 'note' }, ago(failure.secs_ago))),
    errorText(failure.error))));
}

export function kindTable(status) {
  return table('Jobs since the start', ['Kind', 'Completed', 'Failed', 'Waiting', 'Running', 'Accepted', 'Cancelled', 'Joined', 'Recovered', 'Partitions', 'Retried', 'Rejected'], status.kinds.map((kind) => [
    kind.proof_kind, count(kind.completed), h('span', { class: failures(kind) > 0 && 'bad' }, count(failures(kind))), count(kind.waiting), count(kind.running), count(kind.accepted),
    count(kind.cancelled), count(kind.joined), count(kind.recovered), count(kind.partitions_proved), count(kind.partitions_retried), h('span', { class: kind.proofs_rejected > 0 && 'bad' }, count(kind.proofs_rejected))]));
}
