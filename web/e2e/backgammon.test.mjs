import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, asked, lay, open } from './harness.mjs';

let place;
before(async () => (place = await open()));
after(() => place?.close());

/** Nine men of chair 0 against four on the ace point: the second turn of chair 1 is the last. */
const NEARLY_LOST = 'DwAAAHcHAAAAAA';
/** Four men of chair 0, and fifteen of the house. */
const NEARLY_WON = '+L4PAACMAQAAAA';

const tap = (page) => (at) => page.locator(`[data-place="${at}"]`).tap();
const key = (page) => async (at) => {
  await page.locator(`[data-place="${at}"]`).focus();
  await page.keyboard.press('Enter');
};
const button = (page, name) => page.getByRole('button', { name, exact: true });
const lit = (page, as) => page.locator(`[data-lit="${as}"]`).first();
const placeOf = (locator) => locator.getAttribute('data-place');

const ENGLISH = { roll: 'Roll', done: 'Done', on: 'Play on' };
const RUSSIAN = { roll: 'Бросить', done: 'Готово', on: 'Играть дальше' };

/** Presses it, unless the page does what it is for by itself meanwhile. */
const press = (button) => button.click({ timeout: 1500 }).catch(() => {});

/** From the roll to the confirmation; what the page does by itself is left to it, and nobody gets off lightly. */
async function turn(page, touch, { roll, done, on } = ENGLISH) {
  const main = (text) => page.locator('.buttons .main:not([aria-disabled="true"])').filter({ hasText: text });
  const rolled = main(roll);
  const waiting = page.locator('.turn:not(.asked)');
  const source = lit(page, 'source');
  const ready = main(done);
  const offered = button(page, on);
  for (let step = 0; step < 8; step++) {
    await waiting.or(source).or(ready).or(rolled).or(offered).first().waitFor({ state: 'attached' });
    if (await waiting.count()) return;
    if (await ready.count()) {
      await press(ready);
      await ready.waitFor({ state: 'detached' });
      return;
    }
    if (await offered.count()) {
      await offered.click();
      await offered.waitFor({ state: 'detached' });
    } else if (await source.count()) {
      const from = await placeOf(source);
      await touch(from);
      await touch(await placeOf(lit(page, 'target')));
      await page.locator(`[data-place="${from}"][aria-pressed="false"]`).waitFor();
    } else if (await rolled.count()) {
      await press(rolled);
    }
  }
  throw new Error('the turn does not end');
}

test('two people double, take back, resign, and play a match to its end', { timeout: 60_000 }, async () => {
  const anna = await place.person({ phone: true });
  const boris = await place.person();
  await lay(anna, 'backgammon', { opening: 0, match: 3, position: NEARLY_LOST });
  await boris.goto(anna.url());
  await button(boris, 'Take a chair').click();

  // Boris wants nothing to be done for him.
  await button(boris, 'Resign and options').click();
  await boris.getByRole('radio', { name: 'Never' }).check();
  await boris.getByRole('radio', { name: 'No', exact: true }).check();
  await accessible(boris);
  await boris.keyboard.press('Escape');

  // Anna plays what is forced herself: with two sixes all is.
  await button(anna, 'Resign and options').tap();
  await anna.getByRole('radio', { name: 'No', exact: true }).check();
  await anna.keyboard.press('Escape');

  await asked(anna);
  await accessible(anna);
  await button(anna, 'Double to 2').tap();
  await boris.getByText('Take and play for 2 points, or drop and lose 1 point.').waitFor();
  await accessible(boris);
  await button(boris, 'Take').focus();
  await boris.keyboard.press('Enter');
  await asked(anna);
  await boris.getByText('The game is for 2 points.').first().waitFor();

  // The cube is with Boris, so that the dice roll by themselves. A step is taken back.
  await lit(anna, 'source').waitFor();
  const men = () => anna.locator('[data-place="off"]').getAttribute('data-men');
  await tap(anna)(await placeOf(lit(anna, 'source')));
  await tap(anna)(await placeOf(lit(anna, 'target')));
  await button(anna, 'Undo').tap();
  await boris.getByText('took a step back').first().waitFor();
  assert.equal(await men(), '6');
  await place.house.kill();
  await anna.getByText('The connection is lost').waitFor();
  await place.house.start();
  await anna.getByText('The connection is lost').waitFor({ state: 'hidden' });
  await asked(anna);
  assert.equal(await men(), '6');

  await button(anna, 'Resign and options').tap();
  await button(anna, 'Lose a single game: 2 points').tap();
  await boris.getByText('offers to lose a single game: 2 points').waitFor();
  await button(boris, 'Accept').click();

  await anna.getByText('Crawford game: no doubling.').or(lit(anna, 'source')).first().waitFor();
  await asked(anna);
  await anna.locator('.cube').waitFor({ state: 'detached' });
  await turn(anna, tap(anna));
  await asked(boris);
  await press(button(boris, 'Roll'));

  // One man by dragging it off, the others by keys.
  await lit(boris, 'source').waitFor();
  const ace = await boris.locator('[data-place="0"]').boundingBox();
  const tray = await boris.locator('[data-place="off"]').boundingBox();
  await boris.mouse.move(ace.x + ace.width / 2, ace.y + ace.height - 10);
  await boris.mouse.down();
  await boris.mouse.move(tray.x + 5, tray.y + 40, { steps: 4 });
  await boris.mouse.up();
  await boris.locator('[data-place="off"][data-men="12"]').waitFor();
  await turn(boris, key(boris));
  const won = boris.getByRole('heading', { name: 'You won' });
  await Promise.any([won.waitFor(), asked(anna)]);
  if ((await won.count()) === 0) {
    await turn(anna, tap(anna));
    await accessible(boris);
    await asked(boris);
    await turn(boris, key(boris));
  }

  await won.waitFor();
  await anna.getByRole('heading', { name: 'You lost' }).waitFor();
  await anna.getByText('The match: 0 to 3.').waitFor();
  await Promise.all([accessible(anna), accessible(boris)]);
  assert.deepEqual([anna.faults, boris.faults], [[], []]);
});

test('alone on a phone, in another language, against the house to the end', { timeout: 60_000 }, async () => {
  const page = await place.person({ phone: true, language: 'ru', dark: true });
  const config = { opening: 0, cube: false, position: NEARLY_WON };
  await lay(page, 'backgammon', config, 'Занять место');
  await button(page, 'Посадить дом').tap();
  const won = page.getByRole('heading', { name: 'Вы выиграли' });
  for (let turns = 0; turns < 10 && (await won.count()) === 0; turns++) {
    await page.locator('.turn.asked').or(won).first().waitFor();
    if (turns === 0) await accessible(page);
    if ((await won.count()) === 0) await turn(page, tap(page), RUSSIAN);
  }
  await won.waitFor();
  await page.getByText('Все шашки сняты.').first().waitFor();
  await accessible(page);
  await button(page, 'Повтор').tap();
  await page.getByRole('slider').waitFor();
  assert.equal(await page.locator('.board circle.body, .board rect.body').count(), 30);
  assert.deepEqual(page.faults, []);
});
