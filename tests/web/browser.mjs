// Headless Chromium with a page of the dashboard in it, and everything that it complains of.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const require = createRequire(join(resolve(process.env.CUZK_WEB_PACKAGES), 'node_modules', 'of-the-tests.js'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const PATIENCE_MS = 60_000;

export const launch = () => chromium.launch({
  executablePath: process.env.CUZK_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
  timeout: PATIENCE_MS,
});

// `answer`: a function that makes /status, instead of the daemon's. Everything else comes from the daemon.
export class Dashboard {
  static async open(browser, url, { width = 1440, scheme = 'light', answer = null } = {}) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const dashboard = new Dashboard(page, width);
    await page.addInitScript(() => document.addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && dashboard.complaints.push(message.text()));
    page.on('pageerror', (error) => dashboard.complaints.push(`not caught: ${error}`));
    page.on('dialog', (dialog) => { dashboard.complaints.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on('response', (response) => dashboard.heard(response));
    if (answer) await page.route('**/status', (route) => route.fulfill({ json: answer() }));
    dashboard.first = await page.goto(url);
    await page.waitForFunction(() => document.documentElement.dataset.uptime !== undefined);
    return dashboard;
  }

  constructor(page, width) {
    this.page = page;
    this.width = width;
    this.complaints = [];
    this.answers = new Map(); // uptime_secs -> /status
  }

  async heard(response) {
    if (new URL(response.url()).pathname !== '/status') return;
    const status = await response.json().catch(() => null);
    if (status !== null) this.answers.set(String(status.uptime_secs), status);
  }

  // What `read` returns in the page, with the answer that the page shows at that moment.
  async read(read) {
    const [uptime, shown] = await this.page.evaluate(`[document.documentElement.dataset.uptime, (${read})()]`);
    for (let i = 0; !this.answers.has(uptime) && i < 100; i++) await this.page.waitForTimeout(20);
    assert.ok(this.answers.has(uptime), `no answer of /status has the shown uptime ${uptime}`);
    return { status: this.answers.get(uptime), shown };
  }

  async nextAnswer() {
    const seen = await this.page.evaluate(() => document.documentElement.dataset.uptime);
    await this.page.waitForFunction((old) => document.documentElement.dataset.uptime !== old, seen);
  }

  async assertFits() {
    const wide = await this.page.evaluate(() => ({
      scroll: document.documentElement.scrollWidth,
      beyond: [...document.querySelectorAll('main *')].filter((node) => !node.closest('.scroll, .track, .axis-track, .stack, .cells, .unseen, .choice') && node.getBoundingClientRect().right > innerWidth + 1).map((node) => `${node.localName}.${node.className}`),
    }));
    assert.deepEqual(wide, { scroll: this.page.viewportSize().width, beyond: [] }, `at ${this.width} px`);
  }

  async assertAccessible() {
    await this.page.evaluate(axe);
    const { violations } = await this.page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
    const told = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join('\n  ')}`);
    assert.deepEqual(told, []);
  }

  assertQuiet() {
    assert.deepEqual(this.complaints, []);
  }

  async screenshot(name) {
    await this.page.screenshot({ path: join(process.env.CUZK_RESULTS, `dashboard-${name}.png`), fullPage: true });
  }
}
