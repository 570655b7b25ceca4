import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, asked, choose, open } from './harness.mjs';

let place;
before(async () => (place = await open()));
after(() => place?.close());

const point = (page, at) => page.locator(`[data-point="${at}"]`);
const stones = (page) => page.locator('[data-stone]').count();

test('two people meet, play by touch and by keys, and one wins', { timeout: 60_000 }, async () => {
  const anna = await place.person({ phone: true });
  const boris = await place.person();
  await accessible(anna);
  await choose(anna, 'gomoku', 'Invite by link');
  await point(anna, 'h8').waitFor();
  await boris.goto(anna.url());
  await boris.getByRole('button', { name: 'Take a chair' }).click();

  await asked(anna);
  const [annas, boriss] = [
    ['d8', 'e8', 'f8', 'g8', 'h8'],
    ['a1', 'b1', 'c1', 'd1'],
  ];
  for (const [i, at] of annas.entries()) {
    await point(anna, at).tap();
    await boris.locator(`[data-point="${at}"][data-stone="X"]`).waitFor();
    if (i === 1) await Promise.all([accessible(anna), accessible(boris)]);
    if (i === 2) {
      await place.house.kill();
      await boris.getByText('The connection is lost').waitFor();
      await place.house.start();
      await boris.getByText('The connection is lost').waitFor({ state: 'hidden' });
    }
    const answer = boriss[i];
    if (!answer) continue;
    await point(boris, answer).focus();
    await boris.keyboard.press('Enter');
    await anna.locator(`[data-point="${answer}"][data-stone="O"]`).waitFor();
  }
  assert.equal(await stones(anna), 9);
  await anna.getByRole('heading', { name: 'You won' }).waitFor();
  await boris.getByRole('heading', { name: 'You lost' }).waitFor();
  await accessible(anna);

  await anna.getByRole('button', { name: 'Play again' }).click();
  await boris.getByText('wants to play again').waitFor();
  await boris.getByRole('button', { name: 'Play again' }).click();
  await asked(boris);
  assert.equal(await stones(boris), 0);
  assert.deepEqual([anna.faults, boris.faults], [[], []]);
});

test('alone, in another language, against the house in two clicks', { timeout: 30_000 }, async () => {
  const page = await place.person({ language: 'vi', dark: true });
  await choose(page, 'gomoku', 'Chơi với nhà cái');
  await asked(page);
  await point(page, 'h8').click();
  await page.locator('[data-stone="O"]').waitFor();
  await accessible(page);
  assert.deepEqual(page.faults, []);
});
