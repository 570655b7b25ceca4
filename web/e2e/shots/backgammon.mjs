const first = (page, as) => page.locator(`[data-lit="${as}"]`).first();

export default async function scenes(page, shot) {
  const roll = page.getByRole('button', { name: 'Roll', exact: true, disabled: false });
  await roll.or(first(page, 'source')).first().waitFor();
  await shot('backgammon');
  if (await roll.count()) await roll.click();
  await first(page, 'source').click();
  await shot('backgammon-targets');
  await first(page, 'target').click();
  await page.getByRole('button', { name: 'Undo', disabled: false }).waitFor();
  await shot('backgammon-step');
  await page.getByRole('button', { name: 'Resign and options' }).click();
  await shot('backgammon-more');
  await page.keyboard.press('Escape');
}
