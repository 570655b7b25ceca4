import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, asked, choose, open } from './harness.mjs';

let place;
before(async () => (place = await open()));
after(() => place?.close());

const point = (page, at) => page.locator(`[data-point="${at}"]`);
const laid = (page, at, stone) => page.locator(`[data-point="${at}"][data-stone="${stone}"]`).waitFor();
const lies = (page, at) => page.locator(`[data-point="${at}"][data-stone]`).waitFor();
const stones = (page) => page.locator('[data-stone]').count();
const strip = (page, text) => page.locator('.strip', { hasText: text }).waitFor();
const press = (page, name) => page.getByRole('button', { name }).click();

/** On a phone a stone is aimed at, and laid by a button or by a second touch. */
async function thumb(page, at, twice = false) {
  await asked(page);
  await point(page, at).tap();
  await page.locator('.candidate').waitFor();
  if (twice) await point(page, at).tap();
  else await page.getByRole('button', { name: `Play ${at}` }).tap();
  await lies(page, at);
}

async function key(page, at) {
  await asked(page);
  await point(page, at).focus();
  await page.keyboard.press('Enter');
  await lies(page, at);
}

/** Two people at a private table: one on a phone who opens it, one at a desk. */
async function table(...radios) {
  const anna = await place.person({ phone: true });
  const boris = await place.person({ dark: true });
  await anna.locator('[data-game="gomoku"]').click();
  await anna.getByText('More options').click();
  for (const name of radios) await anna.getByRole('radio', { name }).check();
  await accessible(anna);
  await anna.getByRole('dialog').getByRole('button', { name: 'Invite by link' }).click();
  await point(anna, 'h8').waitFor();
  await boris.goto(anna.url());
  await boris.getByRole('button', { name: 'Take a chair' }).click();
  return [anna, boris];
}

test('Swap 2 with two more stones, by touch and keys, through a restart, to five in a row', { timeout: 60_000 }, async () => {
  const [anna, boris] = await table('Standard: exactly five', 'Swap 2');
  await strip(anna, '0/3');
  await strip(boris, '0/3');
  await thumb(anna, 'h8');
  await laid(boris, 'h8', 'X');
  await strip(boris, '1/3');
  await thumb(anna, 'i8', true);
  await laid(boris, 'i8', 'O');
  await Promise.all([accessible(anna), accessible(boris)]);
  await thumb(anna, 'a15');

  await boris.getByRole('heading', { name: 'Choose your colour' }).waitFor();
  assert.equal(await boris.locator('dialog[open] .order').count(), 3);
  await accessible(boris);
  await boris.keyboard.press('Escape');
  await strip(boris, '3/3');
  await press(boris, 'Choose your colour');
  await place.house.kill();
  await boris.getByText('The connection is lost').waitFor();
  await place.house.start();
  await boris.getByText('The connection is lost').waitFor({ state: 'hidden' });
  await press(boris, /^Lay two more/);
  await strip(anna, '3/5');
  await key(boris, 'o1');
  await strip(anna, '4/5');
  await key(boris, 'h9');
  await anna.getByRole('heading', { name: 'Choose your colour' }).waitFor();
  await accessible(anna);
  await press(anna, /^Take black/);
  await strip(anna, 'Black: You');
  await strip(boris, 'White: You');
  await Promise.all([accessible(anna), accessible(boris)]);

  // Black has h8, h9 and a15: the column to h12 makes five.
  const [annas, boriss] = [
    ['h10', 'h11', 'h12'],
    ['b1', 'd1'],
  ];
  for (const [i, at] of annas.entries()) {
    await thumb(anna, at);
    await laid(boris, at, 'X');
    const answer = boriss[i];
    if (!answer) continue;
    await key(boris, answer);
    await laid(anna, answer, 'O');
  }
  await anna.getByRole('heading', { name: 'You won' }).waitFor();
  await boris.getByRole('heading', { name: 'You lost' }).waitFor();
  assert.equal(await anna.locator('.five:not(.under)').count(), 1);
  await Promise.all([accessible(anna), accessible(boris)]);

  await press(anna, 'Play again');
  await boris.getByText('wants to play again').waitFor();
  await press(boris, 'Play again');
  await asked(boris);
  assert.equal(await stones(boris), 0);
  await strip(boris, '0/3');
  assert.deepEqual([anna.faults, boris.faults], [[], []]);
});

test('the same again, and back to the old table, where one is heard as before', { timeout: 40_000 }, async () => {
  const [anna, boris] = await table();
  const old = boris.url();
  await asked(anna);
  await press(boris, 'Resign');
  await press(boris.getByRole('dialog'), 'Resign');
  await press(boris, 'Play again');
  await boris.getByText('Asked. Waiting for the answer.').waitFor();
  await press(anna, 'Play again');
  for (const page of [anna, boris]) await page.waitForURL((url) => url.href !== old);
  await asked(boris);
  await boris.goBack();
  await boris.getByRole('button', { name: 'Play again' }).waitFor();
  await press(boris, 'Look at the board');
  await boris.getByLabel('Say something').fill('Well played');
  await boris.keyboard.press('Enter');
  await boris.getByText('Well played').waitFor();
  assert.deepEqual([anna.faults, boris.faults], [[], []]);
});

test('best of three: offers, taking back, resigning, and the score between games', { timeout: 60_000 }, async () => {
  const [anna, boris] = await table('Renju: forbidden points for black', 'Best of three');
  await thumb(anna, 'h8');
  await laid(boris, 'h8', 'X');
  await anna.getByRole('button', { name: 'Ask to take back' }).tap();
  await boris.getByText('asks to take back.').waitFor();
  await accessible(boris);
  await press(boris, 'Accept');
  await asked(anna);
  assert.equal(await stones(anna), 0);
  await thumb(anna, 'g7');
  await press(boris, 'Offer a draw');
  await anna.getByText('offers a draw.').waitFor();
  await accessible(anna);
  await anna.getByRole('button', { name: 'Decline' }).tap();
  await boris.getByText('You have offered a draw.').waitFor({ state: 'hidden' });
  await press(boris, 'Resign');
  await accessible(boris);
  await press(boris.getByRole('dialog'), 'Resign');
  await strip(anna, '1 : 0');
  await strip(boris, '0 : 1');
  await strip(boris, 'The next begins');
  await accessible(boris);
  await asked(boris);
  await key(boris, 'h8');
  await asked(anna);
  await press(boris, 'Resign');
  await press(boris.getByRole('dialog'), 'Resign');
  await anna.getByText('Games 2 : 0.').waitFor();
  assert.deepEqual([anna.faults, boris.faults], [[], []]);
});

test('alone on a phone, in another language, a game against the house to its end', { timeout: 60_000 }, async () => {
  const page = await place.person({ language: 'vi', dark: true, phone: true });
  await page.locator('[data-game="gomoku"]').tap();
  await page.getByRole('radio', { name: 'Khó' }).check();
  await page.getByRole('button', { name: 'Chơi với nhà cái' }).tap();
  const over = page.getByRole('heading', { name: 'Bạn thua' });
  // Somebody who lays stones along the edge, and does not look.
  for (let column = 0; column < 15 && !(await over.isVisible()); column++) {
    await page.locator('.turn.asked').or(over).first().waitFor();
    if (await over.isVisible()) break;
    const at = `${String.fromCharCode(97 + column)}${column % 2 ? 1 : 15}`;
    await point(page, at).tap();
    await page.getByRole('button', { name: `Đi ${at}` }).tap();
    await laid(page, at, 'X');
    if (column === 0) await accessible(page);
  }
  await over.waitFor();
  await accessible(page);
  await page.getByRole('button', { name: 'Về sảnh' }).tap();
  await page.locator('header .name').tap();
  await page.locator('.result.lost', { hasText: 'Nhà cái, khó' }).waitFor();
  assert.deepEqual(page.faults, []);
});
