// Pictures of every screen, to be looked at: web/shots/SCREEN-SIZE-LIGHT.png. What is to be seen of a
// game is in shots/GAME.mjs, which begins at a table with the house.
import { existsSync, mkdirSync } from 'node:fs';
import { choose, open } from './harness.mjs';
import shell from './shots/shell.mjs';

const folder = new URL('../shots/', import.meta.url).pathname;
mkdirSync(folder, { recursive: true });

const GAMES = ['backgammon', 'poker', 'battle', 'gomoku'];
const place = await open();
try {
  for (const phone of [true, false]) {
    for (const dark of [false, true]) {
      const kind = `${phone ? 'phone' : 'desk'}-${dark ? 'dark' : 'light'}`;
      const page = await place.person({ phone, dark });
      const shot = (name) => page.screenshot({ path: `${folder}${name}-${kind}.png` });
      await shell(page, shot, place, kind);
      for (const game of GAMES) {
        await choose(page, game, 'Play the house');
        await page.getByRole('button', { name: 'Leave' }).last().waitFor();
        const scenes = new URL(`./shots/${game}.mjs`, import.meta.url);
        if (existsSync(scenes)) await (await import(scenes)).default(page, shot);
        else await shot(game);
        await page.goto(page.url().replace('/t/', '/r/'));
        const slider = page.getByRole('slider');
        await slider.waitFor();
        await slider.fill(String(Math.ceil((await slider.getAttribute('max')) * 0.7)));
        await shot(`${game}-replay`);
        await page.goto(place.house.url);
      }
      await page.context().close();
    }
  }
} finally {
  await place.close();
}
