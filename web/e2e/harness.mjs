// The real server and a real browser.
import axe from 'axe-core';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

export const BINARY = resolve(process.env.PARLOR ?? new URL('../../target/debug/parlor', import.meta.url).pathname);
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1280, height: 800 };

/** A house with a journal of its own; it can be killed and started again at the same address. */
class House {
  constructor(folder) {
    this.folder = folder;
    this.listen = '127.0.0.1:0';
  }

  async start() {
    const journal = join(this.folder, 'parlor.db');
    this.child = spawn(BINARY, ['serve', '--listen', this.listen, '--journal', journal, '--no-limits'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, RUST_LOG: 'warn' },
    });
    this.ended = new Promise((done) => this.child.once('exit', done));
    const address = await new Promise((done) => {
      const lines = createInterface({ input: this.child.stderr });
      lines.on('line', (line) => {
        console.error(line);
        const listens = /listens on http:\/\/([^/]+)/.exec(line);
        if (listens) done(listens[1]);
      });
      lines.once('close', () => done(null));
    });
    assert.ok(address, `${BINARY} does not serve`);
    this.listen = address;
    this.url = `http://${address}`;
  }

  /** Kills it as a crash would, or with SIGTERM lets it stop. */
  async kill(signal = 'SIGKILL') {
    this.child.kill(signal);
    await this.ended;
  }
}

export const browse = () => chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

/** Somebody with a browser of their own; gives the page, at this address. */
export async function visitor(browser, url, { phone = false, language = 'en', dark = false, calm = true } = {}) {
  const context = await browser.newContext({
    viewport: phone ? PHONE : DESK,
    hasTouch: phone,
    isMobile: phone,
    locale: language,
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: calm ? 'reduce' : 'no-preference',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(String(error)));
  await page.goto(url);
  return page;
}

/** Starts a house and a browser; `close` ends both. */
export async function open() {
  const house = new House(mkdtempSync(join(tmpdir(), 'parlor-e2e-')));
  await house.start();
  const browser = await browse();

  return {
    house,
    /** Somebody with a browser of their own; gives the page, at the lobby. */
    async person(options) {
      const page = await visitor(browser, house.url, options);
      await page.locator('.name:not(:empty)').waitFor();
      return page;
    },
    async close() {
      await browser.close();
      await house.kill();
      rmSync(house.folder, { recursive: true, force: true });
    },
  };
}

/** No violations of accessibility on what is shown now. */
export async function accessible(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  assert.deepEqual(told, []);
}

/** Chooses a game in the lobby, and what to do with it, by the words on the buttons. */
export async function choose(page, game, button) {
  await page.locator(`[data-game="${game}"]`).click();
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
}

/** Opens a private table with these options, and takes a chair there. */
export async function lay(page, game, config, sit = 'Take a chair') {
  const { table, key } = await page.evaluate(async (create) => {
    const headers = { Authorization: `Bearer ${localStorage.getItem('token')}`, 'Content-Type': 'application/json' };
    const answer = await fetch('/api/say', { method: 'POST', headers, body: JSON.stringify(create) });
    return answer.json();
  }, { id: 'lay', type: 'create', game, config, access: 'private' });
  assert.ok(table, 'the table is not opened');
  await page.goto(`${new URL(page.url()).origin}/t/${table}#${key}`);
  await page.getByRole('button', { name: sit }).last().click();
}

/** Waits until the page says that it is one's turn. */
export async function asked(page) {
  await page.locator('.turn.asked').waitFor();
}

/**
 * Goes through a replay by keys and by hand, and sends its link to somebody who sees the same there. `look` gives
 * what is to be seen, which is another thing in the end than in the beginning.
 */
export async function goThrough(page, other, look) {
  const slider = page.getByRole('slider');
  const at = async (scene) => assert.equal(await slider.inputValue(), String(scene));
  await slider.waitFor();
  const last = Number(await slider.getAttribute('max'));
  const first = await look(page);
  await at(0);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await at(1);
  await page.keyboard.press('End');
  await at(last);
  assert.notDeepEqual(await look(page), first);
  await page.getByRole('button', { name: 'To the beginning' }).click();
  assert.deepEqual(await look(page), first);
  await slider.fill(String(Math.ceil(last / 2)));
  await accessible(page);
  const there = await look(page);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy the link' }).click();
  await page.getByText('The link is copied.').waitFor();
  await other.goto(await page.evaluate(() => navigator.clipboard.readText()));
  await other.getByRole('slider').waitFor();
  assert.deepEqual(await look(other), there);
}
