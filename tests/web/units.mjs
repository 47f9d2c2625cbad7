// The parts of the dashboard that need no browser: numbers as text, and what the page remembers of the counters.
import assert from 'node:assert/strict';

import { ago, bytes, count, percent, plural, rate, seconds, span } from '../../web/format.js';
import { History } from '../../web/history.js';
import { niceAbove } from '../../web/plot.js';
import { parse } from './compare.mjs';
import { drawNumbers } from './draw.mjs';

const table = (format, rows) => rows.forEach(([value, text]) => assert.equal(format(value), text, `${format.name} of ${value}`));

table(bytes, [[0, '0 B'], [1023, '1023 B'], [1024, '1.0 KiB'], [1536, '1.5 KiB'], [2 ** 20 - 1, '1.0 MiB'], [13.6 * 2 ** 30, '13.6 GiB'], [240 * 2 ** 30, '240 GiB'], [2 ** 53, '8.0 PiB']]);
table(seconds, [[0, '0 ms'], [0.0124, '12 ms'], [0.9994, '999 ms'], [0.9996, '1.00 s'], [9.994, '9.99 s'], [9.996, '10.0 s'], [59.94, '59.9 s'], [59.96, '1 min'],
  [95, '1 min 35 s'], [3599.4, '59 min 59 s'], [3599.6, '1 h'], [7260, '2 h 1 min'], [172_800, '2 d'], [180_000, '2 d 2 h']]);
table(ago, [[0.4, 'now'], [1, '1 s ago'], [10.7, '10 s ago'], [61, '1 min 1 s ago']]);
table(span, [[0.9, '0 s'], [59.99, '59 s'], [60, '1 min'], [3599.9, '59 min 59 s'], [7261, '2 h 1 min']]);
table(percent, [[0, '0 %'], [0.004, '0.4 %'], [0.5, '50 %'], [0.996, '100 %'], [1, '100 %']]);
table(count, [[0, '0'], [999, '999'], [1000, '1\u202f000'], [1_234_567, '1\u202f234\u202f567']]);
table(rate, [[0, '0'], [0.5, '0.50'], [12.34, '12.3'], [1234.5, '1235']]);
assert.equal(plural(1, 'job'), '1 job');
assert.equal(plural(0, 'job'), '0 jobs');
table(niceAbove, [[1, 1], [1.01, 2], [3, 5], [5, 5], [7, 10], [0.03, 0.05], [1000, 1000], [1001, 2000]]);

// A text says its number to half a unit of its last digit.
for (const x of drawNumbers(2000)) {
  for (const format of [bytes, seconds]) {
    const [value, half] = parse(format(format === bytes ? Math.round(x) : x));
    const minutes = format === seconds && x >= 3600; // hours come with whole minutes, days with whole hours
    assert.ok(Math.abs(value - (format === bytes ? Math.round(x) : x)) <= (minutes ? 2 * half : half) * (1 + 1e-9) + 1e-9, `${format.name}(${x}) is "${format(x)}"`);
  }
}

// What the page remembers.
const kind = (proved, failed = 0) => ({ partitions_proved: proved, failed: { caller: failed, transient: 0, defect: 0 } });
const answer = (uptime_secs, proved, { failed = 0, busy = 0, jobs = [], failures = [] } = {}) =>
  ({ uptime_secs, kinds: [kind(proved, failed), kind(0)], devices: [{ ordinal: 3, busy_secs: busy }], jobs, failures });
const done = (accepted_secs_ago, end_ms) => ({ accepted_secs_ago, partitions: [
  { stage: 'done', phases: [{ name: 'queue', begin_ms: 0, end_ms: 1 }, { name: 'verify', begin_ms: 1, end_ms }] }, { stage: 'proving', phases: [{ name: 'start', begin_ms: 1, end_ms: null }] }] });

{ // before the page was opened: from the jobs that are still listed; since then: from the counters
  const history = new History();
  history.add(answer(1000, 500, { jobs: [done(100, 40_000), done(5, 4000)], failures: [{ secs_ago: 30 }, { secs_ago: 2000 }] }));
  assert.deepEqual(history.events.map((event) => event.at), [940, 970, 999]);
  assert.equal(history.provedWithin(60), 1);
  history.add(answer(1001, 503, { failed: 1 }));
  assert.equal(history.provedWithin(60), 4);
  const buckets = history.buckets(300, 60);
  assert.equal(buckets.reduce((sum, bucket) => sum + bucket.proved, 0), 5);
  assert.equal(buckets.reduce((sum, bucket) => sum + bucket.failed, 0), 2);
  assert.deepEqual(buckets.at(-1), { proved: 3, failed: 1 });
  history.add(answer(1001 + 3601, 503));
  assert.deepEqual(history.events, []);
}
{ // another process answers: nothing of the former one is counted, and nothing negative
  const history = new History();
  history.add(answer(1000, 500, { busy: 900 }));
  history.add(answer(1001, 510, { busy: 901 }));
  history.add(answer(2, 1, { busy: 1, jobs: [done(1.5, 1000)] }));
  assert.equal(history.provedWithin(60), 1);
  assert.equal(history.busyShare(3), 0.5);
}
{ // a page that slept for ten minutes: no bar for all of it at once
  const history = new History();
  history.add(answer(1000, 0));
  history.add(answer(1600, 1200));
  assert.equal(history.provedWithin(60), 120);
  assert.ok(Math.max(...history.buckets(300, 60).map((bucket) => bucket.proved)) < 11);
}
{ // busy: of the last minute once it was seen, of the whole time before
  const history = new History();
  history.add(answer(1000, 0, { busy: 100 }));
  assert.equal(history.busyShare(3), 0.1);
  for (let t = 1001; t <= 1200; t++) history.add(answer(t, 0, { busy: 100 + (t <= 1100 ? 0 : t - 1100) }));
  assert.equal(history.busyShare(3), 1);
  assert.ok(history.busy.length <= 63);
}
console.log('passed');
process.exit(0);
