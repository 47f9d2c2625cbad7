// A /status with what a healthy daemon seldom shows: texts that want to be markup, devices out of service, waits for memory,
// phases that the page does not know, jobs of 126 partitions, more jobs than the page lists.

export const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(2)</script>',
  '</bdi></summary><iframe src=javascript:alert(3)>',
  "' onmouseover='alert(4)",
  '\u202eevil\u202c {{7*7}} ${7*7} &lt;b&gt;',
  `${'long'.repeat(256)}`,
];
const GIB = 2 ** 30;

let uptime = 5000;

export function madeStatus() {
  uptime += 1;
  const jobs = [
    job('running', { label: HOSTILE[0], job_id: HOSTILE[1], proof_kind: HOSTILE[3], partitions: 10 }),
    job('accepted', { label: HOSTILE[2], job_id: 'accepted', partitions: 0, queue_position: 3 }),
    job('running', { label: HOSTILE[5], job_id: 'long', circuit: HOSTILE[5], partitions: 126 }),
    job('failed', { label: HOSTILE[4], job_id: 'failed', error: HOSTILE[0], failure: 'defect', partitions: 3 }),
    job('cancelled', { label: '', job_id: 'cancelled', error: 'cancelled by its client', partitions: 1 }),
    ...Array.from({ length: 60 }, (_, i) => job('completed', { label: `job ${i}`, job_id: `completed ${i}`, partitions: 1 + (i % 16), ended: 20 + i })),
  ];
  const kind = (name, more) => ({ proof_kind: name, waiting: 1, running: 2, accepted: 1_234_567, joined: 1, recovered: 2, completed: 1_234_500, cancelled: 3,
    failed: { caller: 4, transient: 5, defect: 6 }, partitions_proved: 12_345_678 + uptime, partitions_retried: 7, proofs_rejected: 1, ...more });
  const by_tag = { key: 44 * GIB, circuit: 18 * GIB, abc: 23.5 * GIB, witness: 8 * GIB, payload: 0, workspace: 1000, cache: 1, pool: 12 * GIB, [HOSTILE[0]]: GIB };
  const used = Object.values(by_tag).reduce((a, b) => a + b) + 6 * GIB;
  return {
    uptime_secs: uptime, version: '9.9.9', ready: false, accepting: true, warnings: [HOSTILE[0], `a long one: ${'word '.repeat(60)}`, HOSTILE[5]],
    memory: { total_bytes: 128 * GIB, used_bytes: used, available_bytes: 128 * GIB - used, peak_bytes: 127 * GIB, critical_reserve_bytes: 4 * GIB, by_tag,
      waiting: [{ tag: 'abc', bytes: 13.6 * GIB, waited_secs: 61.5, owner: HOSTILE[0] }, { tag: HOSTILE[2], bytes: 5, waited_secs: 0.01 }] },
    synthesis: { max_concurrent: 2, active: 1 }, pipelines: [], gpu_workers: [],
    allocations: { srs: [{ circuit_id: HOSTILE[0], bytes: 44 * GIB, last_used_secs_ago: 0, evictable: false, device: 0, loading: false, users: 2, load_secs: 4 }, { circuit_id: 'porep-32g', bytes: 0, last_used_secs_ago: 0, evictable: false, device: 1, loading: true, users: 1, load_secs: 0 }],
      pce: [{ circuit_id: 'porep-32g', bytes: 18 * GIB, last_used_secs_ago: 4000, evictable: true, device: 0, loading: false, users: 0, load_secs: 4 }] },
    counters: { total_completed: 1, total_failed: 1, completed_by_kind: {}, failed_by_kind: {}, queue_depth: 1 }, buffers: {},
    pool: { chunks: 12, free_bytes: 6 * GIB, in_use_bytes: 13.5 * GIB, pinned_bytes: 19.5 * GIB, pageable_bytes: 4 * GIB, hits: 41_233, misses: 312, fallbacks: 4 },
    queues: [{ name: 'decode', length: 0, capacity: 0, oldest_secs: 0 }, { name: HOSTILE[3], length: 123_456, capacity: 2, oldest_secs: 86_400 * 3 }],
    devices: [
      { ordinal: 0, name: HOSTILE[2], is_cpu: false, in_service: true, proofs: 812_345, errors: 1, busy_secs: uptime * 0.8, kernel_secs: uptime * 0.7, kernel_share: 0.9375, max_in_flight: 2,
        in_flight: [{ job_id: HOSTILE[1], proof_kind: HOSTILE[3], partition: 4, secs: 3.2 }, { job_id: HOSTILE[5], proof_kind: 'porep-c2', partition: 125, secs: 0.2 }] },
      { ordinal: 1, name: HOSTILE[5], is_cpu: true, in_service: false, proofs: 1, errors: 999, busy_secs: 0, kernel_secs: 0, kernel_share: null, max_in_flight: 1, in_flight: [] },
    ],
    jobs, kinds: [kind('porep-c2'), kind(HOSTILE[0])],
    failures: [{ job_id: HOSTILE[1], proof_kind: HOSTILE[0], error: HOSTILE[2], class: 'caller', secs_ago: 1 }, { job_id: HOSTILE[5], proof_kind: 'porep-c2', error: HOSTILE[5], class: 'transient', secs_ago: 100_000 }],
  };
}

export const emptyStatus = () => {
  const status = madeStatus();
  const nothing = Object.fromEntries(Object.keys(status.memory.by_tag).map((tag) => [tag, 0]));
  return { ...status, ready: true, accepting: false, warnings: [], jobs: [], failures: [], kinds: [], queues: [], devices: [], pool: null, allocations: { srs: [], pce: [] },
    memory: { total_bytes: GIB, used_bytes: 0, available_bytes: GIB, peak_bytes: 0, critical_reserve_bytes: 0, by_tag: nothing, waiting: [] } };
};

const STAGES = ['done', 'done', 'finishing', 'proving', 'queued', 'witness', 'failed', 'waiting'];
const PHASES = ['queue', 'key', 'memory', 'witness', 'evaluate', 'device_queue', 'start', 'finish', 'verify', 'a_new_phase'];

function job(state, { label, job_id, proof_kind = 'porep-c2', circuit = 'porep-32g', error = null, failure = null, partitions, queue_position = 0, ended = 10 }) {
  const open = state === 'accepted' || state === 'running';
  const stages = Array.from({ length: partitions }, (_, i) => (state === 'completed' ? 'done' : STAGES[i % STAGES.length]));
  const duration_secs = 100;
  return { job_id, label, proof_kind, circuit, priority: 'normal', state, decoding: state === 'accepted', partitions_done: stages.filter((stage) => stage === 'done').length,
    total_partitions: partitions, queue_position, payload_bytes: 51_234_567, accepted_secs_ago: duration_secs + (open ? 0 : ended), finished_secs_ago: open ? null : ended, duration_secs, error, failure,
    phases: [{ name: 'decode', begin_ms: 1, end_ms: 40 }, { name: 'check', begin_ms: 40, end_ms: 60.5 }],
    partitions: stages.map((stage, index) => ({ index, stage, attempts: index % 2 ? 2 : 1, device: stage === 'waiting' ? '' : HOSTILE[0], path: 'pinned', pinned_bytes: 12_345_678, pageable_bytes: index,
      error: index % 2 ? HOSTILE[1] : null, phases: phasesOf(stage, index) })) };
}

// Nothing happens for the first minute; then a phase every three seconds.
function phasesOf(stage, index) {
  const reached = stage === 'done' || stage === 'failed' ? PHASES.length : stage === 'waiting' ? 1 : PHASES.length - 4;
  return PHASES.slice(0, reached).map((name, i) => {
    const begin = i === 0 ? 60.5 : 60_000 + 3000 * (i - 1) + 100 * (index % 8);
    const ends = i + 1 < reached || stage === 'done';
    return { name, begin_ms: begin, end_ms: ends ? (i === 0 ? 60_000 + 100 * (index % 8) : begin + 3000) : null };
  });
}
