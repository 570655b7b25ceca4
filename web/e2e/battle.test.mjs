import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, asked, choose, goThrough, open } from './harness.mjs';

let place;
before(async () => (place = await open()));
after(() => place?.close());

const card = (page, name) => page.locator(`[data-hand="${name}"]`);
const slot = (page, at) => page.locator(`[data-own-slot="${at}"]`);
const own = (page) => page.locator('[data-own-slot]').evaluateAll((all) => all.map((one) => one.dataset.card ?? null));
const phase = (page, name) => page.locator(`[data-phase="${name}"]`).waitFor();
const lies = (page, at, name) => page.locator(`[data-own-slot="${at}"][data-card="${name}"]`).waitFor();
/** All three pairs are turned, and nothing changes for a while. */
const shown = (page) => page.locator('[data-far-slot="2"] .change:not(.flies)').waitFor();

/** By touch, on a phone. */
async function tap(page, cards) {
  for (const name of cards) await card(page, name).tap();
  await page.locator('.confirm button').tap();
}

/** By keys alone. */
async function keys(page, cards) {
  for (const name of cards) {
    await card(page, name).focus();
    await page.keyboard.press('Enter');
  }
  await page.locator('.confirm button:enabled').focus();
  await page.keyboard.press('Enter');
}

async function drag(page, from, to) {
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(end.x + 20, end.y + 20, { steps: 4 });
  await page.mouse.up();
}

/** What goes over the line of a page, from its next address on. */
function listen(page) {
  const [said, heard] = [[], []];
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => said.push(JSON.parse(String(payload))));
    socket.on('framereceived', ({ payload }) => heard.push(JSON.parse(String(payload))));
  });
  return {
    commands: () => said.flatMap(({ command }) => (command ? [command] : [])),
    updates: () => heard.filter(({ type }) => type === 'update'),
  };
}

test('two people fight to sudden death, by touch, by keys and by drag', { timeout: 90_000 }, async () => {
  const anna = await place.person({ phone: true });
  const boris = await place.person();
  const carl = await place.person();
  await choose(anna, 'battle', 'Invite by link');
  await slot(anna, 0).waitFor();
  const [line, watched] = [listen(boris), listen(carl)];
  await Promise.all([boris.goto(anna.url()), carl.goto(anna.url())]);
  await boris.getByRole('button', { name: 'Take a chair' }).click();
  await Promise.all([asked(anna), asked(boris)]);
  await Promise.all([accessible(anna), accessible(boris)]);

  // Round 1: the same cards. Nothing is said that nobody has laid, and who watches hears nothing of it.
  assert.deepEqual(line.commands(), []);
  await phase(carl, 'PREP');
  const before = watched.updates().length;
  const same = ['attack', 'defense', 'heal'];
  await tap(anna, same);
  await anna.getByText('Confirmed.').waitFor();
  assert.equal(await carl.locator('[data-card]').count(), 0);
  assert.equal(watched.updates().length, before);
  await keys(boris, same);
  await shown(boris);
  await accessible(boris);
  await boris.getByText('1. You: Attack −2').waitFor({ state: 'attached' });
  await Promise.all([phase(anna, 'PREP'), phase(boris, 'PREP')]);
  assert.deepEqual(await own(boris), [null, null, null]);
  assert.equal(line.commands().length, 4);
  assert.ok(watched.updates().every(({ view, legal }) => !('yourDraft' in view) && legal === null));

  // Round 2: the server falls and stands up again, and what lies still lies.
  await drag(boris, card(boris, 'heal'), slot(boris, 2));
  await lies(boris, 2, 'heal');
  await drag(boris, slot(boris, 2), slot(boris, 0));
  await lies(boris, 0, 'heal');
  await boris.locator('.confirm button:enabled').waitFor();
  await place.house.kill();
  await boris.getByText('The connection is lost').waitFor();
  await place.house.start();
  await boris.getByText('The connection is lost').waitFor({ state: 'hidden' });
  await anna.getByText('The connection is lost').waitFor({ state: 'hidden' });
  await lies(boris, 0, 'heal');
  assert.equal(line.commands().length, 6);
  await keys(boris, []);
  await tap(anna, ['heal']);
  await phase(anna, 'REVEAL');
  await Promise.all([phase(anna, 'PREP'), phase(boris, 'PREP')]);

  // Round 3: the same again, so both are equal.
  await tap(anna, same);
  await keys(boris, same);
  await phase(anna, 'REVEAL');
  await anna.locator('.sudden').waitFor();
  await Promise.all([phase(anna, 'PREP'), phase(boris, 'PREP')]);
  await accessible(anna);

  // Sudden death: Anna attacks, Boris heals too early.
  await tap(anna, ['defense', 'attack']);
  await keys(boris, ['heal']);
  await anna.getByRole('heading', { name: 'You won' }).waitFor();
  await anna.getByRole('dialog').getByText('The pot is yours: 2 tokens.').waitFor();
  await boris.getByRole('heading', { name: 'You lost' }).waitFor();
  await Promise.all([accessible(anna), accessible(boris)]);

  await anna.getByRole('button', { name: 'Check fairness' }).tap();
  await anna.getByRole('dialog').getByText('Nothing in this game was left to chance.').waitFor();
  await anna.getByText('All values').tap();
  await accessible(anna);

  await boris.getByRole('button', { name: 'Replay' }).click();
  await goThrough(boris, carl, async (page) => (await page.locator('.hp').allInnerTexts()).sort());
  assert.deepEqual([anna.faults, boris.faults, carl.faults], [[], [], []]);
});

test('alone, in another language, for nothing, against the house', { timeout: 40_000 }, async () => {
  const page = await place.person({ phone: true, language: 'ru', dark: true, calm: false });
  await page.locator('[data-game="battle"]').click();
  await page.getByRole('dialog').getByRole('radio', { name: '0', exact: true }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Сыграть с домом' }).click();
  await asked(page);
  await tap(page, ['attack', 'defense', 'counter']);
  await shown(page);
  await accessible(page);
  await phase(page, 'PREP');
  await page.getByText('Раунд 2 из 3').waitFor();
  assert.deepEqual(await own(page), [null, null, null]);
  await accessible(page);
  assert.deepEqual(page.faults, []);
});
