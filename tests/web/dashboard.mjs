// Checks of the dashboard in a browser, driven by tests/e2e/dashboard_test.py.
//
// usage: node dashboard.mjs CHECK URL. Environment: CUZK_WEB_PACKAGES (folder with node_modules), CUZK_RESULTS (folder of
// screenshots), CUZK_CHROMIUM. A check prints a line when something is to be done to the daemon, and goes on when a line has
// come on standard input.
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';

import { Dashboard, launch } from './browser.mjs';
import { assertShows, readPage } from './compare.mjs';
import { HOSTILE, emptyStatus, madeStatus } from './made_status.mjs';

const VIEWS = [{ width: 390, scheme: 'light' }, { width: 390, scheme: 'dark' }, { width: 1440, scheme: 'light' }, { width: 1440, scheme: 'dark' }];
const COMPARED = 3; // answers, of each view

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
async function until(done) {
  console.log(done);
  await lines.next();
}

const nothingRan = (dashboard) => dashboard.page.evaluate(() => document.querySelectorAll('img:not([src="icon.svg"]), iframe, script:not([src="app.js"]), [onerror], [onmouseover]').length);

const checks = {};

// Jobs run while this goes on. Every value on the page is that of the answer it was made from, and the answers are the daemon's.
checks.compare = async (browser, url) => {
  for (const { width, scheme } of VIEWS) {
    const dashboard = await Dashboard.open(browser, url, { width, scheme });
    const { page } = dashboard;
    await page.locator('[data-state=running] .phase').first().waitFor();
    let running = 0;
    for (let i = 0; i < COMPARED || running === 0; i++) {
      const before = await (await fetch(`${url}/status`)).json();
      await dashboard.nextAnswer();
      const { status, shown } = await dashboard.read(readPage);
      const after = await (await fetch(`${url}/status`)).json();
      assertShows(shown, status);
      assertBetween(before, status, after);
      running += shown.jobs.filter((job) => job.state === 'running' && job.partitions.some((partition) => partition.phases.length > 0)).length;
    }
    await assertTraces(page, url);
    await page.locator('[data-state=running] .phase').first().waitFor();
    await dashboard.screenshot(`${width}-${scheme}`);
    await dashboard.assertFits();
    await dashboard.assertAccessible();
    assert.equal(await nothingRan(dashboard), 0);
    dashboard.assertQuiet();
    await page.context().close();
  }
};

// The link of a job leads to its trace, whatever its id is made of.
async function assertTraces(page, url) {
  const [id, link] = await page.locator('[data-job][open]').first().evaluate((job) => [job.dataset.job, job.querySelector('a').href]);
  const trace = await fetch(link);
  assert.equal(trace.status, 200, link);
  assert.ok(link.startsWith(url));
  assert.ok(JSON.stringify(await trace.json()).includes(JSON.stringify(id).slice(1, -1)), `${link} speaks of ${id}`);
}

function assertBetween(before, shown, after) {
  const counters = (status) => [status.uptime_secs, status.counters.total_completed, status.counters.total_failed, status.memory.peak_bytes];
  const [low, at, high] = [before, shown, after].map(counters);
  at.forEach((value, i) => assert.ok(low[i] <= value && value <= high[i], `counter ${i}: ${low[i]}, shown ${value}, ${high[i]}`));
}

// The daemon dies and comes back.
checks.silence = async (browser, url) => {
  const dashboard = await Dashboard.open(browser, url);
  const { page } = dashboard;
  await page.getByText('ready', { exact: true }).waitFor();
  const uptime = await page.evaluate(() => Number(document.documentElement.dataset.uptime));
  assert.equal(await page.getByRole('alert').count(), 0);
  await until('loaded');

  const alert = page.getByRole('alert').filter({ hasText: 'The daemon does not answer.' });
  await alert.waitFor();
  assert.equal(await alert.textContent(), 'The daemon does not answer. No connection.');
  assert.match(await page.locator('#alarm').textContent(), /What is shown was read (now|\d+ s ago)\. Asking again every second\.$/);
  assert.equal(await page.locator('#connection').textContent(), 'no answer');
  assert.equal(await page.title(), 'no answer · cuzk');
  assert.ok(await page.locator('[data-device]').first().isVisible(), 'the last answer stays');
  await dashboard.assertFits();
  await dashboard.screenshot('silence');
  await until('alarmed');

  await page.getByText('ready', { exact: true }).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await dashboard.nextAnswer();
  const { status, shown } = await dashboard.read(readPage);
  assert.ok(status.uptime_secs < uptime + 60);
  assertShows(shown, status);
  // A browser logs each request that finds nobody.
  assert.deepEqual(dashboard.complaints.filter((text) => !/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET/.test(text)), []);
};

// Texts from others stay texts, wherever they stand; nothing is too large for the page.
checks.made = async (browser, url) => {
  for (const { width, scheme } of [...VIEWS, { width: 320, scheme: 'light' }, { width: 800, scheme: 'dark' }]) {
    const dashboard = await Dashboard.open(browser, url, { width, scheme, answer: madeStatus });
    const { page } = dashboard;
    const { status, shown } = await dashboard.read(readPage);
    assertShows(shown, status);
    await page.locator('[data-job=failed] > summary').click();
    await page.locator('[data-job=failed] [data-partition="1"] > summary').click();
    await page.locator('[data-job=failed] .partition-details .error').waitFor();
    await dashboard.assertFits();
    await dashboard.assertAccessible();
    assert.equal(await nothingRan(dashboard), 0);
    for (const text of HOSTILE) assert.ok((await page.locator('body').textContent()).includes(text), text);
    await dashboard.screenshot(`made-${width}-${scheme}`);
    dashboard.assertQuiet();
    await page.context().close();
  }
};

checks.empty = async (browser, url) => {
  const dashboard = await Dashboard.open(browser, url, { width: 390, answer: emptyStatus });
  const { status, shown } = await dashboard.read(readPage);
  assertShows(shown, status);
  await dashboard.assertFits();
  await dashboard.assertAccessible();
  dashboard.assertQuiet();
};

// What the reader has opened, typed and focused outlives the updates; all of it works from the keyboard.
checks.keyboard = async (browser, url) => {
  const dashboard = await Dashboard.open(browser, url, { answer: madeStatus });
  const { page } = dashboard;
  const focused = () => page.evaluate(() => document.activeElement.closest('[data-job]')?.dataset.job ?? document.activeElement.id);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter'); // "Skip to the jobs"
  assert.equal(await focused(), 'jobs');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'filter');
  await page.keyboard.type('FAILED');
  assert.deepEqual(await page.locator('[data-job]').evaluateAll((jobs) => jobs.map((job) => job.dataset.job)), ['failed']);
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'failed');
  const job = page.locator('[data-job=failed]');
  assert.equal(await job.getAttribute('open'), null);
  await page.keyboard.press('Enter');
  assert.equal(await job.getAttribute('open'), '');
  await dashboard.nextAnswer();
  assert.equal(await job.getAttribute('open'), '');
  assert.equal(await focused(), 'failed');
  await page.keyboard.press('Space');
  assert.equal(await job.getAttribute('open'), null);
  await page.locator('#filter').fill('nothing like that');
  await page.getByText('No job matches the filter.').waitFor();
  await page.locator('#filter').fill('');

  await page.getByRole('button', { name: 'Show 35 more jobs' }).press('Enter');
  assert.equal(await page.locator('[data-job]').count(), 65);
  await page.getByRole('radio', { name: '5 min' }).focus();
  await page.keyboard.press('ArrowRight');
  assert.ok(await page.getByRole('radio', { name: '1 h' }).isChecked());
  assert.match(await page.locator('#throughput svg').getAttribute('aria-label'), /over the last 1 h:/);
  dashboard.assertQuiet();
};

// An answer that is none: the page says so instead of showing something else.
checks.nonsense = async (browser, url) => {
  let answer = { status: 200, body: 'not JSON' };
  const dashboard = await Dashboard.open(browser, url);
  const { page } = dashboard;
  await page.route('**/status', (route) => route.fulfill(answer));
  const alert = page.getByRole('alert');
  await alert.filter({ hasText: 'not valid JSON' }).waitFor();
  answer = { status: 503, body: '{}' };
  await alert.filter({ hasText: '/status says 503' }).waitFor();
  answer = { status: 200, body: '{}' };
  await alert.filter({ hasText: 'does not answer' }).filter({ hasNotText: '503' }).waitFor();
  await page.unroute('**/status');
  await page.getByText('ready', { exact: true }).waitFor();
};

// No inline script, nothing from elsewhere, no frame; scripts could not be put in.
checks.policy = async (browser, url) => {
  const dashboard = await Dashboard.open(browser, url);
  const headers = await dashboard.first.allHeaders();
  assert.match(headers['content-security-policy'], /default-src '(none|self)'/);
  assert.doesNotMatch(headers['content-security-policy'], /unsafe/);
  assert.equal(headers['x-content-type-options'], 'nosniff');
  const hosts = await dashboard.page.evaluate(() => performance.getEntriesByType('resource').map((entry) => new URL(entry.name).host));
  assert.deepEqual([...new Set(hosts)], [new URL(url).host]);
  assert.equal(await dashboard.page.evaluate(() => document.querySelectorAll('script:not([src]), style, [style*="url"]').length), 0);
  dashboard.assertQuiet();
};

const [name, url] = process.argv.slice(2);
assert.ok(name in checks, `no check is called ${name}`);
const browser = await launch();
try {
  await checks[name](browser, url);
  console.log('passed');
} finally {
  await browser.close();
}
process.exit(0);
