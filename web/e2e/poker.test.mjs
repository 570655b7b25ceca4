import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { accessible, asked, choose, goThrough, open } from './harness.mjs';

let place;
before(async () => (place = await open()));
after(() => place?.close());

const button = (page, name) => page.getByRole('button', { name, exact: true });
const acts = (page) => page.getByRole('group', { name: 'What you can do' }).locator('.acts button');
const ownCards = (page) => page.getByRole('group', { name: 'Your cards' }).locator('[data-card]');
const handOver = (page) => page.locator('.won').first();

/** Waits until one of them is asked, and gives that one and the other. */
async function turn(anna, boris) {
  const first = await Promise.any([asked(anna).then(() => anna), asked(boris).then(() => boris)]);
  return [first, first === anna ? boris : anna];
}

const over = async (page) => (await handOver(page).count()) > 0;

/** Each checks or calls until the hand is over; `once` happens behind the first of it. */
async function playOut(anna, boris, once = async () => {}) {
  for (let i = 0; i < 20; i++) {
    const next = await Promise.any([turn(anna, boris), handOver(anna).waitFor().then(() => null)]);
    if (!next) return;
    const [page] = next;
    const main = acts(page).nth(1);
    await (page === anna ? main.tap() : main.click());
    await page.locator('.turn.asked').waitFor({ state: 'hidden' }).catch(() => {});
    if (i === 0) await once();
    if (await over(anna)) return;
  }
  assert.fail('the hand does not end');
}

const nextHand = (page) => handOver(page).waitFor({ state: 'hidden' });

test('two people play hands by touch and keys, and go', { timeout: 90_000 }, async () => {
  const anna = await place.person({ phone: true });
  const boris = await place.person();
  const clara = await place.person();
  await anna.locator('[data-game="poker"]').click();
  await anna.getByRole('radio', { name: "No-limit hold'em, two seats" }).tap();
  await anna.getByRole('dialog').getByRole('button', { name: 'Invite by link' }).click();
  await anna.getByText('A hand begins when two can play').waitFor();
  await accessible(anna);

  const seen = [];
  clara.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => seen.push(JSON.parse(payload))));
  await Promise.all([boris.goto(anna.url()), clara.goto(anna.url())]);
  await clara.getByText('You are watching').first().waitFor();
  await button(boris, 'Sit down').click();
  await accessible(boris);
  await boris.getByRole('textbox', { name: 'Amount' }).fill('40');
  await boris.getByRole('dialog').getByRole('button', { name: 'Sit down' }).click();

  // To the end by checks and calls, over a crash of the server.
  await playOut(anna, boris, async () => {
    await Promise.all([accessible(anna), accessible(clara)]);
    await place.house.kill();
    await boris.getByText('The connection is lost').waitFor();
    await place.house.start();
    await boris.getByText('The connection is lost').waitFor({ state: 'hidden' });
  });
  await Promise.all([accessible(anna), accessible(boris)]);
  const [download] = await Promise.all([boris.waitForEvent('download'), button(boris, 'Save as PHH').click()]);
  assert.match(readFileSync(await download.path(), 'utf8'), /variant = 'NT'/);

  // A typed raise and a fold, by keys: nobody else ever sees the cards.
  await nextHand(anna);
  const begun = seen.length;
  const [raiser, folder] = await turn(anna, boris);
  const held = await Promise.all([raiser, folder].map((page) => ownCards(page).evaluateAll((cards) => cards.map((card) => card.dataset.card))));
  assert.deepEqual(held.map((cards) => cards.length), [2, 2]);
  await raiser.getByRole('textbox', { name: 'Amount' }).fill('12');
  await raiser.getByRole('textbox', { name: 'Amount' }).press('Tab');
  await acts(raiser).nth(2).focus();
  await raiser.keyboard.press('Enter');
  await asked(folder);
  assert.equal(await acts(folder).nth(1).innerText(), 'Call 10');
  await acts(folder).nth(0).focus();
  await folder.keyboard.press('Enter');
  await handOver(folder).waitFor();
  const told = seen.slice(begun).filter(({ type }) => type === 'update');
  assert.ok(told.length > 0);
  for (const { view, legal } of told) {
    assert.equal(legal, null);
    for (const { cards } of view.players) assert.match(cards, /^\?*$/);
  }
  assert.equal(await clara.locator('[data-card]:not([data-card="??"])').count(), 0);

  // Everything goes in.
  await nextHand(anna);
  const [bold, calm] = await turn(anna, boris);
  await button(bold, 'All-in').click();
  await acts(bold).nth(2).click();
  await asked(calm);
  await acts(calm).nth(1).click();
  await handOver(anna).waitFor();
  assert.equal(await anna.locator('.centre [data-card]').count(), 5);
  // Before the next hand, or whoever has lost all is gone.
  for (const page of [anna, boris]) {
    const add = button(page, 'Add 100');
    if ((await add.count()) === 0) continue;
    await add.click();
    await add.waitFor({ state: 'hidden' });
  }
  await accessible(anna);

  // A pause and back; then home.
  await button(anna, 'Seat and deck').tap();
  await accessible(anna);
  await anna.getByRole('radio', { name: 'Four colours' }).tap();
  await anna.getByRole('dialog').getByRole('button', { name: 'Sit out', exact: true }).tap();
  await anna.getByText(/^You (fold this hand and )?sit out\./).waitFor();
  await accessible(anna);
  const back = anna.getByRole('button', { name: /Play the next hand|Return for/ });
  await back.tap();
  await back.waitFor({ state: 'hidden' });
  // Somebody is there still in what Clara looks at.
  await clara.getByRole('link', { name: 'Replay' }).click();
  await clara.getByRole('slider').waitFor();
  await button(boris, 'Leave').last().click();
  await boris.getByRole('heading', { name: 'Choose a table' }).waitFor();
  await button(anna, 'Leave').last().tap();
  await anna.getByRole('heading', { name: 'Choose a table' }).waitFor();

  // Who has watched sends who has played to the same moment.
  await goThrough(clara, boris, (page) => page.locator('.seat .stack').allInnerTexts());
  assert.deepEqual([anna.faults, boris.faults, clara.faults], [[], [], []]);
});

/** All that a screen reader is given to say from now on. */
async function listened(page) {
  await page.evaluate(() => {
    globalThis.heard = [];
    const said = (records) => records.forEach(({ addedNodes }) => addedNodes.forEach(({ textContent }) => heard.push(textContent)));
    new MutationObserver(said).observe(document.querySelector('[role="log"]'), { childList: true });
  });
  return () => page.evaluate(() => globalThis.heard);
}

test('alone with five of the house, in another language, on a phone', { timeout: 60_000 }, async () => {
  const page = await place.person({ phone: true, language: 'vi', dark: true });
  const heard = await listened(page);
  await choose(page, 'poker', 'Chơi với nhà cái');
  await asked(page);
  for (const told of [await heard(), await page.locator('aside li').allTextContents()]) {
    assert.equal(told.filter((text) => text.includes('Nhà cái')).length >= 5, true, told.join('\n'));
    assert.deepEqual(told.filter((text) => text.includes('Ghế trống')), []);
  }
  assert.equal(await page.locator('.seat').count(), 6);
  await accessible(page);
  await page.locator('.acts button').nth(0).tap();
  await page.locator('.won').first().waitFor({ timeout: 40_000 });
  assert.deepEqual(page.faults, []);
});
