import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, asked, open } from './harness.mjs';
import { smallTargets } from './screens.mjs';

let place;
before(async () => (place = await open()));
after(() => place?.close());

const nameOf = (page) => page.locator('header .name').innerText();
const button = (page, name) => page.getByRole('button', { name, exact: true });

/** Looks for a ranked game from the lobby. */
async function ranked(page) {
  await page.locator('[data-game="gomoku"]').click();
  await page.getByRole('radio', { name: 'Ranked' }).check();
  await button(page, 'Find a person').click();
}

test('two meet for a ranked game; it is in their profiles and on the leaderboard', { timeout: 60_000 }, async () => {
  const anna = await place.person({ phone: true });
  const boris = await place.person({ dark: true });
  const names = [await nameOf(anna), await nameOf(boris)];

  await anna.getByRole('link', { name: 'Leaders' }).tap();
  await anna.getByText('Nobody is rated here yet').waitFor();
  await accessible(anna);
  await anna.getByRole('link', { name: names[0] }).tap();
  await anna.getByText('No finished games yet.').waitFor();
  await accessible(anna);
  await anna.getByRole('link', { name: 'Parlor' }).tap();

  await ranked(anna);
  await anna.getByRole('heading', { name: 'Looking for somebody…' }).waitFor();
  await ranked(boris);
  await asked(anna);
  await anna.locator('.strip', { hasText: '0/3' }).waitFor();
  await anna.getByRole('link', { name: names[1] }).tap();
  await anna.getByText(`${names[1]} has not played a ranked game yet.`).waitFor();
  await accessible(anna);
  await anna.goBack();
  await asked(anna);
  await button(boris, 'Leave').click();
  await button(boris.getByRole('dialog'), 'Leave').click();
  await anna.getByRole('heading', { name: 'You won' }).waitFor();
  await button(anna, 'Back to the lobby').tap();

  for (const [page, result] of [
    [anna, 'Won'],
    [boris, 'Lost'],
  ]) {
    await page.locator('header .name').click();
    await page.getByRole('img', { name: /^Caro: 1 game, from 1,500 to/ }).waitFor();
    await page.locator('.result', { hasText: result }).waitFor();
    const replay = page.getByRole('link', { name: /^Replay: Gomoku/ });
    assert.match(await replay.getAttribute('href'), /^\/r\/t-/);
    await accessible(page);
  }
  await anna.getByRole('link', { name: 'Leaders' }).tap();
  await anna.locator('tbody tr').nth(1).waitFor();
  assert.deepEqual(await anna.locator('tbody th').allInnerTexts(), names);
  await accessible(anna);
  await anna.getByRole('link', { name: names[1] }).tap();
  await anna.getByRole('heading', { level: 1, name: names[1] }).waitFor();
  await anna.getByRole('img', { name: /^Caro: 1 game, from 1,500 to 1,2/ }).waitFor();
  assert.deepEqual(await smallTargets(anna), []);
  await accessible(anna);
  await anna.goBack();
  await anna.getByRole('radio', { name: 'Backgammon' }).check();
  await anna.getByText('Nobody is rated here yet').waitFor();
  assert.deepEqual([anna.faults, boris.faults], [[], []]);
});

test('a name is kept by a password, and is there again after logging in elsewhere', { timeout: 40_000 }, async () => {
  const here = await place.person();
  const name = await nameOf(here);
  await here.goto(`${place.house.url}/p`);
  await here.getByLabel('Password, at least 8 characters').fill('correct horse');
  await button(here, 'Set the password').click();
  await here.getByText('Account with a password').waitFor();
  await accessible(here);
  await button(here, 'Log out').click();
  await here.getByText('You are logged out.').waitFor();
  await here.locator('h1', { hasNotText: name }).waitFor();

  const there = await place.person({ phone: true, language: 'ru', dark: true });
  await there.goto(`${place.house.url}/p`);
  await there.getByLabel('Имя', { exact: true }).fill(name);
  await there.getByLabel('Пароль', { exact: true }).fill('wrong horse');
  await button(there, 'Войти').tap();
  await there.getByText('Имя и пароль не подходят друг к другу.').waitFor();
  await there.getByLabel('Пароль', { exact: true }).fill('correct horse');
  await button(there, 'Войти').tap();
  await there.getByRole('heading', { level: 1, name }).waitFor();
  await accessible(there);
  await there.getByRole('radio', { name: 'Tiếng Việt' }).check();
  await there.getByText('Tài khoản có mật khẩu').waitFor();
  await there.reload();
  await there.getByRole('heading', { level: 1, name }).waitFor();
  await there.getByRole('heading', { name: 'Các ván đã chơi' }).waitFor();
  assert.deepEqual([here.faults, there.faults], [[], []]);
});
