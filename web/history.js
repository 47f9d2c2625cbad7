// What /status says only about now, kept over time: partitions proved, jobs failed, how busy each device was.
//
// Counters are sampled while the page is open; what was before comes from the phases of the jobs that /status still
// lists. Times are seconds on the daemon's clock (its uptime), so a sleeping laptop does not bend the plot.

const KEPT_SECS = 3600;
const BUSY_SECS = 60;
const ASLEEP_SECS = 5; // without an answer for longer

const total = (status, of) => status.kinds.reduce((sum, kind) => sum + of(kind), 0);
const proved = (status) => total(status, (kind) => kind.partitions_proved);
const failed = (status) => total(status, (kind) => kind.failed.caller + kind.failed.transient + kind.failed.defect);

export class History {
  constructor() {
    this.clear();
  }

  clear() {
    this.events = []; // {at, proved, failed}, oldest first
    this.busy = [];   // {at, devices: Map of ordinal to busy_secs}, oldest first
    this.last = null;
  }

  add(status) {
    const now = status.uptime_secs;
    if (this.last && now < this.last.uptime_secs) this.clear(); // another process answers
    if (this.last) this.events.push(...between(this.last, status));
    else this.events = past(status);
    this.busy.push({ at: now, devices: new Map(status.devices.map((device) => [device.ordinal, device.busy_secs])) });
    this.events = this.events.filter((event) => event.at > now - KEPT_SECS);
    while (this.busy.length > 2 && this.busy[1].at <= now - BUSY_SECS) this.busy.shift();
    this.last = status;
  }

  // Sums of `n` equal buckets that end now.
  buckets(span, n) {
    const sums = Array.from({ length: n }, () => ({ proved: 0, failed: 0 }));
    const width = span / n;
    const newest = this.last ? Math.floor(this.last.uptime_secs / width) : 0; // aligned, so that bars do not change as they move
    for (const event of this.events) {
      const bucket = sums[n - 1 - (newest - Math.floor(event.at / width))];
      if (bucket === undefined) continue;
      bucket.proved += event.proved;
      bucket.failed += event.failed;
    }
    return sums;
  }

  provedWithin(span) {
    const since = (this.last?.uptime_secs ?? 0) - span;
    return Math.round(this.events.reduce((sum, event) => sum + (event.at > since ? event.proved : 0), 0));
  }

  // Of the last minute, or of as much of it as was seen; from the average since the start when nothing was.
  busyShare(ordinal) {
    const [first] = this.busy;
    const last = this.busy.at(-1);
    const spent = last.devices.get(ordinal) - (first.devices.get(ordinal) ?? 0);
    const share = last.at > first.at ? spent / (last.at - first.at) : last.devices.get(ordinal) / Math.max(last.at, 1e-9);
    return Math.min(Math.max(share, 0), 1);
  }
}

// A page that slept learns only the sum of what was proved meanwhile: it is spread over the time.
function between(before, status) {
  const gained = { proved: proved(status) - proved(before), failed: failed(status) - failed(before) };
  if (gained.proved <= 0 && gained.failed <= 0) return [];
  const gap = status.uptime_secs - before.uptime_secs;
  const parts = gap > ASLEEP_SECS ? Math.min(Math.ceil(gap), KEPT_SECS) : 1;
  return Array.from({ length: parts }, (_, i) => ({ at: before.uptime_secs + (gap * (i + 1)) / parts, proved: gained.proved / parts, failed: gained.failed / parts }));
}

function past(status) {
  const now = status.uptime_secs;
  const events = [];
  for (const job of status.jobs) {
    for (const partition of job.partitions) {
      const end = partition.phases.at(-1)?.end_ms; // verify is the last
      if (partition.stage === 'done' && end != null) {
        events.push({ at: now - job.accepted_secs_ago + end / 1000, proved: 1, failed: 0 });
      }
    }
  }
  for (const failure of status.failures) events.push({ at: now - failure.secs_ago, proved: 0, failed: 1 });
  return events.filter((event) => event.at > 0).sort((a, b) => a.at - b.at);
}
