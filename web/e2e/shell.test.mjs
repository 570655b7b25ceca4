import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dictionaries, englishIn } from './dictionary.mjs';
import { accessible, asked, choose, goThrough, open } from './harness.mjs';
import { shownTexts, smallTargets, steady, watchShifts } from './screens.mjs';
import { Script, tableOf } from './script.mjs';

let place;
let words;
before(async () => {
  [place, words] = await Promise.all([open(), dictionaries()]);
});
after(() => place?.close());

const point = (page, at) => page.locator(`[data-point="${at}"]`);

/** Invites a script to a table of gomoku, and lets it sit; the first move is the page's. */
async function against(page, name, say = words.shell.en) {
  const script = await Script.guest(place.house, name);
  await choose(page, 'gomoku', say['play.private']);
  await page.waitForURL(/\/t\//);
  const { table, key } = tableOf(page);
  await script.say({ type: 'sit', table, key });
  await asked(page);
  return { script, table, key };
}

/** The page makes five in a row. */
async function win(page, script, table) {
  for (let x = 3; x < 8; x++) {
    await asked(page);
    await point(page, `${'abcdefghijklmno'[x]}8`).click();
    if (x < 7) await script.play(table, { type: 'move', x, y: 0 });
  }
  await page.getByRole('dialog').waitFor();
}

test('every code of the rules has a sentence in the game, or in the shell', async () => {
  const games = await (await fetch(`${place.house.url}/api/games`)).json();
  const without = games.flatMap(({ game, codes }) =>
    codes
      .filter((code) => !(`refused.${code}` in words.games[game].en) && !(`refused.${code}` in words.shell.en))
      .map((code) => `${game}: ${code}`),
  );
  assert.deepEqual(without, []);
});

test('the first load is small, and nothing moves while it comes', { timeout: 30_000 }, async () => {
  const page = await place.person({ phone: true, calm: false });
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.setCacheDisabled', { cacheDisabled: true });
  const kinds = new Map();
  let bytes = 0;
  network.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type));
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (['Script', 'Stylesheet'].includes(kinds.get(requestId))) bytes += encodedDataLength;
  });
  await watchShifts(page);
  await page.reload();
  await page.locator('.name:not(:empty)').waitFor();
  assert.ok(bytes > 10_000 && bytes < 150_000, `${bytes} bytes`);
  await steady(page);
  const { script, table } = await against(page, 'Shifter');
  await page.evaluate(() => (globalThis.shifts.length = 0));
  for (let x = 3; x < 6; x++) {
    await point(page, `${'abcdef'[x]}8`).click();
    await script.play(table, { type: 'move', x, y: 0 });
    await asked(page);
  }
  await steady(page);
  await page.context().close();
});

test('a phone on its side gives the board its whole height', { timeout: 40_000 }, async () => {
  const page = await place.person({ phone: true });
  for (const game of Object.keys(words.games)) {
    await page.setViewportSize({ width: 844, height: 390 });
    await page.goto(place.house.url);
    await page.locator('.name:not(:empty)').waitFor();
    await choose(page, game, 'Play the house');
    await page.waitForFunction(() => document.querySelector('.table > .board')?.clientHeight > 280);
    assert.deepEqual(await smallTargets(page), [], game);
  }
  await page.context().close();
});

for (const language of ['ru', 'vi']) {
  test(`every screen in ${language}: no English, no fault, nothing too small for a thumb`, { timeout: 90_000 }, async () => {
    const say = words.shell[language];
    const english = englishIn([words.shell, ...Object.values(words.games)], language);
    const page = await place.person({ phone: true, dark: language === 'vi', language });
    const check = async (screen) => {
      const told = (await shownTexts(page)).flatMap((text) => [text, ...text.split(' · ')]);
      assert.deepEqual(told.filter(english), [], screen);
      assert.deepEqual(await smallTargets(page), [], screen);
      await accessible(page);
    };
    await check('lobby');
    await page.getByRole('button', { name: say.settings }).click();
    await check('settings');
    await page.keyboard.press('Escape');
    for (const game of Object.keys(words.games)) {
      await page.locator(`[data-game="${game}"]`).click();
      await page.getByRole('button', { name: say['play.house'] }).waitFor();
      await check(`play ${game}`);
      await page.keyboard.press('Escape');
    }
    await choose(page, 'gomoku', say['play.person']);
    await page.getByText(say['queue.hint']).waitFor();
    await page.reload();
    await page.getByText(say['queue.hint']).waitFor();
    await check('waiting');
    await page.getByRole('button', { name: say['queue.stop'] }).click();
    await choose(page, 'gomoku', say['play.create']);
    await page.getByLabel(say['invite.link']).waitFor();
    await check('invite');
    await page.goto(place.house.url);
    await page.locator('.name:not(:empty)').waitFor();
    const { script, table } = await against(page, `Gast ${language}`, say);
    await page.getByRole('button', { name: say['table.panel'] }).click();
    await script.say({ type: 'chat', table, text: '…' });
    await check('table');
    await page.getByRole('button', { name: say['table.leave'] }).click();
    await check('leave');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: say['table.panel'] }).click();
    await win(page, script, table);
    await check('result');
    await page.getByRole('button', { name: say.replay, exact: true }).click();
    await page.getByRole('slider').waitFor();
    await check('replay');
    for (const path of ['/nowhere/at/all', '/t/t-000000000000', '/r/t-000000000000', '/leaders', '/p', '/p/Nobody']) {
      await page.goto(place.house.url + path);
      await page.locator('h1').waitFor();
      await page.locator('.name:not(:empty)').waitFor();
      await check(path);
    }
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

test('a game is gone through again by keys, by hand, and by who is sent the link', { timeout: 40_000 }, async () => {
  const page = await place.person();
  const { script, table } = await against(page, 'Replayer');
  await point(page, 'd8').click();
  await script.play(table, { type: 'move', x: 0, y: 0 });
  await page.locator('[data-stone]').nth(1).waitFor();
  const moves = page.getByRole('region', { name: 'Moves' }).getByRole('listitem');
  const before = await moves.allTextContents();
  assert.ok(before.length >= 2, before.join());
  await page.reload();
  await asked(page);
  await moves.nth(before.length - 1).waitFor();
  assert.deepEqual(await moves.allTextContents(), before);

  await point(page, 'e8').click();
  await script.play(table, { type: 'move', x: 1, y: 0 });
  for (const [i, at] of ['f8', 'g8', 'h8'].entries()) {
    await asked(page);
    await point(page, at).click();
    if (i < 2) await script.play(table, { type: 'move', x: 2 + i, y: 0 });
  }
  await page.getByRole('button', { name: 'Replay' }).click();
  const other = await place.person({ phone: true });
  const stones = (page) => page.locator('[data-stone]').count();
  await goThrough(page, other, stones);
  const slider = page.getByRole('slider');
  await slider.focus();
  await page.keyboard.press('Home');
  assert.equal(await stones(page), 0);
  await slider.fill('3');
  assert.equal(await stones(page), 3);
  assert.equal(await page.locator('[aria-current="true"]').textContent(), 'You: e8');
  await other.getByRole('button', { name: 'Play it' }).click();
  await other.locator('[data-stone]').nth(8).waitFor({ timeout: 15_000 });
  assert.deepEqual([page.faults, other.faults], [[], []]);
});

test('who watches cannot know hidden cards: they are neither sent nor in the memory of the page', { timeout: 40_000 }, async () => {
  const anna = await place.person();
  const vera = await place.person();
  const frames = [];
  vera.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => frames.push(String(payload))));
  vera.on('response', async (response) => frames.push(await response.text().catch(() => '')));
  await choose(anna, 'poker', 'Invite by link');
  await anna.waitForURL(/\/t\//);
  const { table, key } = tableOf(anna);
  await vera.goto(anna.url());
  const boris = await Script.guest(place.house, 'Dealt');
  await boris.say({ type: 'sit', table, key, chips: 100 });
  let cards = '';
  for (const until = Date.now() + 10_000; !cards && Date.now() < until; ) {
    const { update, you } = await boris.look(table);
    cards = update.view.players.find(({ seat }) => seat === you)?.cards ?? '';
  }
  assert.match(cards, /^([2-9TJQKA][cdhs]){2}$/);
  const shown = await boris.look(table);
  // Vera has seen the hand begin.
  await vera.waitForFunction(() => document.querySelector('main')?.textContent !== '');
  const seen = () => frames.some((frame) => frame.includes(`"hand":${shown.update.view.hand}`));
  for (const until = Date.now() + 10_000; !seen() && Date.now() < until; ) await vera.waitForTimeout(50);
  assert.ok(seen(), 'the hand was shown');
  const annas = await anna.evaluate(async (table) => {
    const token = localStorage.getItem('token');
    const answer = await fetch(`/api/tables/${table}`, { headers: { authorization: `Bearer ${token}` } });
    const { update, you } = await answer.json();
    return update.view.players.find(({ seat }) => seat === you).cards;
  }, table);
  for (const card of annas.match(/../g)) await anna.locator(`[data-card="${card}"]`).waitFor();
  const [inAnnas, inVeras] = [await memory(anna), await memory(vera)];
  assert.ok(inAnnas.some((text) => text === annas), 'the own cards are found where they are known');
  // As a word: four letters may be part of a colour or of a key by chance.
  const says = (hidden) => (text) => new RegExp(`(^|[" ])${hidden}($|[" ])`).test(text);
  assert.ok([`{"cards":"${annas}"}`, annas, `d dh p1 ${annas}`].every(says(annas)));
  for (const hidden of [cards, annas]) {
    assert.ok(!frames.some(says(hidden)), `${hidden} was sent`);
    assert.ok(!inVeras.some(says(hidden)), `${hidden} is in the memory`);
  }
  assert.ok(!inAnnas.some(says(cards)), 'nor are those of the opponent');
});

/** All texts in the memory of a page. */
async function memory(page) {
  const profiler = await page.context().newCDPSession(page);
  const chunks = [];
  profiler.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await profiler.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await profiler.detach();
  return JSON.parse(chunks.join('')).strings;
}

test('what goes wrong is told in a sentence, and the page goes on', { timeout: 60_000 }, async () => {
  const page = await place.person();
  const boris = await Script.guest(place.house, 'Taken Name');
  // A name that is taken.
  const before = await page.locator('.name').textContent();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Your name').fill('taken name');
  await page.getByRole('button', { name: 'Take this name' }).click();
  await page.getByText('Somebody has this name already.').waitFor();
  assert.equal(await page.locator('.name').textContent(), before);
  await page.getByLabel('Your name').fill('House');
  await page.getByRole('button', { name: 'Take this name' }).click();
  await page.getByText('This name belongs to the players of the house.').waitFor();
  await page.getByLabel('Your name').fill('Free Name');
  await page.getByRole('button', { name: 'Take this name' }).click();
  await page.locator('.name', { hasText: 'Free Name' }).waitFor();

  // A link that leads nowhere any more, and one without its key.
  await page.goto(`${place.house.url}/t/t-000000000000`);
  await page.getByText('Start a new one, or ask for a new link.').waitFor();
  const hidden = await boris.say({ type: 'create', game: 'gomoku', access: 'private' });
  await boris.say({ type: 'sit', table: hidden.table, key: hidden.key });
  await page.goto(`${place.house.url}/t/${hidden.table}`);
  await page.getByText('This table is private.').waitFor();
  await page.getByRole('link', { name: 'Back to the lobby' }).click();

  // A chair that was taken, and a move that was made in another tab, before the page heard of it.
  const deaf = await slow(page);
  const { table } = await boris.say({ type: 'create', game: 'gomoku' });
  await boris.say({ type: 'sit', table });
  await page.locator(`a[href="/t/${table}"]`).click();
  await page.getByRole('button', { name: 'Take a chair' }).waitFor();
  const clara = await Script.guest(place.house, 'Clara');
  deaf(true);
  await clara.say({ type: 'sit', table });
  await page.getByRole('button', { name: 'Take a chair' }).click();
  await page.getByText('This table is full.').waitFor();
  deaf(false);
  const twice = await against(await backToLobby(page), 'Twice');
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  await asked(tab);
  deaf(true);
  await point(tab, 'd8').click();
  await point(page, 'h8').click();
  await page.getByText('The table has changed meanwhile.').waitFor();
  await page.locator('[data-point="h8"]:not([data-stone])').waitFor();
  await tab.close();
  deaf(false);
  await backToLobby(page);
  await twice.script.say({ type: 'leave', table: twice.table });

  // A server that stops, and one that is gone; a move in between is not lost.
  const { script, table: own } = await against(await backToLobby(page), 'Restarted');
  await point(page, 'd8').click();
  await script.play(own, { type: 'move', x: 0, y: 0 });
  await asked(page);
  const stopped = place.house.kill('SIGTERM');
  await page.getByText('The server is being restarted.').waitFor();
  await stopped;
  await point(page, 'e8').click();
  await place.house.start();
  await page.getByRole('status').filter({ hasText: 'restarted' }).waitFor({ state: 'hidden' });
  await page.locator('[data-point="e8"][data-stone]').waitFor();
  await script.play(own, { type: 'move', x: 1, y: 0 });
  await asked(page);

  // An account that is not known any more.
  await page.evaluate(() => localStorage.setItem('token', 'worthless'));
  await page.goto(place.house.url);
  await page.getByText('You go on as a new guest.').waitFor();
  await page.locator('.name:not(:empty)').waitFor();
  assert.deepEqual(page.faults, []);
});

/** Lets the page hear late: while it is deaf, only answers come through. */
async function slow(page) {
  let deaf = false;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      if (!deaf || JSON.parse(String(text)).id) socket.send(text);
    });
  });
  await backToLobby(page);
  return (now) => (deaf = now);
}

async function backToLobby(page) {
  await page.goto(place.house.url);
  await page.locator('.name:not(:empty)').waitFor();
  return page;
}

test('two talk, and a watcher is counted', { timeout: 30_000 }, async () => {
  const page = await place.person();
  const { script, table, key } = await against(page, 'Talker');
  await page.getByLabel('Say something').fill('Good luck');
  await page.keyboard.press('Enter');
  await page.getByText('Good luck').waitFor();
  await script.say({ type: 'chat', table, text: 'You too' });
  await page.getByText('You too').waitFor();
  const vera = await place.person({ phone: true });
  await vera.goto(`${place.house.url}/t/${table}#${key}`);
  await vera.getByText('All chairs are taken. You are watching.').waitFor();
  await page.getByText('1 watcher').waitFor({ state: 'attached' });
  assert.equal(await page.title(), 'Your turn · Gomoku · Parlor');
  await vera.close();
  await page.getByText('1 watcher').waitFor({ state: 'detached' });
});
