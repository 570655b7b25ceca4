import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, extname, join, normalize } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, BINARY, browse, visitor } from './harness.mjs';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json' };
const SECRET = 'a secret for this test';

/** A folder over HTTP, with ETags; counts what was not sent again. */
function serve(folder) {
  const kept = { unchanged: 0 };
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, 'http://x').pathname).replace(/\/$/, '/index.html');
    const file = join(folder, path);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
    const bytes = readFileSync(file);
    const tag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
    const same = request.headers['if-none-match'] === tag;
    kept.unchanged += Number(same);
    response.writeHead(same ? 304 : 200, { ETag: tag, 'Content-Type': TYPES[extname(file)] ?? 'text/plain' });
    response.end(same ? undefined : bytes);
  });
  return new Promise((done) =>
    server.listen(0, '127.0.0.1', () => done({ kept, server, url: `http://127.0.0.1:${server.address().port}/` })),
  );
}

let world;
before(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parlor-e2e-git-'));
  const git = (dir, ...args) => execFileSync('git', args, { cwd: join(folder, dir), encoding: 'utf8' });
  const parlor = (dir, ...args) =>
    execFileSync(BINARY, ['git', ...args], {
      cwd: join(folder, dir),
      encoding: 'utf8',
      env: { ...process.env, PARLOR_GIT_SECRET: SECRET },
    });
  git('.', 'init', '--quiet', '--bare', '--initial-branch=main', 'game.git');
  for (const who of ['alice', 'bob', 'referee', 'site']) {
    git('.', 'clone', '--quiet', 'game.git', who);
    git(who, 'config', 'user.name', who);
    git(who, 'config', 'user.email', `${who}@example.com`);
  }
  git('referee', 'commit', '--quiet', '--allow-empty', '--message', 'A place to play');
  git('referee', 'push', '--quiet', 'origin', 'main');
  parlor('referee', 'new', '--white', 'alice', '--black', 'bob', '--id', 'first', '--push', 'origin');
  parlor('referee', 'page', '../site');
  git('site', 'pull', '--quiet', 'origin', 'main');
  world = { folder, git, parlor, site: await serve(join(folder, 'site')), browser: await browse() };
});
after(async () => {
  await world?.browser.close();
  world?.site.server.close();
  if (world) rmSync(world.folder, { recursive: true, force: true });
});

const lit = (page, as) => page.locator(`[data-lit="${as}"]`).first();
const placeOf = (locator) => locator.getAttribute('data-place');
const state = () => JSON.parse(readFileSync(join(world.folder, 'site/tables/first/state.json'), 'utf8'));
const sit = (page, name) => page.getByRole('radio', { name }).check();

/** Moves until nothing is left to play. */
async function turn(page, touch) {
  for (let step = 0; step < 4 && (await lit(page, 'source').count()) > 0; step++) {
    await touch(await placeOf(lit(page, 'source')));
    await touch(await placeOf(lit(page, 'target')));
  }
  await page.getByText('The move is ready:').waitFor();
}

/** The file is pushed as its player would, and the referee answers. */
function pushed(who, name, text) {
  const { git, parlor, folder } = world;
  git(who, 'pull', '--quiet', 'origin', 'main');
  const file = join(folder, who, 'tables/first/moves', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  assert.equal(parlor(who, 'validate', file).trim(), `${file}: good`);
  git(who, 'add', 'tables');
  git(who, 'commit', '--quiet', '--message', 'My turn');
  git(who, 'push', '--quiet', 'origin', 'main');
  parlor('referee', 'apply', '--push', 'origin');
  git('site', 'pull', '--quiet', 'origin', 'main');
  assert.equal(state().lastMove.file, name, state().messages.at(-1).text);
}

test('two people play from the page, by files alone', { timeout: 60_000 }, async () => {
  const { site, browser } = world;
  const phone = await visitor(browser, `${site.url}#first`, { phone: true, dark: true });
  const desk = await visitor(browser, `${site.url}#first`);
  await phone.getByRole('radio', { name: 'Just looking' }).waitFor();
  await accessible(phone);
  const first = state();
  const one = first.players[first.activePlayer];
  assert.equal(await phone.title(), `${one} plays ${first.dice.slice(0, 2).join('-')} · first`);
  assert.equal(await lit(phone, 'source').count(), 0, 'who only looks moves nothing');

  // One by touch, with a word, as a download.
  await sit(phone, one);
  assert.match(await phone.title(), /^● Your turn/);
  const tap = (at) => phone.locator(`[data-place="${at}"]`).tap();
  await tap(await placeOf(lit(phone, 'source')));
  await tap(await placeOf(lit(phone, 'target')));
  await phone.getByRole('button', { name: 'Undo' }).tap();
  await turn(phone, tap);
  await phone.getByLabel('A word to the opponent').fill('Good luck, Ø');
  await accessible(phone);
  const [download] = await Promise.all([
    phone.waitForEvent('download'),
    phone.getByRole('link', { name: 'Download' }).tap(),
  ]);
  const text = readFileSync(await download.path(), 'utf8');
  assert.equal(JSON.parse(text).comment, 'Good luck, Ø');
  pushed(one, download.suggestedFilename(), text);
  const second = state();

  // Both pages see it by themselves.
  const dice = second.dice.slice(0, 2).join('-');
  const next = second.players[second.activePlayer];
  await phone.getByText(next === one ? `Your turn: ${dice}.` : `${next} is to play ${dice}.`).waitFor({ timeout: 20_000 });
  await desk.getByText(`${next} is to play ${dice}.`).waitFor({ timeout: 20_000 });
  assert.ok(site.kept.unchanged > 0, 'what was not changed is not sent again');

  // The other by keys, as a copy.
  await desk.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await sit(desk, next);
  const key = async (at) => {
    await desk.locator(`[data-place="${at}"]`).focus();
    await desk.keyboard.press('Enter');
  };
  await turn(desk, key);
  await accessible(desk);
  await desk.getByRole('button', { name: 'Copy' }).click();
  const copy = await desk.evaluate(() => navigator.clipboard.readText());
  const path = await desk.locator('code').textContent();
  pushed(next, path.split('/').at(-1), copy);
  await desk.getByText('The move is ready:').waitFor({ state: 'hidden', timeout: 20_000 });

  // And back to how it was.
  await desk.getByText('rolled', { exact: false }).nth(1).waitFor();
  await desk.getByRole('button', { name: 'Back' }).click();
  await desk.getByText('How it was: 2 of 3').waitFor();
  await accessible(desk);
  const men = (point) => second.board[point] && Math.abs(second.board[point]);
  for (const point of [0, 5, 7, 11, 12, 16, 18, 23]) {
    const at = desk.locator(`[data-place="${point}"]`);
    const lying = Number((await at.getAttribute('data-men')) ?? 0) + Number((await at.getAttribute('data-others')) ?? 0);
    assert.equal(lying, men(point), `point ${point + 1}`);
  }
  await desk.getByRole('button', { name: 'Now' }).click();
  await desk.getByText('How it was').waitFor({ state: 'hidden' });

  assert.match(world.parlor('site', 'verify'), /all legal/);
  assert.deepEqual([...phone.faults, ...desk.faults], []);
});

/** What GitHub answers, out of the repository itself. */
async function forge(page) {
  const { git } = world;
  await page.route('https://api.github.com/repos/anna/games/**', (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    if (pathname.endsWith('/contents/tables')) return route.fulfill({ json: [{ name: 'first', type: 'dir' }] });
    const log = git('site', 'log', '--format=%H%x00%cI%x00%B%x01', '--', searchParams.get('path'));
    const commits = log.split('\x01').slice(0, -1).map((entry) => {
      const [sha, date, message] = entry.trim().split('\0');
      return { sha, commit: { message, committer: { date } } };
    });
    return route.fulfill({ json: commits });
  });
  await page.route('https://raw.githubusercontent.com/anna/games/**', (route) => {
    const [sha, ...path] = new URL(route.request().url()).pathname.split('/').slice(3);
    return route.fulfill({ body: git('site', 'show', `${sha}:${path.join('/')}`) });
  });
}

test('with a forge the commits are the history, and the new file is filled in', { timeout: 30_000 }, async () => {
  const { browser, parlor, folder } = world;
  parlor('site', 'page', '.', '--github', 'anna/games');
  const page = await visitor(browser, 'about:blank');
  await forge(page);
  await page.goto(world.site.url);
  await page.getByRole('link', { name: 'first' }).click();
  const moments = page.locator('ol li');
  await moments.last().getByText('new table, alice (white) and bob (black)').waitFor();
  await page.getByRole('button', { name: 'First' }).click();
  await page.getByText(`How it was: 1 of ${await moments.count()}`).waitFor();
  await page.locator('[data-place="5"][data-men="5"]').waitFor();
  await page.getByRole('button', { name: 'Now' }).click();

  const { players, activePlayer } = state();
  await sit(page, players[activePlayer]);
  await turn(page, async (at) => {
    await page.locator(`[data-place="${at}"]`).focus();
    await page.keyboard.press('Enter');
  });
  const link = new URL(await page.getByRole('link', { name: 'Commit on GitHub' }).getAttribute('href'));
  assert.equal(link.origin + link.pathname, 'https://github.com/anna/games/new/main');
  const file = join(folder, link.searchParams.get('filename').split('/').at(-1));
  writeFileSync(file, link.searchParams.get('value'));
  assert.match(link.searchParams.get('filename'), /^tables\/first\/moves\//);
  assert.equal(parlor('site', 'validate', file).trim(), `${file}: good`);
  await accessible(page);
  assert.deepEqual(page.faults, []);
});

test('without a table one says which', { timeout: 30_000 }, async () => {
  const page = await visitor(world.browser, world.site.url, { language: 'ru' });
  await page.getByRole('heading', { name: 'Какой стол?' }).waitFor();
  await accessible(page);
  await page.getByRole('textbox').fill('No!');
  await page.keyboard.press('Enter');
  await page.getByText('Имя стола: от двух').waitFor();
  await page.getByRole('textbox').fill('nowhere');
  await page.keyboard.press('Enter');
  await page.getByText('Стола nowhere здесь нет.').waitFor();
  await page.getByRole('link', { name: 'Все столы' }).click();
  await page.getByRole('textbox').fill('first');
  await page.keyboard.press('Enter');
  await page.getByText('Просто смотрю').waitFor();
  assert.deepEqual(page.faults, []);
});
