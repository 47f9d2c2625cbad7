// The phases of a partition in their order: what they are called, and whether they are work or waiting. The colour of
// each is in style.css (.phase-NAME).

export const PHASES = [
  { name: 'decode', title: 'decode' },
  { name: 'check', title: 'check' },
  { name: 'queue', title: 'queue', waits: true },
  { name: 'key', title: 'key' },
  { name: 'memory', title: 'memory wait', waits: true },
  { name: 'witness', title: 'witness' },
  { name: 'evaluate', title: 'evaluate' },
  { name: 'device_queue', title: 'device wait', waits: true },
  { name: 'start', title: 'prove' },
  { name: 'finish', title: 'finish' },
  { name: 'verify', title: 'verify' },
];

const byName = new Map(PHASES.map((phase) => [phase.name, phase]));

// A phase that this page does not know yet is shown under its own name.
export const phaseOf = (name) => byName.get(name) ?? { name: 'unknown', title: name };

// What `phase` took until `nowMs`, in ms.
export const lengthOf = (phase, nowMs) => Math.max((phase.end_ms ?? nowMs) - phase.begin_ms, 0);
