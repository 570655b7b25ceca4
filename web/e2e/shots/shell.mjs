// The screens that are of no game: from the lobby to the replay, and what is told when something is wrong.
import { asked, choose } from '../harness.mjs';
import { Script, tableOf } from '../script.mjs';

const point = (page, at) => page.locator(`[data-point="${at}"]`);

export default async function scenes(page, shot, place, kind) {
  await shot('lobby-empty');
  const [anna, boris] = [await Script.guest(place.house, `Anna ${kind}`), await Script.guest(place.house, `Boris ${kind}`)];
  const opened = [];
  for (const [game, chips] of [['gomoku'], ['backgammon'], ['poker', 100]]) {
    const { table } = await anna.say({ type: 'create', game });
    await anna.say({ type: 'sit', table, chips });
    opened.push(table);
  }
  await boris.say({ type: 'sit', table: opened[0] });
  await page.getByRole('link', { name: 'Join' }).nth(1).waitFor();
  await shot('lobby');
  for (const table of opened) await anna.say({ type: 'leave', table });

  await page.getByRole('button', { name: 'Settings' }).click();
  await shot('settings');
  await page.keyboard.press('Escape');
  const me = new Script(place.house.url, await page.evaluate(() => localStorage.getItem('token')));
  for (const [i, mode] of ['caro', 'caro', 'renju', 'caro', 'caro'].entries()) {
    const { table } = await boris.say({ type: 'create', game: 'gomoku', config: { rule: mode }, access: 'ranked' });
    for (const one of [me, boris]) await one.say({ type: 'sit', table });
    await (i % 3 ? me : boris).say({ type: 'leave', table });
  }
  for (const [name, address] of [
    ['leaders', '/leaders'],
    ['profile', '/p'],
    ['player', `/p/Boris ${kind}`],
  ]) {
    await page.goto(place.house.url + address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('One moment…').waitFor({ state: 'hidden' });
    await shot(name);
  }
  await page.goto(place.house.url);
  await page.locator('[data-game="gomoku"]').click();
  await page.getByRole('button', { name: 'Play the house' }).waitFor();
  await shot('play');
  await page.keyboard.press('Escape');
  await choose(page, 'gomoku', 'Find a person');
  await page.getByRole('button', { name: 'Stop looking' }).waitFor();
  await shot('waiting');
  await page.getByRole('button', { name: 'Stop looking' }).click();

  await choose(page, 'gomoku', 'Invite by link');
  await page.getByLabel('Link to this table').waitFor();
  await shot('invite');
  await page.getByRole('button', { name: 'Wait at the table' }).click();
  await shot('table-free');
  const { table, key } = tableOf(page);
  await boris.say({ type: 'sit', table, key });
  await asked(page);
  await boris.say({ type: 'chat', table, text: 'Good evening! Have fun.' });
  const panel = page.getByRole('button', { name: 'Moves and chat' });
  for (const [i, at] of ['d8', 'e8', 'f8', 'g8', 'h8'].entries()) {
    await asked(page);
    await point(page, at).click();
    if (i < 4) await boris.play(table, { type: 'move', x: i + 3, y: 8 });
    if (i !== 2) continue;
    await asked(page);
    if (await panel.isVisible()) await panel.click();
    await shot('table-chat');
    if (await panel.isVisible()) await panel.click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await shot('table-leave');
    await page.getByRole('button', { name: 'Stay' }).click();
  }
  await page.getByRole('heading', { name: 'You won' }).waitFor();
  await shot('result');
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByRole('slider').fill('6');
  await shot('replay');
  const moves = page.getByRole('button', { name: 'Moves', exact: true });
  if (await moves.isVisible()) {
    await moves.click();
    await shot('replay-moves');
  }
  await page.goto(`${place.house.url}/t/t-000000000000`);
  await page.getByText('ask for a new link').waitFor();
  await shot('gone');
  await page.goto(place.house.url);
  await page.locator('.name:not(:empty)').waitFor();
  await page.context().setOffline(true);
  await place.house.kill();
  await page.getByText('The connection is lost').waitFor();
  await shot('lost');
  await place.house.start();
  await page.context().setOffline(false);
  await page.getByText('The connection is lost').waitFor({ state: 'hidden' });
}
