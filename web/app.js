// The dashboard: asks /status once a second and shows it. It keeps no state of its own but what the reader has opened
// and what it has seen of the counters.
import { h, patch } from './dom.js';
import { ago, count, seconds, span } from './format.js';
import { History } from './history.js';
import { jobList, isOpen } from './jobs.js';
import * as panels from './panels.js';
import { throughputPlot } from './plot.js';

const PERIOD_MS = 1000;
const PATIENCE_MS = 5000; // of one request
const BARS = 60;

const element = (id) => document.getElementById(id);

const history = new History();
let status = null;     // the last answer
let answered = 0;      // when it came, by performance.now()
let trouble = null;    // why there is no newer one

// Which jobs and partitions the reader has opened or closed; the rest is as the page thinks best.
class Opened extends Map {
  toggle(name, open) {
    return (event) => {
      event.preventDefault(); // patch() sets the attribute
      this.set(name, !open);
      show();
    };
  }
}

const view = {
  opened: new Opened(),
  all: false,
  get filter() { return element('filter').value; },
  showAll() { view.all = true; show(); },
};

function show() {
  showConnection();
  if (status !== null) showStatus();
}

function showStatus() {
  patch(element('facts'), `version ${status.version} · up ${span(status.uptime_secs)}`);
  const warnings = element('warnings');
  warnings.hidden = status.warnings.length === 0;
  patch(warnings, panels.warnings(status));
  patch(element('tiles'), panels.tiles(status, history));
  const shown = Number(element('span').querySelector(':checked').value);
  patch(element('throughput'), throughputPlot(history.buckets(shown, BARS), shown, count(history.provedWithin(60))));
  patch(element('job-list'), jobList(status, view));
  patch(element('failures'), panels.failureList(status));
  patch(element('kinds'), panels.kindTable(status));
  patch(element('devices'), panels.deviceList(status, history));
  patch(element('memory'), panels.memoryPanel(status));
  patch(element('pool'), panels.poolPanel(status));
  patch(element('queues'), panels.queueTable(status));
  patch(element('residents'), panels.residentTable(status));
  document.documentElement.dataset.uptime = status.uptime_secs; // which answer all of this is from
}

function showConnection() {
  const [tone, text] = trouble !== null ? ['bad', 'no answer']
    : status === null ? ['wait', 'connecting…']
      : !status.accepting ? ['warn', 'draining']
        : !status.ready ? ['warn', 'loading keys'] : ['good', 'ready'];
  document.documentElement.dataset.connection = tone;
  const pill = element('connection');
  pill.className = `connection tone-${tone}`;
  patch(pill, text);
  const open = status?.jobs.filter(isOpen).length ?? 0;
  document.title = trouble !== null ? 'no answer · cuzk' : open > 0 ? `(${open}) cuzk` : 'cuzk';
  patch(element('alarm'), trouble !== null && alarm());
}

function alarm() {
  // What changes every second is not for screen readers.
  const since = status !== null && h('span', { 'aria-hidden': 'true' }, ` What is shown was read ${ago((performance.now() - answered) / 1000)}.`);
  return h('p', { class: 'alarm' }, h('span', { role: 'alert' }, h('strong', null, 'The daemon does not answer.'), ` ${trouble}.`), since, ' Asking again every second.');
}

async function ask() {
  const response = await fetch('status', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!response.ok) throw new Error(`/status says ${response.status} ${response.statusText}`);
  return response.json();
}

const reason = (error) => (error.name === 'TimeoutError' ? `Nothing within ${seconds(PATIENCE_MS / 1000)}` : error instanceof TypeError ? 'No connection' : error.message);

async function poll() {
  const begun = performance.now();
  try {
    const answer = await ask();
    history.add(answer);
    [status, answered, trouble] = [answer, performance.now(), null];
    show();
  } catch (error) {
    trouble = reason(error);
    showConnection();
  }
  setTimeout(poll, Math.max(PERIOD_MS - (performance.now() - begun), 100));
}

element('filter').addEventListener('input', show);
element('span').addEventListener('change', show);
poll();
