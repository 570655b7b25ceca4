const point = (page, at) => page.locator(`[data-point="${at}"]`);

export default async function scenes(page, shot) {
  await point(page, 'h8').tap().catch(() => point(page, 'h8').hover());
  await shot('gomoku-aim');
  await point(page, 'h8').click();
  await page.locator('[data-stone="O"]').waitFor();
  await shot('gomoku');
  await point(page, 'h8').focus();
  await page.keyboard.press('ArrowRight');
  await shot('gomoku-keys');
  await page.getByRole('button', { name: 'Resign' }).click();
  await shot('gomoku-resign');
  await page.getByRole('dialog').getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('heading', { name: 'You lost' }).waitFor();
  await shot('gomoku-lost');
}
