export default async function scenes(page, shot) {
  await page.locator('[data-point="h8"]').click();
  await page.locator('[data-stone="O"]').waitFor();
  await shot('gomoku');
  await page.locator('[data-point="h8"]').focus();
  await page.keyboard.press('ArrowRight');
  await shot('gomoku-keys');
}
