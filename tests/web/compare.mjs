// The values that the page shows, and whether they are those of the answer of /status from which they were made.
//
// Nothing of web/ is imported: texts are parsed back, and must be within half a unit of their last digit.
import assert from 'node:assert/strict';

const UNITS = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86400 };
const SHOWN_JOBS = 30;

// [value, half a unit of its last digit] of "1.5 GiB", "1 min 30 s".
export function parse(text) {
  const parts = [...text.matchAll(/([\d.\u202f]+) ([A-Za-z]+)/g)];
  assert.ok(parts.length > 0, `no number in "${text}"`);
  let value = 0;
  let unit = 0;
  for (const [, digits, name] of parts) {
    assert.ok(name in UNITS, `unit of "${text}"`);
    unit = UNITS[name] * 10 ** -(digits.split('.')[1]?.length ?? 0);
    value += Number(digits.replaceAll('\u202f', '')) * UNITS[name];
  }
  return [value, unit / 2];
}

function assertText(text, expected, what, slack = 0) {
  const [value, half] = parse(text);
  assert.ok(Math.abs(value - expected) <= half * (1 + 1e-9) + slack + 1e-9, `${what}: "${text}" is shown for ${expected}`);
}

const number = (text) => Number(text.replaceAll('\u202f', ''));
const sum = (list, of) => list.reduce((total, item) => total + of(item), 0);
const failures = (kind) => kind.failed.caller + kind.failed.transient + kind.failed.defect;
const isOpen = (job) => job.finished_secs_ago === null;

// Runs in the page.
export function readPage() {
  const text = (node) => node?.textContent.replace(/[ \n]+/g, ' ').trim() ?? null;
  const all = (selector, read, root = document) => [...root.querySelectorAll(selector)].map(read);
  const box = (node) => { const { left, width } = node.getBoundingClientRect(); return { left, width }; };
  const rows = (id) => Object.fromEntries(all(`#${id} tbody tr`, (row) => [row.dataset.row, all('td', text, row)]));
  const spans = (track) => all('.phase', (phase) => ({ name: phase.className.match(/phase-(\w+)/)[1], ...box(phase) }), track);
  return {
    title: document.title,
    connection: text(document.getElementById('connection')),
    facts: text(document.getElementById('facts')),
    warnings: all('#warnings li', text),
    warningsSeen: document.getElementById('warnings').checkVisibility(),
    tiles: Object.fromEntries(all('[data-tile]', (tile) => [tile.dataset.tile, { value: text(tile.querySelector('.value')), under: text(tile.querySelector('.under')) }])),
    jobs: all('[data-job]', (job) => ({
      id: job.dataset.job, state: job.dataset.state, open: job.open,
      badge: text(job.querySelector('.badge')), name: job.querySelector('.job-name').textContent, kind: text(job.querySelector('.job-kind')),
      done: text(job.querySelector('.job-done')), time: text(job.querySelector('.job-time').firstChild),
      cells: all('.cell', (cell) => cell.className.match(/stage-(\w+)/)[1], job.querySelector('.cells')),
      axis: job.querySelector('.waterfall') && { begin: Number(job.querySelector('.waterfall').dataset.beginMs), end: Number(job.querySelector('.waterfall').dataset.endMs) },
      whole: all('.job-row .track', spans, job),
      partitions: all('[data-partition]', (row) => ({
        index: Number(row.dataset.partition), stage: row.dataset.stage, track: box(row.querySelector('.track')), phases: spans(row.querySelector('.track')),
        said: row.querySelector('.track').getAttribute('aria-label'),
      }), job),
      legend: Object.fromEntries(all('.legend li', (item) => [item.querySelector('i').className.match(/phase-(\w+)/)[1], text(item.querySelector('data'))], job)),
    })),
    more: text(document.querySelector('.more')),
    devices: all('[data-device]', (device) => ({
      ordinal: Number(device.dataset.device), name: text(device.querySelector('h3')), badge: text(device.querySelector('.badge')), facts: text(device.querySelector('.note')),
      meters: all('.meter', text, device), inFlight: all('.in-flight li', (item) => all('bdi, span', text, item), device),
    })),
    memory: Object.fromEntries(all('#memory [data-field]', (node) => [node.dataset.field, node.value ?? all('li', text, node)])),
    memoryText: text(document.querySelector('[data-field="memory.used"]')),
    stack: box(document.querySelector('.stack')),
    parts: all('.stack i:not(.peak, .reserve)', box),
    consumers: all('#memory [data-tag]', (item) => ({ tag: item.dataset.tag, value: Number(item.querySelector('data').value), text: text(item.querySelector('data')) })),
    pool: Object.fromEntries(all('#pool [data-field]', (node) => [node.dataset.field, { value: Number(node.value), text: text(node) }])),
    poolText: text(document.getElementById('pool')),
    queues: rows('queues'),
    kinds: rows('kinds'),
    residents: rows('residents'),
    failures: all('.failures > li', (item) => ({ badge: text(item.querySelector('.badge')), job: item.querySelector('code')?.textContent, kind: item.querySelector('bdi').textContent, error: item.querySelector('.error').textContent })),
    bars: all('#throughput rect.bar', (bar) => Number(bar.getAttribute('height'))).length,
    plot: document.querySelector('#throughput svg').getAttribute('aria-label'),
  };
}

export function assertShows(shown, status) {
  assertFrame(shown, status);
  assertTiles(shown.tiles, status);
  assertJobs(shown, status);
  assertDevices(shown.devices, status);
  assertMemory(shown, status);
  assertPool(shown, status.pool);
  assertTables(shown, status);
  assertFailures(shown.failures, status.failures);
}

function assertFrame(shown, status) {
  assert.equal(shown.connection, !status.accepting ? 'draining' : status.ready ? 'ready' : 'loading keys');
  const [version, up] = shown.facts.split(' · ');
  assert.equal(version, `version ${status.version}`);
  assertText(up, status.uptime_secs, 'uptime', up.includes('h') ? 60 : 1); // whole units
  assert.deepEqual(shown.warnings, status.warnings.map((text) => text.replace(/[ \n]+/g, ' ').trim()));
  assert.equal(shown.warningsSeen, status.warnings.length > 0);
  const open = status.jobs.filter(isOpen).length;
  assert.equal(shown.title, open > 0 ? `(${open}) cuzk` : 'cuzk');
}

function assertTiles(tiles, { kinds, memory, devices }) {
  const [running, waiting] = [sum(kinds, (kind) => kind.running), sum(kinds, (kind) => kind.waiting)];
  assert.equal(number(tiles.open.value), running + waiting);
  assert.deepEqual(tiles.open.under.split(' ').filter((word) => /\d/.test(word)).map(number), [running, waiting]);
  assert.equal(number(tiles.completed.value), sum(kinds, (kind) => kind.completed));
  assert.deepEqual(tiles.completed.under.split(' ').filter((word) => /\d/.test(word)).map(number), [sum(kinds, failures), sum(kinds, (kind) => kind.cancelled)]);
  assert.equal(number(tiles.rate.under.split(' ')[0]), sum(kinds, (kind) => kind.partitions_proved));
  assert.ok(Math.abs(parseFloat(tiles.memory.value) - (100 * memory.used_bytes) / memory.total_bytes) <= 0.5, tiles.memory.value);
  assert.equal(tiles.devices.value, `${devices.filter((device) => device.in_flight.length > 0).length} of ${devices.length}`);
  const out = devices.filter((device) => !device.in_service).length;
  assert.equal(tiles.devices.under, out > 0 ? `${out} out of service` : 'all in service');
}

function assertJobs(shown, status) {
  const order = [...status.jobs.filter(isOpen), ...status.jobs.filter((job) => !isOpen(job)).sort((a, b) => a.finished_secs_ago - b.finished_secs_ago)];
  assert.deepEqual(shown.jobs.map((job) => job.id), order.slice(0, SHOWN_JOBS).map((job) => job.job_id));
  assert.equal(shown.more !== null, order.length > SHOWN_JOBS);
  shown.jobs.forEach((job, i) => assertJob(job, order[i]));
}

function assertJob(shown, job) {
  const name = `job ${job.job_id}`;
  assert.equal(shown.state, job.state, name);
  assert.equal(shown.badge, job.decoding ? 'decoding' : job.state, name);
  assert.equal(shown.name, job.label || job.job_id, name);
  assert.equal(shown.kind, `${job.proof_kind} · ${job.priority}`.replace(/[ \n]+/g, ' ').trim(), name);
  assert.equal(shown.done, `Partitions proved: ${job.partitions_done} / ${job.total_partitions}`, name);
  assertText(shown.time, job.duration_secs, name, 1e-3);
  if (job.total_partitions <= 32) assert.deepEqual(shown.cells, job.partitions.map((partition) => partition.stage), name);
  if (!shown.open || shown.axis === null) return;
  const nowMs = job.duration_secs * 1000;
  assert.deepEqual(shown.partitions.map(({ index, stage }) => ({ index, stage })), job.partitions.map(({ index, stage }) => ({ index, stage })), name);
  shown.partitions.forEach((row, i) => assertRow(row, job.partitions[i], shown.axis, nowMs, `${name}, partition ${i}`));
  assert.deepEqual(shown.whole.flat().map((phase) => phase.name), shown.axis.begin === 0 ? job.phases.map((phase) => phase.name) : [], name);
  const sums = {};
  for (const phase of [...job.phases, ...job.partitions.flatMap((partition) => partition.phases)]) {
    sums[phase.name] = (sums[phase.name] ?? 0) + Math.max((phase.end_ms ?? nowMs) - phase.begin_ms, 0);
  }
  for (const [phase, ms] of Object.entries(sums)) if (phase in shown.legend) assertText(shown.legend[phase], ms / 1000, `${name}: ${phase} in the legend`);
}

// Spans are where their times are on the axis, to a pixel.
function assertRow(shown, partition, axis, nowMs, name) {
  const visible = partition.phases.filter((phase) => (phase.end_ms ?? nowMs) >= axis.begin);
  assert.equal(shown.phases.length, visible.length, name);
  const pixel = (ms) => (shown.track.width * (ms - axis.begin)) / (axis.end - axis.begin);
  visible.forEach((phase, i) => {
    const begin = pixel(Math.max(phase.begin_ms, axis.begin));
    const width = Math.max(pixel(Math.max(phase.end_ms ?? nowMs, phase.begin_ms)) - begin, 1);
    assert.ok(Math.abs(shown.phases[i].left - shown.track.left - begin) <= 1, `${name}: ${phase.name} begins at ${shown.phases[i].left - shown.track.left} px, expected ${begin}`);
    assert.ok(Math.abs(shown.phases[i].width - width) <= 1, `${name}: ${phase.name} is ${shown.phases[i].width} px wide, expected ${width}`);
  });
  assert.ok(shown.said.startsWith(partition.stage), name);
}

function assertDevices(shown, { devices }) {
  assert.equal(shown.length, devices.length);
  devices.forEach((device, i) => {
    const { ordinal, name, badge, facts, meters, inFlight } = shown[i];
    assert.equal(ordinal, device.ordinal);
    assert.equal(name, device.name);
    assert.equal(badge, device.in_service ? 'in service' : 'out of service');
    const [place, proofs, errors, flight] = facts.split(' · ');
    assert.equal(place, `Device ${device.ordinal}, ${device.is_cpu ? 'CPU' : 'GPU'}`);
    assert.equal(number(proofs.split(' ')[0]), device.proofs);
    assert.equal(number(errors.split(' ')[0]), device.errors);
    assert.equal(flight, `in flight ${device.in_flight.length} of ${device.max_in_flight}`);
    assert.match(meters[0], /^busy [\d.]+ % of the last minute$/);
    assert.equal(meters.length, device.kernel_share == null ? 1 : 2);
    if (device.kernel_share != null) assert.match(meters[1], /^kernels [\d.]+ % of the time while they came$/);
    assert.deepEqual(inFlight.map(([work, partition]) => [work, partition]), device.in_flight.map((work) => [`${work.proof_kind} ${work.job_id}`.replace(/[ \n]+/g, ' ').trim(), `#${work.partition}`]));
    inFlight.forEach(([, , time], j) => assertText(time, device.in_flight[j].secs, `device ${i}`));
  });
}

function assertMemory(shown, { memory }) {
  assert.equal(Number(shown.memory['memory.used']), memory.used_bytes);
  assert.equal(Number(shown.memory['memory.total']), memory.total_bytes);
  assert.equal(Number(shown.memory['memory.peak']), memory.peak_bytes);
  assertText(shown.memoryText, memory.used_bytes, 'memory used');
  const expected = Object.entries(memory.by_tag).filter(([, bytes]) => bytes > 0).map(([tag, value]) => ({ tag, value }));
  const idle = memory.used_bytes - sum(expected, (consumer) => consumer.value);
  if (idle > 0) expected.push({ tag: 'idle', value: idle });
  assert.deepEqual(shown.consumers.map(({ tag, value }) => ({ tag, value })), expected);
  assert.equal(shown.parts.length, expected.length);
  expected.forEach(({ tag, value }, i) => {
    assertText(shown.consumers[i].text, value, tag);
    const width = shown.stack.width * Math.min(value / memory.total_bytes, 1);
    assert.ok(Math.abs(shown.parts[i].width - width) <= 1, `${tag}: ${shown.parts[i].width} px, expected ${width}`);
  });
  assert.equal((shown.memory['memory.waiting'] ?? []).length, memory.waiting.length);
}

function assertPool(shown, pool) {
  if (pool === null) {
    assert.match(shown.poolText, /^There is no page-locked pool/);
    return;
  }
  for (const name of ['pinned_bytes', 'in_use_bytes', 'free_bytes', 'pageable_bytes', 'hits', 'misses', 'fallbacks']) {
    const { value, text } = shown.pool[`pool.${name}`];
    assert.equal(value, pool[name], name);
    if (name.endsWith('_bytes')) assertText(text, pool[name], name);
    else assert.equal(number(text.split(' ')[0]), pool[name], name);
  }
}

function assertTables(shown, { queues, kinds, allocations }) {
  assert.deepEqual(Object.keys(shown.queues), queues.map((queue) => queue.name));
  for (const queue of queues) {
    const [length, room, oldest] = shown.queues[queue.name];
    assert.equal(number(length), queue.length, queue.name);
    assert.equal(room, queue.capacity === 0 ? '–' : String(queue.capacity), queue.name);
    if (queue.length > 0) assertText(oldest, queue.oldest_secs, queue.name);
  }
  assert.deepEqual(Object.keys(shown.kinds), kinds.map((kind) => kind.proof_kind));
  for (const kind of kinds) {
    assert.deepEqual(shown.kinds[kind.proof_kind].map(number), [
      kind.completed, failures(kind), kind.waiting, kind.running, kind.accepted, kind.cancelled, kind.joined, kind.recovered,
      kind.partitions_proved, kind.partitions_retried, kind.proofs_rejected], kind.proof_kind);
  }
  const residents = [...allocations.srs, ...allocations.pce];
  assert.equal(Object.keys(shown.residents).length, residents.length);
  Object.values(shown.residents).forEach(([size], i) => assertText(size, residents[i].bytes, residents[i].circuit_id));
}

function assertFailures(shown, failed) {
  assert.deepEqual(shown.map(({ job, kind, error }) => ({ job, kind, error })), failed.map(({ job_id: job, proof_kind: kind, error }) => ({ job, kind, error })));
  const titles = { caller: 'the caller’s', transient: 'passing', defect: 'defect' };
  failed.forEach((failure, i) => assert.equal(shown[i].badge, titles[failure.class]));
}
